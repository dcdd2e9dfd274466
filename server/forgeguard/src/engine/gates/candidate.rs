//! The tree that the gates of a round check.

use domain::{
    event::phases::{LogLevel, LogLine},
    executor::Executor,
    gate::GateDefinition,
    ids::SnapshotId,
    state::{BuildState, PhaseState},
};
use git::{ChangedPath, Sha};

use super::{
    super::{
        base_branch::merge_without_conflicts,
        branch::{self, Workspace},
        driver::Driver,
        error::EngineError,
    },
    outcome::list,
};

/// The tree that gates check.
pub struct Candidate {
    pub workspace: Workspace,
    /// `None` for the final gates.
    pub phase: Option<u32>,
    /// The branch's newest commit.
    pub head: Sha,
    /// The base of the changes that the built-in gates check.
    pub since: Sha,
    /// The tree of `head`, or the one that the phase is to commit.
    pub tree: Sha,
    /// Why the phase could not be committed, one line per file.
    pub uncommittable: Vec<String>,
    /// The contracts of the build.
    pub snapshot: SnapshotId,
    /// The tests that exit criteria name.
    pub named_tests: Vec<String>,
    /// Files that were not read, which no gate has changed.
    unread: Vec<Vec<u8>>,
    /// Globs of the paths that may change; empty for any.
    pub scope: Vec<String>,
    /// The last phase, for the final gates.
    last_phase: Option<PhaseState>,
}

impl Candidate {
    /// Whether a final gate has passed before, on the same tree in the build's worktree.
    pub fn passed_in_worktree(&self, gate: &GateDefinition) -> bool {
        let before = self.last_phase.as_ref().and_then(|phase| phase.gates.get(&gate.name));
        let tree = self.tree.to_string();
        before.is_some_and(|before| {
            before.passed
                && before.command == gate.command
                && before.tree_sha.as_ref() == Some(&tree)
        })
    }
}

impl Driver {
    /// The tree that the gates of a phase, or the final ones, check.
    pub(super) async fn candidate(
        &self,
        state: &BuildState,
        phase: Option<u32>,
    ) -> Result<Candidate, EngineError> {
        let workspace = self.workspace().await?;
        let head = branch::head(state)?;
        if phase.is_none() {
            let clone = workspace.clone.clone();
            let tree = self.engine.blocking(move || Ok(clone.tree_of(head)?)).await?;
            return Ok(Candidate {
                workspace,
                phase,
                head,
                since: branch::baseline(state)?,
                tree,
                uncommittable: Vec::new(),
                snapshot: state.queued.snapshot_batch,
                named_tests: state.named_tests(),
                unread: Vec::new(),
                scope: Vec::new(),
                last_phase: state.phases.last().cloned(),
            });
        }
        let current = state.phase();
        let judged = current.and_then(|phase| phase.gate_tree.as_deref());
        if let Some(tree) = judged {
            // Gates of this round have run on it. One that was interrupted may have changed files.
            let tree: Sha = tree.parse().map_err(git::GitError::from)?;
            self.restore_tree(&workspace, tree).await?;
        }
        self.candidate_of_files(workspace, state, phase).await
    }

    /// The tree of the files as they are.
    pub(super) async fn candidate_of_files(
        &self,
        workspace: Workspace,
        state: &BuildState,
        phase: Option<u32>,
    ) -> Result<Candidate, EngineError> {
        let head = branch::head(state)?;
        let current = state.phase();
        let (files, open) = (workspace.clone(), state.base.conflict.clone());
        let base = branch::baseline(state)?;
        // A phase is responsible for its own changes: what agents do is not committed yet, and what a
        // user does in their own editor is, possibly with merges of the base branch.
        let executor = phase.map(|number| state.queued.executor_of(number));
        let begun = match executor {
            Some(Executor::OwnEditor) => Some(branch::phase_base(state)?),
            _ => None,
        };
        let work = move || {
            let since = match (open, begun) {
                (Some(open), _) => merge_without_conflicts(&files, &open, (head, base))?,
                (None, Some(begun)) => {
                    files.clone.fetch()?;
                    files.branch.base_of_work(begun, head, files.clone.baseline()?.sha)?
                }
                (None, None) => head,
            };
            Ok((since, files.worktree.write_candidate()?))
        };
        let (since, written) = self.engine.blocking(work).await?;
        Ok(Candidate {
            workspace,
            phase,
            head,
            since,
            tree: written.tree,
            uncommittable: written.uncommittable.iter().map(ToString::to_string).collect(),
            snapshot: state.queued.snapshot_batch,
            named_tests: state.named_tests(),
            unread: written.unread,
            scope: current.map_or(Vec::new(), |phase| state.scope_of(phase)),
            last_phase: None,
        })
    }

    /// Undoes a gate's changes in the worktree.
    pub(super) async fn restore_candidate(
        &self,
        candidate: &Candidate,
    ) -> Result<Vec<ChangedPath>, EngineError> {
        let (worktree, tree) = (candidate.workspace.worktree.clone(), candidate.tree);
        let unread = candidate.unread.clone();
        self.engine.blocking(move || Ok(worktree.restore_candidate(tree, &unread)?)).await
    }

    /// Restores files that changed since a tree was checked, and logs that.
    pub(in super::super) async fn restore_tree(
        &self,
        workspace: &Workspace,
        tree: Sha,
    ) -> Result<(), EngineError> {
        let worktree = workspace.worktree.clone();
        let undone =
            self.engine.blocking(move || Ok(worktree.restore_candidate(tree, &[])?)).await?;
        if undone.is_empty() {
            return Ok(());
        }
        let paths: Vec<&str> = undone.iter().map(|change| change.path.as_str()).collect();
        let message =
            format!("Files that differed from the checked tree were restored: {}", list(&paths));
        let (level, source) = (LogLevel::Warning, "gates".to_owned());
        self.append(vec![LogLine { level, source, message }.into()]).await.map(drop)
    }
}
