//! The seal: evidence from the state, the verdict by fixed rules, and the last commit with the hash
//! of the journal's head.

use domain::{
    event::{
        EventBody,
        branch::BranchLife,
        life::{Actor, Sealed},
    },
    rounds, seal,
    state::{BuildState, Status},
};
use git::{Commit, CommitRequest, HostedRepository};

use super::{
    branch::{self, BUILD_TRAILER, push_or_wait},
    driver::Driver,
    error::EngineError,
};
use crate::store::{self, events::EventRow};

/// The trailer that binds the branch to the journal.
pub const HEAD_TRAILER: &str = "Journal-Head";
/// Events that may follow the evidence of a seal without changing it.
const NEUTRAL: [&str; 3] = ["build_resumed", "build_cancel_requested", "build_clock_corrected"];
/// Events searched for the head of an unrecorded seal commit.
const MAX_LOOK_BACK: i64 = 64;

impl Driver {
    /// Commits the seal, pushes it and records the verdict. Pushes are excluded meanwhile: an earlier
    /// push is merged first, and a later one finds that the build has ended.
    pub(super) async fn seal(&self, state: &BuildState) -> Result<(), EngineError> {
        let hosted = self.engine.paths().hosted(self.build_row().await?.project_id);
        let workspace = self.workspace().await?;
        let looked = self.engine.blocking(move || {
            let lock = HostedRepository::open(&hosted)?.lock()?;
            Ok((lock, workspace.branch.is_behind()?))
        });
        let (lock, is_behind) = looked.await?;
        if is_behind {
            return Ok(());
        }
        // The last check: a build whose seal commit is at the origin cannot be cancelled.
        if self.engine.journal().state(self.build()).await?.cancel_requested.is_some() {
            return Ok(());
        }
        let evidence = seal::evidence(state);
        let verdict = seal::verdict(&evidence);
        let (commit, journal_head) = match self.unrecorded_seal(state).await? {
            Some(found) => found,
            None => {
                let newest = self.newest(1).await?.pop();
                let head = newest.map(|row| row.hash).unwrap_or_default();
                let request = self.seal_request(state, verdict.name(), &head);
                (self.commit_seal(request).await?, head)
            }
        };
        self.checked_tree(commit.sha, evidence.tree_sha.as_deref()).await?;
        let workspace = self.workspace().await?;
        if self.engine.blocking(move || push_or_wait(&workspace.branch)).await?.is_none() {
            return Ok(());
        }
        self.record_seal(state, commit, journal_head).await?;
        drop(lock);
        // The build has ended either way; a request for the envelope has it signed later.
        if let Err(error) = self.engine.envelope(self.build()).await {
            tracing::error!(build_id = %self.build(), %error, "the seal was not signed");
        }
        Ok(())
    }

    /// Records a seal commit that is at the origin.
    async fn record_seal(
        &self,
        state: &BuildState,
        commit: Commit,
        journal_head: String,
    ) -> Result<(), EngineError> {
        let evidence = seal::evidence(state);
        let (verdict, score) = (seal::verdict(&evidence), seal::score(&evidence));
        let seal_commit = commit.sha.to_string();
        let tree = self.checked_tree(commit.sha, evidence.tree_sha.as_deref()).await?;
        let mut events: Vec<EventBody> =
            branch::committed(state, &commit, tree, None, BranchLife::Sealed);
        events.push(branch::pushed(seal_commit.clone()));
        let audit_log = store::audit_log::head(&mut self.engine.db().read().await?).await?;
        let audit_log = Some(audit_log);
        let sealed = Sealed { verdict, score, seal_commit, journal_head, evidence, audit_log };
        events.push(sealed.into());
        self.append(events).await.map(drop)
    }

    /// Ends a build that was cancelled during its final gates; it is sealed if its seal commit is at
    /// the origin.
    pub(super) async fn abandon_while_sealing(
        &self,
        state: &BuildState,
        by: Actor,
        reason: Option<String>,
    ) -> Result<(), EngineError> {
        if self.settle_unrecorded_seal(state).await? {
            return Ok(());
        }
        self.append_with(move |state| rounds::abandon(state, by, reason)).await.map(drop)
    }

    /// After a crash or a failure: records a seal commit that is at the origin, and takes back one that
    /// is not. True if the build is sealed now. A commit that is at the origin but contains other
    /// evidence, as events have followed it, stays on the branch; the gates run again on it.
    pub(super) async fn settle_unrecorded_seal(
        &self,
        state: &BuildState,
    ) -> Result<bool, EngineError> {
        let can_exist = matches!(state.status, Status::Sealing | Status::Blocked);
        if !can_exist || !state.branch_ready || state.phase().is_some() {
            return Ok(false);
        }
        let hosted = self.engine.paths().hosted(self.build_row().await?.project_id);
        let (workspace, recorded) = (self.workspace().await?, branch::head(state)?);
        let build = self.build().to_string();
        let looked = self.engine.blocking(move || {
            let branch = &workspace.branch;
            if branch.head()? == recorded {
                return Ok(None);
            }
            let lock = HostedRepository::open(&hosted)?.lock()?;
            let trailers = [(BUILD_TRAILER, build.as_str())];
            let Some(commit) = branch.find_commit_with_trailers(recorded, &trailers)? else {
                return Ok(None);
            };
            if branch.is_pushed(commit.sha)? {
                return Ok(Some(lock));
            }
            // A seal commit changes no files, so those of the worktree stay as they are.
            if commit.parent == Some(recorded) && commit.files == 0 {
                branch.take_back(commit.sha, recorded)?;
            }
            Ok(None)
        });
        let Some(_lock) = looked.await? else { return Ok(false) };
        match self.unrecorded_seal(state).await? {
            Some((commit, journal_head)) if state.status == Status::Sealing => {
                self.record_seal(state, commit, journal_head).await.map(|()| true)
            }
            _ => Ok(false),
        }
    }

    /// Makes the seal commit: the tree of the branch's head again, whatever is in the worktree.
    async fn commit_seal(&self, request: CommitRequest) -> Result<Commit, EngineError> {
        let workspace = self.workspace().await?;
        self.engine.blocking(move || Ok(workspace.branch.commit_unchanged(&request)?)).await
    }

    fn seal_request(&self, state: &BuildState, verdict: &str, journal_head: &str) -> CommitRequest {
        CommitRequest {
            title: branch::subject(state, &format!("sealed — verdict: {verdict}")),
            body: String::new(),
            trailers: vec![
                (BUILD_TRAILER.to_owned(), self.build().to_string()),
                (HEAD_TRAILER.to_owned(), journal_head.to_owned()),
            ],
            at: store::now().timestamp(),
            allow_empty: true,
        }
    }

    /// After a crash: the unrecorded seal commit, with the head it contains. One that was made before
    /// further events contains other evidence, and is ignored.
    pub(super) async fn unrecorded_seal(
        &self,
        state: &BuildState,
    ) -> Result<Option<(Commit, String)>, EngineError> {
        let workspace = self.workspace().await?;
        let recorded = branch::head(state)?;
        let mut hashes = Vec::new();
        for row in self.newest(MAX_LOOK_BACK).await?.into_iter().rev() {
            let is_neutral = NEUTRAL.contains(&row.kind.as_str());
            hashes.push(row.hash);
            if !is_neutral {
                break;
            }
        }
        let build = self.build().to_string();
        self.engine
            .blocking(move || {
                if workspace.branch.head()? == recorded {
                    return Ok(None);
                }
                for hash in hashes {
                    let trailers = [(BUILD_TRAILER, build.as_str()), (HEAD_TRAILER, hash.as_str())];
                    let found = workspace.branch.find_commit_with_trailers(recorded, &trailers)?;
                    if let Some(commit) = found {
                        return Ok(Some((commit, hash)));
                    }
                }
                Ok(None)
            })
            .await
    }

    /// The newest events, oldest first.
    pub(super) async fn newest(&self, count: i64) -> Result<Vec<EventRow>, EngineError> {
        let mut conn = self.engine.db().read().await?;
        Ok(store::events::before(&mut conn, self.build(), None, count).await?)
    }
}
