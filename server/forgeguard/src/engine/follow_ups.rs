//! Builds that implement the changes requested of a sealed one, by reviews or at a forge, frozen
//! when they are queued.

use domain::{
    branch_delivery::PullRequestComment,
    budget_limits::{BudgetLimits, Limit},
    event::life::Origin,
    follow_up::{AcceptedSuggestion, Follows, RequestThread, Requests, ThreadComment},
    ids::{BuildId, UserId},
    review::ReviewDecision,
    suggestion::suggestion_in,
};

use super::{
    error::EngineError,
    handle::Engine,
    start::{BuildTask, StartOptions},
};
use crate::{
    journal::AppendError,
    store::{
        self, Conn, branch_deliveries, builds::Build, projects::Project, review_comments, reviews,
        seals,
    },
};

/// What the recorded follow-up build of the demo project changes.
pub const DEMO_REQUEST: &str = "Let `shelf list --out` show only the books that are out.";

impl Engine {
    /// Queues a build that starts from the head of a sealed one and implements what its newest
    /// decision and its open comments request. There is at most one that is not abandoned. In the demo
    /// project it implements [`DEMO_REQUEST`].
    pub async fn start_follow_up(
        &self,
        project: &Project,
        of: &Build,
        started_by: UserId,
    ) -> Result<BuildId, EngineError> {
        let mut conn = self.db().read().await?;
        let task = match project.origin {
            Origin::Demo if of.follows.is_some() => return Err(EngineError::Scripted),
            Origin::Demo => recorded_task(&mut conn, of).await?,
            Origin::Questionnaire => task(&mut conn, of).await?,
        };
        drop(conn);
        self.open_follow_up(project, of, started_by, task).await
    }

    /// Queues a build that starts from the head of a sealed one and implements these comments of its
    /// pull request, by their ids, in addition to what a review requests.
    pub async fn start_follow_up_of_comments(
        &self,
        project: &Project,
        of: &Build,
        comments: &[String],
        started_by: UserId,
    ) -> Result<BuildId, EngineError> {
        let mut conn = self.db().read().await?;
        let task = commented_task(&mut conn, of, comments).await?;
        drop(conn);
        self.open_follow_up(project, of, started_by, task).await
    }

    async fn open_follow_up(
        &self,
        project: &Project,
        of: &Build,
        started_by: UserId,
        task: (Follows, Requests),
    ) -> Result<BuildId, EngineError> {
        let options = StartOptions {
            title: Some(format!("Requested changes to #{}", of.number)),
            limits: self.cost_limits(of).await?,
            ..Default::default()
        };
        let (follows, requests) = (Some(task.0), Some(task.1));
        let task = BuildTask { follows, requests, backlog_item: None };
        match self.open_build(project, started_by, options, task).await {
            // Another request may have been faster.
            Err(
                error @ (EngineError::BuildLimit(_)
                | EngineError::Append(AppendError::AlreadyFollowed)),
            ) => {
                let mut conn = self.db().read().await?;
                let followed = store::builds::follow_up_of(&mut conn, of.id).await?;
                Err(followed.map_or(error, |build| EngineError::Followed(build.display_name())))
            }
            opened => opened,
        }
    }

    /// The limits in dollars and tokens with which a build was started, unless lower ones apply now.
    async fn cost_limits(&self, of: &Build) -> Result<BudgetLimits, EngineError> {
        let state = self.journal().state(of.id).await?;
        let budgets = &state.queued.budgets;
        Ok(BudgetLimits {
            tokens: budgets.tokens.map(Limit::AtMost),
            usd_micros: budgets.usd_micros.map(Limit::AtMost),
            ..BudgetLimits::default()
        })
    }
}

async fn task(conn: &mut Conn, of: &Build) -> Result<(Follows, Requests), EngineError> {
    let follows = open_seal(conn, of).await?;
    let requests = reviewed(conn, of).await?.ok_or(EngineError::NoChangesRequested)?;
    Ok((follows, requests))
}

/// What the newest decision requests, if it requests changes.
async fn reviewed(conn: &mut Conn, of: &Build) -> Result<Option<Requests>, EngineError> {
    let newest = reviews::list(conn, of.id).await?.into_iter().next();
    let newest = newest.filter(|newest| newest.decision == ReviewDecision::ChangesRequested);
    let Some(newest) = newest else { return Ok(None) };
    let comments = review_comments::list(conn, of.id).await?;
    let suggestions = comments.iter().filter_map(accepted_suggestion).collect();
    let threads = open_threads(comments);
    Ok(Some(Requests { reason: newest.reason, threads, suggestions, ..Requests::default() }))
}

/// The comments of the pull request with these ids, and what a review requests.
async fn commented_task(
    conn: &mut Conn,
    of: &Build,
    ids: &[String],
) -> Result<(Follows, Requests), EngineError> {
    let follows = open_seal(conn, of).await?;
    let delivery = branch_deliveries::get(conn, of.id).await?;
    let delivery = delivery.ok_or(EngineError::CommentsChanged)?;
    let stored: Vec<PullRequestComment> = serde_json::from_str(&delivery.pr_comments)?;
    let comments: Vec<PullRequestComment> =
        stored.into_iter().filter(|comment| ids.contains(&comment.id)).collect();
    if comments.len() != ids.len() {
        return Err(EngineError::CommentsChanged);
    }
    let number = delivery.pr_number.unwrap_or_default();
    let requests = reviewed(conn, of).await?.unwrap_or_else(|| Requests {
        reason: format!("Make the changes that the comments on pull request #{number} ask for."),
        ..Requests::default()
    });
    Ok((follows, Requests { comments, ..requests }))
}

async fn recorded_task(conn: &mut Conn, of: &Build) -> Result<(Follows, Requests), EngineError> {
    let requests = Requests { reason: DEMO_REQUEST.to_owned(), ..Requests::default() };
    Ok((open_seal(conn, of).await?, requests))
}

/// The seal of a build without a follow-up.
async fn open_seal(conn: &mut Conn, of: &Build) -> Result<Follows, EngineError> {
    let seal = seals::get(conn, of.id).await?.ok_or(EngineError::NothingToFollow)?;
    if let Some(build) = store::builds::follow_up_of(conn, of.id).await? {
        return Err(EngineError::Followed(build.display_name()));
    }
    Ok(Follows { build_id: of.id, head_sha: seal.seal_commit })
}

/// The edit that a comment suggests, if the owner accepted it.
fn accepted_suggestion(comment: &review_comments::ReviewComment) -> Option<AcceptedSuggestion> {
    Some(AcceptedSuggestion {
        accepted_by: comment.suggestion_accepted_by?,
        text: suggestion_in(&comment.text)?,
        path: comment.path.clone(),
        first_line: comment.first_line,
        line: comment.line,
        suggested_by: comment.author_name.clone(),
    })
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
            first_line: first.first_line,
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
