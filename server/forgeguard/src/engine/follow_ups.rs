//! Builds that implement the changes requested of a sealed one, frozen when they are queued.

use domain::{
    budget_limits::BudgetLimits,
    event::life::Origin,
    follow_up::{Follows, RequestThread, Requests, ThreadComment},
    ids::{BuildId, UserId},
    review::ReviewDecision,
};

use super::{error::EngineError, handle::Engine};
use crate::store::{self, Conn, builds::Build, projects::Project, review_comments, reviews, seals};

impl Engine {
    /// Queues a build that starts from the head of a sealed one and implements what its newest
    /// decision and its open comments request. There is at most one that is not abandoned.
    pub async fn start_follow_up(
        &self,
        project: &Project,
        of: &Build,
        started_by: UserId,
    ) -> Result<BuildId, EngineError> {
        if project.origin == Origin::Demo {
            return Err(EngineError::Scripted);
        }
        let mut conn = self.db().read().await?;
        let task = task(&mut conn, of).await?;
        drop(conn);
        match self.open_build(project, started_by, &BudgetLimits::default(), Some(task)).await {
            // Another request may have been faster.
            Err(EngineError::UnfinishedBuild(other)) => {
                let mut conn = self.db().read().await?;
                let followed = store::builds::follow_up_of(&mut conn, of.id).await?;
                Err(followed.map_or(EngineError::UnfinishedBuild(other), |build| {
                    EngineError::Followed(build.id)
                }))
            }
            opened => opened,
        }
    }
}

async fn task(conn: &mut Conn, of: &Build) -> Result<(Follows, Requests), EngineError> {
    let seal = seals::get(conn, of.id).await?.ok_or(EngineError::NothingToFollow)?;
    let newest = reviews::list(conn, of.id).await?.into_iter().next();
    let newest = newest.filter(|newest| newest.decision == ReviewDecision::ChangesRequested);
    let newest = newest.ok_or(EngineError::NoChangesRequested)?;
    if let Some(build) = store::builds::follow_up_of(conn, of.id).await? {
        return Err(EngineError::Followed(build.id));
    }
    let threads = open_threads(review_comments::list(conn, of.id).await?);
    let follows = Follows { build_id: of.id, head_sha: seal.seal_commit };
    Ok((follows, Requests { reason: newest.reason, threads }))
}

/// The unresolved threads, each with its replies.
fn open_threads(comments: Vec<review_comments::ReviewComment>) -> Vec<RequestThread> {
    let (firsts, answers): (Vec<_>, Vec<_>) =
        comments.into_iter().partition(|comment| comment.parent_id.is_none());
    let open = firsts.into_iter().filter(|first| first.resolved_at.is_none());
    let threads = open.map(|first| {
        let id = first.id;
        let mut thread = RequestThread {
            path: first.path,
            side: first.side,
            line: first.line,
            line_text: first.line_text,
            said: vec![ThreadComment { author: first.author_name, text: first.text }],
        };
        let here = answers.iter().filter(|answer| answer.parent_id == Some(id));
        thread.said.extend(here.map(|answer| ThreadComment {
            author: answer.author_name.clone(),
            text: answer.text.clone(),
        }));
        thread
    });
    threads.collect()
}
