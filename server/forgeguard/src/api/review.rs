//! A review as the API shows it: the line of the queue, and the whole.

use chrono::{DateTime, Utc};
use domain::{
    ids::{BuildId, ProjectId, ReviewCommentId, ReviewId},
    review::{DiffSide, ReviewDecision},
    state::Status,
    verdict::Verdict,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{build::Seal, person::Person};
use crate::store::{review_comments, reviews};

/// A sealed build in the queue.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewSummary {
    /// The build.
    build_id: BuildId,
    /// What was built.
    project_id: ProjectId,
    /// What it is called.
    project_name: String,
    /// Whose project it is.
    owner: Person,
    /// Who started the build, and so cannot approve it.
    started_by: Person,
    /// The sealed branch.
    branch: String,
    /// The seal's verdict.
    verdict: Verdict,
    /// 0 to 100, for the reader; it decides nothing.
    score: u8,
    /// When it was sealed.
    sealed_at: DateTime<Utc>,
    /// The newest decision, once there is one.
    #[schema(required)]
    decision: Option<ReviewDecision>,
    /// Who made it.
    #[schema(required)]
    decided_by: Option<String>,
    /// When.
    #[schema(required)]
    decided_at: Option<DateTime<Utc>>,
    /// Threads that are not settled.
    open_comments: u32,
}

/// A page of the queue.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewQueue {
    /// Newest build first.
    pub items: Vec<ReviewSummary>,
    /// What to send as `after` for the next page; null at the end.
    #[schema(required)]
    pub next: Option<String>,
    /// All builds that nobody has decided about.
    pub open_count: u64,
}

/// A sealed build with all that a reviewer needs beside its diff.
#[derive(Debug, Serialize, ToSchema)]
pub struct Review {
    /// The short form.
    #[serde(flatten)]
    pub summary: ReviewSummary,
    /// The commit that the branch began from.
    #[schema(required)]
    pub baseline_sha: Option<String>,
    /// The last commit of the branch.
    #[schema(required)]
    pub head_sha: Option<String>,
    /// Commits since the baseline.
    pub commit_count: u32,
    /// What the verdict rests on.
    pub seal: Seal,
    /// Whether you may approve it: nobody approves what they started.
    pub may_approve: bool,
    /// What was decided and said.
    #[serde(flatten)]
    pub said: BuildReviews,
}

/// What was decided and said about a build.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildReviews {
    /// Newest first: the first one counts.
    pub decisions: Vec<Decision>,
    /// In the order they were made.
    pub comments: Vec<ReviewComment>,
    /// The sealed build that this one goes on from.
    #[schema(required)]
    pub follows: Option<BuildId>,
    /// The build that carries out what was requested of this one.
    #[schema(required)]
    pub follow_up: Option<FollowUp>,
    /// Whether you may start such a build now.
    pub may_follow_up: bool,
}

/// A build that carries out what was requested of a sealed one.
#[derive(Debug, Serialize, ToSchema)]
pub struct FollowUp {
    /// The build.
    pub build_id: BuildId,
    /// What is built.
    pub project_id: ProjectId,
    /// Where it is in its life.
    pub status: Status,
    /// Who started it, and so cannot approve it.
    pub started_by: Person,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// What was decided and said about the build that a build follows.
#[derive(Debug, Serialize, ToSchema)]
pub struct EarlierReview {
    /// The build before.
    pub build_id: BuildId,
    /// Newest first.
    pub decisions: Vec<Decision>,
    /// In the order they were made.
    pub comments: Vec<EarlierComment>,
}

/// A comment of the review before, with where its line is now.
#[derive(Debug, Serialize, ToSchema)]
pub struct EarlierComment {
    /// The comment as it was made.
    #[serde(flatten)]
    pub comment: ReviewComment,
    /// The line's number in the same file as it is sealed now; null where the line is gone.
    #[schema(required)]
    pub line_now: Option<u32>,
}

/// A decision about a sealed build. It is never changed: a newer one takes its place.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReviewDecided)]
pub struct Decision {
    /// Its id.
    pub id: ReviewId,
    /// Who decided.
    pub reviewer: Person,
    /// What.
    pub decision: ReviewDecision,
    /// Why.
    pub reason: String,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// A comment on a line of a sealed build's diff, or an answer to one.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewComment {
    /// Its id.
    id: ReviewCommentId,
    /// Who said it.
    author: Person,
    /// The file, as the diff names it.
    path: String,
    /// Which of the diff's two files the line stands in.
    side: DiffSide,
    /// The line's number there, from 1.
    line: u32,
    /// The line itself, as it was.
    line_text: String,
    /// What was said.
    text: String,
    /// The comment that this answers; null for the first of a thread.
    #[schema(required)]
    parent_id: Option<ReviewCommentId>,
    /// When it was said.
    created_at: DateTime<Utc>,
    /// When the thread was settled; only the first of a thread has it.
    #[schema(required)]
    resolved_at: Option<DateTime<Utc>>,
}

impl From<reviews::QueuedReview> for ReviewSummary {
    fn from(row: reviews::QueuedReview) -> Self {
        Self {
            branch: row.branch.unwrap_or_else(|| format!("forge/build-{}", row.build_id)),
            build_id: row.build_id,
            project_id: row.project_id,
            project_name: row.project_name,
            owner: Person { id: row.owner_id, name: row.owner_name },
            started_by: Person { id: row.started_by, name: row.starter_name },
            verdict: row.verdict,
            score: row.score.clamp(0.0, 100.0) as u8,
            sealed_at: row.sealed_at,
            decision: row.decision,
            decided_by: row.reviewer_name,
            decided_at: row.decided_at,
            open_comments: row.open_comments,
        }
    }
}

impl From<reviews::Review> for Decision {
    fn from(row: reviews::Review) -> Self {
        let reviewer = Person { id: row.reviewer_id, name: row.reviewer_name };
        let reviews::Review { id, decision, reason, created_at, .. } = row;
        Self { id, reviewer, decision, reason, created_at }
    }
}

impl From<review_comments::ReviewComment> for ReviewComment {
    fn from(row: review_comments::ReviewComment) -> Self {
        Self {
            id: row.id,
            author: Person { id: row.author_id, name: row.author_name },
            path: row.path,
            side: row.side,
            line: row.line,
            line_text: row.line_text,
            text: row.text,
            parent_id: row.parent_id,
            created_at: row.created_at,
            resolved_at: row.resolved_at,
        }
    }
}
