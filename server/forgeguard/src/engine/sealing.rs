//! The seal: evidence from the state, the verdict by the rules, and the last commit that carries
//! the journal's head.

use domain::{
    event::{EventBody, branch::BranchLife, life::Sealed},
    seal,
    state::BuildState,
};
use git::{CommitRequest, HostedRepository};

use super::{
    branch::{self, BUILD_TRAILER, push_or_wait},
    driver::Driver,
    error::EngineError,
};
use crate::store::{self, events::EventRow};

/// The trailer that binds the branch to the journal.
pub const HEAD_TRAILER: &str = "Journal-Head";
/// What a worker writes that picks a build up, before it does anything.
const RESUMED: &str = "build_resumed";
/// Workers that may have come and gone since a seal commit was made that is not recorded.
const LOOK_BACK: i64 = 64;

impl Driver {
    /// Commits the seal, pushes it and records the verdict. Nobody can push meanwhile: whoever
    /// pushes before it is taken in first, and whoever comes after it finds a build that has ended.
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
        let evidence = seal::evidence(state);
        let verdict = seal::verdict(&evidence);
        let score = seal::score(&evidence);
        let (commit, journal_head) = match self.unrecorded_seal(state).await? {
            Some(found) => found,
            None => {
                let newest = self.newest(1).await?.pop();
                let head = newest.map(|row| row.hash).unwrap_or_default();
                let request = self.seal_request(verdict.name(), &head);
                (self.commit(state, request).await?, head)
            }
        };
        let workspace = self.workspace().await?;
        if self.engine.blocking(move || push_or_wait(&workspace.branch)).await?.is_none() {
            return Ok(());
        }
        let seal_commit = commit.sha.to_string();
        let mut events: Vec<EventBody> =
            branch::committed(state, &commit, None, BranchLife::Sealed);
        events.push(branch::pushed(seal_commit.clone()));
        events.push(Sealed { verdict, score, seal_commit, journal_head, evidence }.into());
        self.append(events).await?;
        drop(lock);
        // The build is over either way; who asks for the envelope has it signed then.
        if let Err(error) = self.engine.envelope(self.build()).await {
            tracing::error!(build_id = %self.build(), %error, "the seal was not signed");
        }
        Ok(())
    }

    fn seal_request(&self, verdict: &str, journal_head: &str) -> CommitRequest {
        CommitRequest {
            title: format!("sealed — verdict: {verdict}"),
            body: String::new(),
            trailers: vec![
                (BUILD_TRAILER.to_owned(), self.build().to_string()),
                (HEAD_TRAILER.to_owned(), journal_head.to_owned()),
            ],
            at: store::now().timestamp(),
            allow_empty: true,
        }
    }

    /// After a crash: the seal commit that was made and not recorded, with the head it carries.
    /// One that was made before anything else happened tells of other evidence, and is left.
    pub(super) async fn unrecorded_seal(
        &self,
        state: &BuildState,
    ) -> Result<Option<(git::Commit, String)>, EngineError> {
        let workspace = self.workspace().await?;
        let recorded = branch::head(state)?;
        let mut hashes = Vec::new();
        for row in self.newest(LOOK_BACK).await?.into_iter().rev() {
            let only_picked_up = row.kind == RESUMED;
            hashes.push(row.hash);
            if !only_picked_up {
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
    async fn newest(&self, count: i64) -> Result<Vec<EventRow>, EngineError> {
        let mut conn = self.engine.db().read().await?;
        Ok(store::events::before(&mut conn, self.build(), None, count).await?)
    }
}
