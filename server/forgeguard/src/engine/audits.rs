//! What an auditor receives about its phase: the changes, and the user's answers.

use domain::{event::agents::Task, state::BuildState};
use git::{DiffTarget, FileDiff, LineKind, RepoPath, diff_file};

use super::{
    branch::{self, Workspace},
    driver::Driver,
    error::EngineError,
};
use crate::store;

/// Files and bytes of changes that are read for an audit.
const MAX_FILES: usize = 24;
const MAX_DIFF_BYTES: usize = 16 * 1024;
/// Answers of the user that an audit receives.
const MAX_ANSWERS: i64 = 100;

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
        let asked = store::clarifications::list(&mut conn, self.build(), None, MAX_ANSWERS).await?;
        let of_agents = asked.into_iter().filter(|it| it.kind.is_of_agent());
        let answered = of_agents.filter_map(|it| Some(format!("{} — {}", it.question, it.answer?)));
        Ok(answered.collect())
    }
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
