//! What the first message of a run says apart from the build's state. It is read again when a
//! conversation is compacted.

use std::time::Duration;

use domain::event::agents::Task;

use super::{
    dossier,
    run::{AgentError, AgentRun, GateFailure},
};
use crate::{
    store::{self, artifacts, clarifications},
    threads,
    tools::{self, SCRATCHPAD, Skill},
};

/// For reading the worktree or the skills.
const READ_TIMEOUT: Duration = Duration::from_secs(60);
/// Files and bytes of changes that are shown to auditors and fixers.
const MAX_DIFF_FILES: usize = 24;
const MAX_DIFF_BYTES: usize = 16 * 1024;
/// Answers and notes that are looked up.
const MAX_ANSWERS: i64 = 100;
const MAX_NOTES: i64 = 50;
/// Characters of a note that are shown.
const NOTE_CHARS: i64 = 100;

#[derive(Clone, Debug, Default)]
pub struct Briefing {
    /// Name and description of the project.
    pub project: String,
    /// Its files, one line for each folder.
    pub files: Vec<String>,
    /// The notes of the project's owner, and their version; 0 if there are none.
    pub notes: String,
    pub notes_version: u32,
    /// The report of this phase's scout.
    pub dossier: String,
    /// Skills that can be loaded.
    pub skills: Vec<Skill>,
    /// The questions of the build's agents, with the user's answers.
    pub answers: Vec<String>,
    /// The keys of the scratchpad with the beginnings of the notes.
    pub scratchpad: Vec<String>,
    /// Paths that the phase has changed.
    pub changed_files: Vec<String>,
    /// The changes, for auditors and fixers.
    pub diff: String,
    /// For a fix: the failed gates with their output.
    pub failures: Vec<GateFailure>,
    /// For a fix: errors that occurred in an earlier build too, with their resolutions.
    pub earlier_fixes: Vec<String>,
}

impl Briefing {
    /// The briefing of a run. What cannot be read of the worktree is left out.
    pub(super) async fn load(run: &AgentRun) -> Result<Self, AgentError> {
        let now = store::now();
        let mut conn = run.journal.db().read().await?;
        let note = store::notes::of_owner(&mut conn, run.project_id).await?;
        let asked = clarifications::list(&mut conn, run.build_id, None, MAX_ANSWERS).await?;
        let scratchpad =
            artifacts::previews(&mut conn, run.build_id, SCRATCHPAD, now, NOTE_CHARS, MAX_NOTES);
        let scratchpad = scratchpad.await?;
        drop(conn);
        let of_agents = asked.into_iter().filter(|it| it.kind.is_of_agent());
        let answered =
            of_agents.filter_map(|it| Some(format!("{} — {}", it.question, it.shown_answer()?)));
        let (notes, notes_version) =
            note.map_or_else(Default::default, |note| (note.content, note.version));
        let (changed_files, diff) = changes(run).await;
        Ok(Self {
            project: run.project.clone(),
            files: files(run).await,
            notes,
            notes_version,
            dossier: dossier::read(run.journal.db(), run.build_id, run.phase).await?,
            skills: skills(run).await,
            answers: answered.collect(),
            scratchpad: scratchpad
                .into_iter()
                .map(|(key, text)| format!("{key}: {text}"))
                .collect(),
            changed_files,
            diff,
            failures: run.failures.clone(),
            earlier_fixes: run.earlier_fixes.clone(),
        })
    }
}

/// The paths that the phase has changed, and for auditors and fixers the changes.
async fn changes(run: &AgentRun) -> (Vec<String>, String) {
    let (changes, shows_diff) = (run.changes.clone(), matches!(run.task, Task::Audit | Task::Fix));
    let read = threads::run(READ_TIMEOUT, move || {
        let paths = changes.paths()?;
        let shown = &paths[..paths.len().min(MAX_DIFF_FILES)];
        let diff = match shows_diff {
            true => changes.diff(shown, MAX_DIFF_BYTES)?,
            false => String::new(),
        };
        Ok::<_, String>((paths, diff))
    });
    match read.await {
        Ok(Ok(read)) => read,
        Ok(Err(error)) => {
            tracing::warn!(build_id = %run.build_id, %error, "the changes of the phase are unknown");
            Default::default()
        }
        Err(_) => Default::default(),
    }
}

async fn files(run: &AgentRun) -> Vec<String> {
    let worktree = run.worktree.clone();
    threads::run(READ_TIMEOUT, move || tools::file_outline(&worktree)).await.unwrap_or_default()
}

/// The skills that planners and coders may load.
async fn skills(run: &AgentRun) -> Vec<Skill> {
    if !matches!(run.task, Task::Plan | Task::Execute) {
        return Vec::new();
    }
    let worktree = run.worktree.clone();
    threads::run(READ_TIMEOUT, move || tools::skills(&worktree)).await.unwrap_or_default()
}
