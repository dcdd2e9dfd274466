//! One attempt to deliver a build. Each step finds what an earlier attempt has done: a branch that is
//! at the remote is not pushed again, and a branch that has a pull request gets no second one.

use domain::{
    branch_delivery::{DeliveryState, PullRequestComment, PullRequestState as RowState, next_look},
    remote::RemoteProblem,
    verdict::{Evidence, Verdict},
};
use forge::{
    Checks, CommitState, CommitStatus, Forge, ForgeError, NewPullRequest, Opened, PullRequest,
    PullRequestState, Retry, ReviewComment,
};
use git::{BuildBranchName, Sha};
use tokio_util::sync::CancellationToken;

use super::{body, failure::Failure};
use crate::{
    engine::{error::EngineError, handle::Engine, settings::ProjectSettings},
    store::{
        self,
        branch_deliveries::{self, BranchDelivery, CheckCounts, Lease, PullRequestRow, Reactions},
        builds::Build,
        projects::Project,
        remotes::Remote,
        seals::Seal,
    },
    text,
};

/// Comments of a pull request that are stored.
const MAX_COMMENTS: usize = 200;
const MAX_COMMENT_BYTES: usize = 10_000;

/// A build to be delivered, and what it is delivered to.
pub(super) struct Attempt {
    pub engine: Engine,
    pub lease: Lease,
    /// Cancelled by shutdown, or the loss of the lease.
    pub stop: CancellationToken,
    pub delivery: BranchDelivery,
    pub build: Build,
    pub project: Project,
    pub settings: ProjectSettings,
    pub seal: Seal,
    pub remote: Remote,
    /// The build's page.
    pub link: String,
}

/// Why an attempt ended early.
pub(super) enum Ended {
    /// The next holder of the lease continues.
    Stopped,
    /// In this state if it is not retried.
    Failed(DeliveryState, Failure),
    Error(EngineError),
}

impl From<EngineError> for Ended {
    fn from(error: EngineError) -> Self {
        Self::Error(error)
    }
}

impl From<store::Error> for Ended {
    fn from(error: store::Error) -> Self {
        Self::Error(error.into())
    }
}

impl Attempt {
    /// Pushes the branch and opens the pull request.
    pub async fn deliver(&self) -> Result<(), Ended> {
        self.begin(DeliveryState::Pushing).await?;
        self.push().await?;
        self.begin(DeliveryState::Opening).await?;
        let no_pr = |failure| Ended::Failed(DeliveryState::NoPr, failure);
        let forge = self.forge().await.map_err(no_pr)?;
        let pull = self.open(&forge).await?;
        self.store(&pull, None).await?;
        // From here on the pull request exists, and what its forge rejects is only noted.
        let notes = [
            self.label(&forge, &pull).await?,
            self.ask_reviewers(&forge, &pull).await?,
            self.set_status(&forge).await?,
        ];
        let notes = notes.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let (now, mut tx) = (store::now(), self.engine.db().write().await?);
        let note = (!notes.is_empty()).then_some(notes.as_str());
        let is_held = branch_deliveries::set_delivered(&mut tx, &self.lease, note, now).await?;
        tx.commit().await?;
        if is_held { Ok(()) } else { Err(Ended::Stopped) }
    }

    /// Reads the state of the pull request, its checks and comments, and schedules the next time.
    pub async fn look(&self, number: u64) -> Result<(), Ended> {
        let failed = |failure| Ended::Failed(DeliveryState::Delivered, failure);
        let forge = self.forge().await.map_err(failed)?;
        let look = async {
            let pull = forge.get(number).await?;
            let checks = forge.checks(&self.seal.seal_commit).await?;
            // The state of a pull request is read from forges that do not return comments, too.
            let comments = match forge.review_comments(number).await {
                Err(error) if error.retry() == Retry::Never => {
                    tracing::info!(build_id = %self.build.id, %error, "comments cannot be read");
                    None
                }
                comments => Some(comments?),
            };
            Ok::<_, ForgeError>((pull, checks, comments))
        };
        let (pull, checks, comments) =
            self.unless_stopped(look).await?.map_err(|error| failed(Failure::forge(&error)))?;
        self.store(&pull, Some(reactions(checks, comments)?)).await?;
        let now = store::now();
        let since = now - self.delivery.delivered_at.unwrap_or(now);
        let next = next_look(since).filter(|_| pull.state == PullRequestState::Open);
        let mut tx = self.engine.db().write().await?;
        match next {
            Some(wait) => {
                branch_deliveries::set_read(&mut tx, &self.lease, now, now + wait).await?
            }
            None => {
                let state = DeliveryState::Delivered;
                branch_deliveries::finish(&mut tx, &self.lease, state, None, now).await?
            }
        };
        Ok(tx.commit().await?)
    }

    async fn begin(&self, state: DeliveryState) -> Result<(), Ended> {
        let mut tx = self.engine.db().write().await?;
        let is_held = branch_deliveries::begin(&mut tx, &self.lease, state, store::now()).await?;
        tx.commit().await?;
        if is_held { Ok(()) } else { Err(Ended::Stopped) }
    }

    /// Pushes the sealed commit to the build's branch, which moves only forward.
    async fn push(&self) -> Result<(), Ended> {
        let name = self.build.branch.as_deref().unwrap_or_default();
        let branch: BuildBranchName = name.parse().map_err(EngineError::Git)?;
        let commit = self.seal.seal_commit.parse::<Sha>();
        let commit = commit.map_err(|_| EngineError::NotFound("seal commit"))?;
        let stopped = self.stop.cancelled();
        match self.engine.push_to_remote(&self.project, commit, &branch, stopped).await {
            Ok(()) => Ok(()),
            Err(error) if error.problem == RemoteProblem::Cancelled => Err(Ended::Stopped),
            Err(error) => Err(Ended::Failed(DeliveryState::Failed, Failure::push(error))),
        }
    }

    async fn forge(&self) -> Result<Forge, Failure> {
        self.engine.forge(&self.project, &self.remote).await.map_err(Failure::access)
    }

    /// The pull request that is stored or that the branch has; otherwise a new one.
    async fn open(&self, forge: &Forge) -> Result<PullRequest, Ended> {
        let failed = |error: ForgeError| Ended::Failed(DeliveryState::NoPr, Failure::forge(&error));
        if let Some(number) = self.delivery.pr_number {
            return self.unless_stopped(forge.get(number)).await?.map_err(failed);
        }
        let state = self.engine.journal().state(self.build.id).await.map_err(EngineError::from)?;
        let evidence: Evidence =
            serde_json::from_str(&self.seal.evidence).map_err(EngineError::Envelope)?;
        let (build, project, seal) = (&self.build, &self.project, &self.seal);
        let text = body::body(&state, build, project, seal, &evidence, &self.link)
            .map_err(EngineError::Prompt)?;
        let base = self.remote.default_branch.as_deref().unwrap_or(&self.project.default_branch);
        let new = NewPullRequest {
            title: &body::title(build),
            body: &text,
            head: build.branch.as_deref().unwrap_or_default(),
            base,
            draft: self.settings.delivery.is_draft(seal.verdict),
        };
        let opened = self.unless_stopped(forge.open(&new)).await?.map_err(failed)?;
        Ok(match opened {
            Opened::New(pull) | Opened::Found(pull) => pull,
        })
    }

    async fn label(&self, forge: &Forge, pull: &PullRequest) -> Result<Option<String>, Ended> {
        let labels = &self.settings.delivery.labels;
        if labels.is_empty() {
            return Ok(None);
        }
        let outcome = self.unless_stopped(forge.add_labels(pull.number, labels)).await?;
        noted("The labels could not be set", outcome)
    }

    async fn ask_reviewers(
        &self,
        forge: &Forge,
        pull: &PullRequest,
    ) -> Result<Option<String>, Ended> {
        let reviewers = &self.settings.delivery.reviewers;
        if reviewers.is_empty() {
            return Ok(None);
        }
        let outcome = self.unless_stopped(forge.request_reviews(pull.number, reviewers)).await?;
        noted("The reviewers could not be asked", outcome)
    }

    /// The verdict as the status of the sealed commit. Only a flagged build has failed: what is open
    /// in a conditional one does not block.
    async fn set_status(&self, forge: &Forge) -> Result<Option<String>, Ended> {
        let state = match self.seal.verdict {
            Verdict::Certified | Verdict::Conditional => CommitState::Success,
            Verdict::Flagged => CommitState::Failure,
        };
        let description = format!("{}, score {} of 100", self.seal.verdict.name(), self.seal.score);
        let status = CommitStatus { state, description: &description, target_url: &self.link };
        let outcome =
            self.unless_stopped(forge.set_status(&self.seal.seal_commit, &status)).await?;
        noted("The status of the commit could not be set", outcome)
    }

    /// Stores the pull request before anything else is done with it.
    async fn store(&self, pull: &PullRequest, seen: Option<Reactions>) -> Result<(), Ended> {
        let row = PullRequestRow {
            number: pull.number,
            url: pull.url.clone(),
            state: match pull.state {
                PullRequestState::Open => RowState::Open,
                PullRequestState::Merged => RowState::Merged,
                PullRequestState::Closed => RowState::Closed,
            },
            draft: pull.draft,
        };
        let mut tx = self.engine.db().write().await?;
        let now = store::now();
        let mut is_held =
            branch_deliveries::set_pull_request(&mut tx, &self.lease, &row, now).await?;
        if let Some(seen) = seen {
            is_held &= branch_deliveries::set_reactions(&mut tx, &self.lease, &seen).await?;
        }
        tx.commit().await?;
        if is_held { Ok(()) } else { Err(Ended::Stopped) }
    }

    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, Ended> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Ended::Stopped),
            done = work => Ok(done),
        }
    }
}

fn reactions(checks: Checks, comments: Option<Vec<ReviewComment>>) -> Result<Reactions, Ended> {
    let stored = |ReviewComment { id, author, path, line, body }| {
        let text = text::head(&body, MAX_COMMENT_BYTES).to_owned();
        PullRequestComment { id, author, path, line, text }
    };
    // The newest come last.
    let newest = |found: Vec<ReviewComment>| {
        let older = found.len().saturating_sub(MAX_COMMENTS);
        found.into_iter().skip(older).map(stored).collect::<Vec<_>>()
    };
    let comments = comments.map(newest).map(|found| serde_json::to_string(&found)).transpose();
    let Checks { passed, failed, pending } = checks;
    Ok(Reactions {
        checks: CheckCounts { passed, failed, pending },
        comments: comments.map_err(EngineError::from)?,
    })
}

/// A sentence about what the forge rejected; failures that may pass end the attempt.
fn noted(what: &str, outcome: Result<(), ForgeError>) -> Result<Option<String>, Ended> {
    match outcome {
        Ok(()) => Ok(None),
        Err(error) if error.retry() == Retry::Never => Ok(Some(format!("{what}: {error}."))),
        Err(error) => {
            let failure = Failure::forge(&error);
            Err(Ended::Failed(DeliveryState::Delivered, failure))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_comments_are_stored() {
        let comment = |number: usize| ReviewComment {
            id: format!("comment-{number}"),
            author: "alex".to_owned(),
            path: None,
            line: None,
            body: "Why?".to_owned(),
        };
        let found: Vec<_> = (0..MAX_COMMENTS + 5).map(comment).collect();
        let Ok(seen) = reactions(Checks::default(), Some(found)) else { panic!("they are stored") };
        let stored: Vec<PullRequestComment> =
            serde_json::from_str(&seen.comments.unwrap()).unwrap();
        assert_eq!((stored.len(), stored[0].id.as_str()), (MAX_COMMENTS, "comment-5"));
    }
}
