//! The build's branch and worktree: created, committed to, pushed. After a crash, results that were
//! not recorded are found and adopted instead of being repeated.

use domain::{
    commit_message::{commit_body, commit_subject},
    event::{
        EventBody,
        branch::{AuthorKind, BranchLife, BranchStatus, CommitCreated, Pushed},
        life::Started,
    },
    state::BuildState,
};
use git::{BuildBranch, CommitRequest, GitError, Sha, WorkingClone, Worktree};

use super::{
    branch_name::branch_name,
    driver::Driver,
    error::EngineError,
    handle,
    merge_events::{MERGED_TRAILER, finished_merge, with_merge},
};
use crate::store;

/// The trailer with the build's id.
pub const BUILD_TRAILER: &str = "Build-Cycle";
const PHASE_TRAILER: &str = "Phase";
/// The name of the origin of a hosted project.
const HOSTED: &str = "hosted";

/// A build's branch and its worktree.
#[derive(Clone)]
pub struct Workspace {
    /// The clone that both belong to.
    pub clone: WorkingClone,
    pub branch: BuildBranch,
    pub worktree: Worktree,
}

impl Driver {
    /// Removes lock files that a worker left in the repositories when its process was killed; they
    /// would block every later worker.
    pub(super) async fn clear_locks(&self, state: &BuildState) -> Result<(), EngineError> {
        let clone = self.clone_of_project().await?;
        let name = branch_name(self.build(), state)?;
        self.engine.blocking(move || Ok(clone.remove_stale_locks(&name)?)).await
    }

    /// Determines the baseline and records the start: the head of the build that this one follows up
    /// on, or the head of the chosen or the default branch.
    pub(super) async fn start(&mut self, state: &BuildState) -> Result<(), EngineError> {
        let sandbox = handle::shown(self.engine.level()?);
        let clone = self.clone_of_project().await?;
        let follows = state.queued.follows.as_ref().map(|follows| follows.head_sha.clone());
        let chosen = state.queued.baseline_branch.clone();
        let baseline = self
            .engine
            .blocking(move || {
                clone.fetch()?;
                match (follows, chosen) {
                    (Some(sha), _) => Ok(sha.parse().map_err(GitError::from)?),
                    (None, Some(branch)) => {
                        let head = clone.origin_head(&branch)?;
                        head.ok_or(EngineError::NoBaselineBranch(branch))
                    }
                    (None, None) => Ok(clone.baseline()?.sha),
                }
            })
            .await?;
        let branch = branch_name(self.build(), state)?.to_string();
        let node = self.engine.parts.node.name.clone();
        let attempt = self.lease.fence as u32;
        let baseline_sha = baseline.to_string();
        self.append(vec![Started { node, attempt, baseline_sha, branch, sandbox }.into()]).await?;
        self.fresh = true;
        Ok(())
    }

    /// Creates branch and worktree, and pushes the branch. Suggestions that the owner accepted are
    /// committed at the origin as theirs; like a push, they are recorded before the first step.
    pub(super) async fn create_branch(&self, state: &BuildState) -> Result<(), EngineError> {
        let baseline = baseline(state)?;
        let name = branch_name(self.build(), state)?;
        let clone = self.clone_of_project().await?;
        let path = self.engine.paths().worktree(self.build());
        let fresh = self.fresh;
        let branch = name.to_string();
        let suggested = self.suggested_commit(state, baseline).await?;
        self.engine
            .blocking(move || {
                let branch = if fresh {
                    BuildBranch::create(&clone, name.clone(), baseline)?
                } else {
                    BuildBranch::adopt_or_create(&clone, name.clone(), baseline)?
                };
                Worktree::open_or_create(&clone, &name, &path)?;
                push_or_wait(&branch)?;
                if let Some(commit) = suggested {
                    branch.push_for_user(baseline, &commit)?;
                }
                Ok(())
            })
            .await?;
        let sha = baseline.to_string();
        let status = BranchStatus {
            branch,
            baseline_sha: sha.clone(),
            head_sha: sha.clone(),
            commit_count: 0,
            status: BranchLife::Active,
        };
        self.append(vec![status.into(), pushed(sha)]).await.map(drop)
    }

    /// Commits the tree that the phase's gates checked.
    pub(super) async fn commit_phase(
        &self,
        state: &BuildState,
        phase: u32,
    ) -> Result<(), EngineError> {
        let title = state.phase().map_or("", |phase| phase.outline.title.as_str());
        let open = state.base.conflict.as_deref();
        let title = match open {
            Some(open) => format!("phase {phase}: merge {}", open.found.branch),
            None => format!("phase {phase}: {title}"),
        };
        let id = self.build().to_string();
        let mut trailers =
            vec![(BUILD_TRAILER.to_owned(), id), (PHASE_TRAILER.to_owned(), phase.to_string())];
        trailers.extend(open.map(|open| (MERGED_TRAILER.to_owned(), open.found.tip_sha.clone())));
        let request = CommitRequest {
            title: subject(state, &title),
            body: state.phase().map_or(String::new(), commit_body),
            trailers,
            at: store::now().timestamp(),
            allow_empty: true,
        };
        let judged = state.phase().and_then(|phase| phase.gate_tree.clone());
        if let Some(tree) = &judged {
            let tree = tree.parse().map_err(GitError::from)?;
            self.restore_tree(&self.workspace().await?, tree).await?;
        }
        let commit = self.commit(state, request).await?;
        let tree = self.checked_tree(commit.sha, judged.as_deref()).await?;
        let mut events = committed(state, &commit, tree, Some(phase), BranchLife::Active);
        if let Some(open) = open {
            events = with_merge(state, events, finished_merge(open, commit.sha));
        }
        self.append(events).await.map(drop)
    }

    /// Pushes the branch. Does nothing if a user has pushed first: their commits are merged before the
    /// next step.
    pub(super) async fn push(&self) -> Result<(), EngineError> {
        let workspace = self.workspace().await?;
        match self.engine.blocking(move || push_or_wait(&workspace.branch)).await? {
            Some(sha) => self.append(vec![pushed(sha.to_string())]).await?,
            None => return Ok(()),
        };
        self.engine.repack_queue.push(self.build_row().await?.project_id);
        Ok(())
    }

    /// The tree of a commit, which must be the one that the gates checked, if they did.
    pub(super) async fn checked_tree(
        &self,
        commit: Sha,
        judged: Option<&str>,
    ) -> Result<Sha, EngineError> {
        let clone = self.clone_of_project().await?;
        let found = self.engine.blocking(move || Ok(clone.tree_of(commit)?)).await?;
        match judged.map(|judged| judged.parse::<Sha>().map_err(GitError::from)).transpose()? {
            Some(judged) if judged != found => {
                Err(EngineError::TreeDiffers { commit, found, judged })
            }
            _ => Ok(found),
        }
    }

    /// Makes a commit, or finds the one that was made and not recorded.
    async fn commit(
        &self,
        state: &BuildState,
        request: CommitRequest,
    ) -> Result<git::Commit, EngineError> {
        let workspace = self.workspace().await?;
        let recorded = head(state)?;
        let merged = match &state.base.conflict {
            Some(open) => Some(open.found.base_sha.parse().map_err(GitError::from)?),
            None => None,
        };
        self.engine
            .blocking(move || {
                let Workspace { branch, worktree, .. } = workspace;
                let trailers: Vec<_> =
                    request.trailers.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
                if let Some(found) = branch.find_commit_with_trailers(recorded, &trailers)? {
                    return Ok(found);
                }
                let made = match merged {
                    Some(merged) => branch.commit_merge(&worktree, &request, merged)?,
                    None => branch.commit(&worktree, &request)?,
                };
                made.ok_or(EngineError::NotFound("change to commit"))
            })
            .await
    }

    /// Branch and worktree of a build whose branch exists.
    pub(super) async fn workspace(&self) -> Result<Workspace, EngineError> {
        let clone = self.clone_of_project().await?;
        let state = self.engine.journal().state(self.build()).await?;
        let name = branch_name(self.build(), &state)?;
        let path = self.engine.paths().worktree(self.build());
        self.engine
            .blocking(move || {
                let branch = BuildBranch::open(&clone, name.clone())?;
                let worktree = Worktree::open_or_create(&clone, &name, &path)?;
                Ok(Workspace { clone, branch, worktree })
            })
            .await
    }

    /// Removes the worktree of a build that has ended, after saving uncommitted changes, and the home
    /// directory of its agent.
    pub(super) async fn put_away(&self, state: &BuildState) {
        self.engine.remove_agent_home(self.build()).await;
        if !state.branch_ready || !self.engine.paths().worktree(self.build()).exists() {
            return;
        }
        let removed = async {
            let workspace = self.workspace().await?;
            self.engine.blocking(move || Ok(workspace.worktree.remove()?)).await
        };
        if let Err(error) = removed.await {
            tracing::warn!(build_id = %self.build(), %error, "the worktree stays behind");
        }
    }

    /// The build's row.
    pub(super) async fn build_row(&self) -> Result<store::builds::Build, EngineError> {
        let mut conn = self.engine.db().read().await?;
        let build = store::builds::get(&mut conn, self.build()).await?;
        build.ok_or(EngineError::NotFound("build"))
    }

    pub(super) async fn clone_of_project(&self) -> Result<WorkingClone, EngineError> {
        let build = self.build_row().await?;
        self.engine.working_clone(build.project_id).await
    }
}

/// The commit that the build's changes are compared with: the one that it started from, or that of its
/// base branch that was merged last.
pub fn baseline(state: &BuildState) -> Result<Sha, EngineError> {
    sha(state, |branch| &branch.baseline_sha)
}

/// The branch's newest recorded commit.
pub fn head(state: &BuildState) -> Result<Sha, EngineError> {
    sha(state, |branch| &branch.head_sha)
}

/// The same for the files in the worktree, which may contain an unfinished merge.
pub fn files_base(state: &BuildState) -> Result<Sha, EngineError> {
    match &state.base.conflict {
        Some(open) => Ok(open.found.base_sha.parse().map_err(GitError::from)?),
        None => baseline(state),
    }
}

/// What the files of the current phase are compared with: the branch's head at its start, or a commit
/// of the base branch that was merged later.
pub fn phase_base(state: &BuildState) -> Result<Sha, EngineError> {
    if state.base.conflict.is_some() {
        return files_base(state);
    }
    match state.phase().and_then(|phase| phase.base_sha.as_ref()) {
        Some(base) => Ok(base.parse().map_err(GitError::from)?),
        None => head(state),
    }
}

fn sha(state: &BuildState, which: impl Fn(&BranchStatus) -> &String) -> Result<Sha, EngineError> {
    let branch = state.branch.as_ref().ok_or(EngineError::NotFound("branch"))?;
    Ok(which(branch).parse().map_err(GitError::from)?)
}

/// The event for the publication of the branch.
pub fn pushed(sha: String) -> EventBody {
    Pushed { sha, remote: HOSTED.to_owned() }.into()
}

/// Pushes the branch; `None` if the origin has commits that must be merged first.
pub fn push_or_wait(branch: &BuildBranch) -> Result<Option<Sha>, EngineError> {
    match branch.push() {
        Ok(sha) => Ok(Some(sha)),
        Err(GitError::NonFastForward(_)) if branch.is_behind()? => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The subject of a commit of the build.
pub fn subject(state: &BuildState, what: &str) -> String {
    commit_subject(state.queued.number, state.queued.title.as_deref(), what)
}

/// The events for a commit and the branch after it.
pub fn committed(
    state: &BuildState,
    commit: &git::Commit,
    tree: Sha,
    phase: Option<u32>,
    status: BranchLife,
) -> Vec<EventBody> {
    let sha = commit.sha.to_string();
    let created = CommitCreated {
        sha: sha.clone(),
        title: commit.title.clone(),
        author_kind: AuthorKind::Forge,
        author_name: None,
        files: commit.files as u32,
        insertions: commit.insertions as u32,
        deletions: commit.deletions as u32,
        phase,
        tree_sha: Some(tree.to_string()),
    };
    let mut events = vec![created.into()];
    if let Some(branch) = &state.branch {
        let status = BranchStatus {
            head_sha: sha,
            commit_count: branch.commit_count + 1,
            status,
            ..branch.clone()
        };
        events.push(status.into());
    }
    events
}
