//! The branch that a build started from: compared with the build's branch before the seal, and merged
//! if it has moved.
//!
//! The order is crash safe: objects are written, then the journal, then branch and files follow. A
//! merge that was not recorded is on no branch, and is made again.

use domain::{
    errors::Severity,
    event::{
        base::{BaseCompared, BaseMerged, RebaseConflict},
        branch::BranchLife,
    },
    rounds::REBASE_CONFLICT,
    state::{BuildState, OpenConflict},
    tracking::{self, ObservedFailure},
};
use git::{BaseConflict, BaseMerge, Baseline, CommitRequest, Sha};

use super::{
    branch::{self, BUILD_TRAILER, Workspace},
    driver::Driver,
    error::EngineError,
    merge_events::{MERGED_TRAILER, contained, with_merge},
};
use crate::{agent::GateFailure, store};

/// Files with conflicts that a message names.
const MAX_NAMED: usize = 50;

impl Driver {
    /// Fetches the remote, if there is one, and merges the base branch if it has moved. Conflicts are
    /// left in the worktree for an agent.
    pub(super) async fn compare_base(&self, state: &BuildState) -> Result<(), EngineError> {
        let fetch_error = self.fetch_base().await?;
        let workspace = self.workspace().await?;
        let at = (branch::head(state)?, branch::baseline(state)?);
        let request = self.merge_request(state);
        let found = self.engine.blocking(move || merge(&workspace, at, request)).await?;
        let Baseline { branch, sha: tip } = found.tip;
        let (tip_sha, head_sha) = (tip.to_string(), at.0.to_string());
        match found.merge {
            BaseMerge::Contained { base } => {
                let base_sha = base.map(|sha| sha.to_string());
                let compared = BaseCompared { branch, tip_sha, head_sha, base_sha, fetch_error };
                self.append_with(move |state| contained(state, compared)).await.map(drop)
            }
            BaseMerge::Clean { commit, base, paths, path_count } => {
                let merged = BaseMerged {
                    branch,
                    tip_sha,
                    base_sha: base.to_string(),
                    commit_sha: commit.sha.to_string(),
                    paths,
                    path_count: path_count as u32,
                    conflicts: Vec::new(),
                    fetch_error,
                };
                let tree = self.checked_tree(commit.sha, None).await?;
                let sha = commit.sha;
                self.append_with(move |state| {
                    let made = branch::committed(state, &commit, tree, None, BranchLife::Active);
                    with_merge(state, made, merged)
                })
                .await?;
                let workspace = self.workspace().await?;
                let advance = move || Ok(workspace.branch.advance(&workspace.worktree, sha)?);
                self.engine.blocking(advance).await
            }
            BaseMerge::Conflict(BaseConflict { base, paths, path_count, .. }) => {
                let found = RebaseConflict {
                    branch,
                    tip_sha,
                    base_sha: base.to_string(),
                    head_sha,
                    paths,
                    path_count: path_count as u32,
                    fetch_error,
                };
                let (build, id) = (self.build(), store::new_id());
                self.append_with(move |state| {
                    let open = OpenConflict { found: found.clone(), is_outdated: false };
                    let seen = ObservedFailure::new(REBASE_CONFLICT, Severity::Error, told(&open));
                    let tracked = tracking::track(state, build, id, store::now(), seen);
                    vec![tracked, found.into()]
                })
                .await
                .map(drop)
            }
        }
    }

    /// Why the remote could not be fetched; then its branches are as they were fetched last.
    async fn fetch_base(&self) -> Result<Option<String>, EngineError> {
        let project = self.build_row().await?.project_id;
        let found = store::projects::get(&mut self.engine.db().read().await?, project).await?;
        let project = found.ok_or(EngineError::NotFound("project"))?;
        match self.engine.fetch_before_build(&project).await {
            Ok(()) => Ok(None),
            Err(EngineError::FetchFailed(why)) => Ok(Some(why)),
            Err(error) => Err(error),
        }
    }

    fn merge_request(&self, state: &BuildState) -> impl FnOnce(&Baseline) -> CommitRequest + use<> {
        let prefix = branch::subject(state, "");
        let build = self.build().to_string();
        move |tip| CommitRequest {
            title: format!("{}merge {}", prefix, tip.branch),
            body: String::new(),
            trailers: vec![
                (BUILD_TRAILER.to_owned(), build),
                (MERGED_TRAILER.to_owned(), tip.sha.to_string()),
            ],
            at: store::now().timestamp(),
            allow_empty: true,
        }
    }
}

struct Found {
    tip: Baseline,
    merge: BaseMerge,
}

/// Merges without moving the branch. The worktree is restored first, and its content saved, if an
/// earlier merge with conflicts is in it.
fn merge(
    workspace: &Workspace,
    (head, base): (Sha, Sha),
    request: impl FnOnce(&Baseline) -> CommitRequest,
) -> Result<Found, EngineError> {
    let Workspace { clone, branch, worktree } = workspace;
    clone.fetch()?;
    let tip = clone.baseline()?;
    let request = request(&tip);
    let merge = branch.merge_base_branch((head, base, tip.sha), &tip.branch, &request)?;
    if !matches!(merge, BaseMerge::Contained { .. }) {
        worktree.restore()?;
    }
    if let BaseMerge::Conflict(conflict) = &merge {
        worktree.restore_candidate(conflict.marked_tree, &[])?;
    }
    Ok(Found { tip, merge })
}

/// What the files in the worktree are compared with, to find what agents have changed: the merge
/// without the files that have conflicts.
pub fn merge_without_conflicts(
    workspace: &Workspace,
    open: &OpenConflict,
    (head, base): (Sha, Sha),
) -> Result<Sha, EngineError> {
    let RebaseConflict { branch: name, tip_sha, .. } = &open.found;
    let tip = tip_sha.parse().map_err(git::GitError::from)?;
    let request = CommitRequest {
        title: format!("merge {name}"),
        body: String::new(),
        trailers: Vec::new(),
        at: 0,
        allow_empty: true,
    };
    Ok(match workspace.branch.merge_base_branch((head, base, tip), name, &request)? {
        BaseMerge::Conflict(conflict) => conflict.kept,
        // A user has pushed since.
        BaseMerge::Clean { commit, .. } => commit.sha,
        BaseMerge::Contained { .. } => head,
    })
}

/// The message of the error.
fn told(open: &OpenConflict) -> String {
    let RebaseConflict { branch, tip_sha, .. } = &open.found;
    format!(
        "{REBASE_CONFLICT}: {branch} has moved to {tip_sha:.12}, and its changes conflict with those of \
         the build in: {}",
        open.found.listed(MAX_NAMED)
    )
}

/// The task of the agent that resolves the conflicts.
pub fn task(open: &OpenConflict) -> GateFailure {
    let RebaseConflict { branch, tip_sha, .. } = &open.found;
    let files = open.found.listed(MAX_NAMED);
    let output = format!(
        "The branch {branch} has moved since this build started. It was merged into the worktree, and \
         these files have conflicts: {files}\n\
         Resolve each of them so that both changes keep working: edit the lines between `<<<<<<< this \
         build`, `=======` and `>>>>>>> {branch}`, and remove these markers. A file that only one side \
         has, or that is not text, has no markers: decide whether it stays. Change other files only if \
         the merge requires it. `git show HEAD:<path>` shows the build's version, `git show \
         {tip_sha:.12}:<path>` that of {branch}."
    );
    GateFailure { gate: REBASE_CONFLICT.to_owned(), exit_code: None, output }
}
