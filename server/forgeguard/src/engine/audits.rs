//! What an auditor receives about its phase: the changes, and the user's answers.

use std::collections::BTreeMap;

use domain::{
    event::{EventBody, agents::Task},
    ids::ClarificationId,
    state::BuildState,
};
use git::{DiffTarget, FileDiff, LineKind, RepoPath, diff_file};

use super::{
    branch::{self, Workspace},
    driver::Driver,
    error::EngineError,
};
use crate::store::{self, events::EventRow};

/// Files and bytes of changes that are read for an audit.
const MAX_FILES: usize = 24;
const MAX_DIFF_BYTES: usize = 16 * 1024;

impl Driver {
    /// The changes of the phase; empty for other tasks than an audit. What exceeds the limits is
    /// listed by path.
    pub(super) async fn phase_diff(
        &self,
        state: &BuildState,
        workspace: &Workspace,
        task: Task,
        changed: &[String],
    ) -> Result<String, EngineError> {
        if task != Task::Audit {
            return Ok(String::new());
        }
        let (since, workspace) = (branch::phase_base(state)?, workspace.clone());
        let changed = changed.to_vec();
        self.engine
            .blocking(move || {
                let (mut text, mut left_out) = (String::new(), Vec::new());
                for (at, path) in changed.into_iter().enumerate() {
                    if at >= MAX_FILES || text.len() >= MAX_DIFF_BYTES {
                        left_out.push(path);
                        continue;
                    }
                    let target = DiffTarget::Worktree(&workspace.worktree);
                    let file = path.parse::<RepoPath>();
                    match file.and_then(|file| diff_file(&workspace.clone, since, target, &file)) {
                        Ok(diff) => write(&mut text, &diff),
                        Err(_) => left_out.push(path),
                    }
                }
                if !left_out.is_empty() {
                    let paths = left_out.join(", ");
                    text.push_str(&format!("[not shown, use read_file: {paths}]\n"));
                }
                Ok(text)
            })
            .await
    }

    /// The questions of the build's agents with their answers; none for other tasks than an audit.
    pub(super) async fn answers(&self, task: Task) -> Result<Vec<String>, EngineError> {
        if task != Task::Audit {
            return Ok(Vec::new());
        }
        let mut conn = self.engine.db().read().await?;
        let build = self.build();
        let asked = store::events::of_type(&mut conn, build, "build_clarification_request").await?;
        let resolved =
            store::events::of_type(&mut conn, build, "build_clarification_resolved").await?;
        drop(conn);
        Ok(answered(&asked, &resolved))
    }
}

/// Each answered question with its answer, in the order of the questions.
fn answered(asked: &[EventRow], resolved: &[EventRow]) -> Vec<String> {
    let body = |row: &EventRow| serde_json::from_str::<EventBody>(&row.body).ok();
    let answers: BTreeMap<ClarificationId, String> = resolved
        .iter()
        .filter_map(body)
        .filter_map(|body| match body {
            EventBody::BuildClarificationResolved(it) => Some((it.question_id, it.answer?)),
            _ => None,
        })
        .collect();
    let questions = asked.iter().filter_map(body).filter_map(|body| match body {
        EventBody::BuildClarificationRequest(it) => Some((it.question_id, it.question)),
        _ => None,
    });
    questions
        .filter_map(|(id, question)| Some(format!("{question} — {}", answers.get(&id)?)))
        .collect()
}

/// A file's changes as a unified diff.
fn write(text: &mut String, diff: &FileDiff) {
    text.push_str(&format!("--- {}\n", diff.path));
    if diff.binary {
        text.push_str("(binary)\n");
    }
    for hunk in &diff.hunks {
        text.push_str(hunk.header.trim_end());
        text.push('\n');
        for line in &hunk.lines {
            text.push(match line.kind {
                LineKind::Context => ' ',
                LineKind::Insert => '+',
                LineKind::Delete => '-',
            });
            line.spans.iter().for_each(|span| text.push_str(&span.text));
            text.push('\n');
            if text.len() >= MAX_DIFF_BYTES {
                text.push_str("[cut, use read_file]\n");
                return;
            }
        }
    }
}
