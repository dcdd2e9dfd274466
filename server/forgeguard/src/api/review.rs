//! A review as the API returns it: the summary for the queue, and the whole.

use chrono::{DateTime, Utc};
use domain::{
    ids::{BuildId, ProjectId, ReviewCommentId, ReviewId},
    review::{DiffSide, ReviewDecision},
    state::Status,
    suggestion::suggestion_in,
    verdict::Verdict,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{accounts::Person, build::Seal};
use crate::store::{review_comments, reviews};

/// A sealed build in the review queue.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewSummary {
    build_id: BuildId,
    /// The number of the build in its project.
    number: u32,
    /// What it should change, in one line.
    #[schema(required)]
    title: Option<String>,
    project_id: ProjectId,
    project_name: String,
    project_slug: String,
    owner: Person,
    /// Who started the build, and therefore cannot approve it.
    started_by: Person,
    branch: String,
    verdict: Verdict,
    /// 0 to 100, informative only.
    score: u8,
    sealed_at: DateTime<Utc>,
    /// `approved` once enough administrators have approved; null until then.
    #[schema(required)]
    decision: Option<ReviewDecision>,
    /// The administrator who decided last.
    #[schema(required)]
    decided_by: Option<String>,
    /// When the last decision was made.
    #[schema(required)]
    decided_at: Option<DateTime<Utc>>,
    /// Administrators who have approved since changes were last requested.
    approvals: u32,
    /// Administrators who have to approve.
    required_approvals: u32,
    /// Unresolved threads.
    open_comments: u32,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewQueue {
    /// Newest build first.
    pub items: Vec<ReviewSummary>,
    /// The value of `after` for the next page; null at the end.
    #[schema(required)]
    pub next: Option<String>,
    /// All builds without a decision.
    pub open_count: u64,
}

/// A sealed build with everything that a reviewer needs except the diff.
#[derive(Debug, Serialize, ToSchema)]
pub struct Review {
    #[serde(flatten)]
    pub summary: ReviewSummary,
    /// The commit at which the branch starts.
    #[schema(required)]
    pub baseline_sha: Option<String>,
    /// The last commit of the branch.
    #[schema(required)]
    pub head_sha: Option<String>,
    /// Commits since the baseline.
    pub commit_count: u32,
    pub seal: Seal,
    /// Whether the requesting user can approve it: contributors to a build cannot.
    pub may_approve: bool,
    /// Why the requesting user cannot approve it, in a sentence; null otherwise.
    #[schema(required)]
    pub approval_obstacle: Option<String>,
    #[serde(flatten)]
    pub reviews: BuildReviews,
}

/// Decisions and comments on a build.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildReviews {
    /// Newest first. A request for changes invalidates earlier approvals.
    pub decisions: Vec<Decision>,
    /// Administrators who have approved since changes were last requested.
    pub approvals: u32,
    /// Administrators who have to approve.
    pub required_approvals: u32,
    /// Oldest first.
    pub comments: Vec<ReviewComment>,
    /// The sealed build that this one follows.
    #[schema(required)]
    pub follows: Option<BuildId>,
    /// The number of that build.
    #[schema(required)]
    pub follows_number: Option<u32>,
    /// The build that implements the changes requested of this one.
    #[schema(required)]
    pub follow_up: Option<FollowUp>,
    /// Whether the requesting user may start a follow-up now.
    pub may_follow_up: bool,
    /// In the demo project: what its recorded follow-up build changes, whatever is requested.
    #[schema(required)]
    pub recorded_request: Option<&'static str>,
    /// Why no follow-up can be started although changes are requested, such as in a demo project.
    #[schema(required)]
    pub follow_up_obstacle: Option<String>,
}

/// A build that implements the changes requested of a sealed one.
#[derive(Debug, Serialize, ToSchema)]
pub struct FollowUp {
    pub build_id: BuildId,
    /// The number of the build in its project.
    pub number: u32,
    #[schema(required)]
    pub title: Option<String>,
    pub project_id: ProjectId,
    pub project_slug: String,
    pub status: Status,
    /// Who started it, and therefore cannot approve it.
    pub started_by: Person,
    /// When it was queued.
    pub created_at: DateTime<Utc>,
}

/// Decisions and comments on the build that this one follows.
#[derive(Debug, Serialize, ToSchema)]
pub struct EarlierReview {
    /// The preceding build.
    pub build_id: BuildId,
    /// Newest first.
    pub decisions: Vec<Decision>,
    /// Oldest first.
    pub comments: Vec<EarlierComment>,
}

/// A comment on the preceding build, with the current position of its line.
#[derive(Debug, Serialize, ToSchema)]
pub struct EarlierComment {
    #[serde(flatten)]
    pub comment: ReviewComment,
    /// The line's number in the same file of the current build; null if the line no longer exists.
    #[schema(required)]
    pub line_now: Option<u32>,
}

/// A decision on a sealed build. It never changes; a newer one replaces it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReviewDecided)]
pub struct Decision {
    pub id: ReviewId,
    pub reviewer: Person,
    pub decision: ReviewDecision,
    pub reason: String,
    pub created_at: DateTime<Utc>,
}

/// A comment on lines of a sealed build's diff, or a reply.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewComment {
    pub id: ReviewCommentId,
    pub author: Person,
    /// As in the diff.
    pub path: String,
    /// The side of the diff that contains the lines.
    pub side: DiffSide,
    /// The first of several lines; null for a single line.
    #[schema(required)]
    pub first_line: Option<u32>,
    /// The only or last line, from 1.
    pub line: u32,
    /// The text of the lines when the comment was made.
    pub line_text: String,
    pub text: String,
    /// The comment that this replies to; null for the first of a thread.
    #[schema(required)]
    pub parent_id: Option<ReviewCommentId>,
    /// What the text suggests instead of the lines, without the last newline; empty to remove
    /// them.
    #[schema(required)]
    pub suggestion: Option<String>,
    /// When the owner accepted the suggestion, which the follow-up commits first.
    #[schema(required)]
    pub suggestion_accepted_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    /// When the thread was resolved; only set on the first comment of a thread.
    #[schema(required)]
    pub resolved_at: Option<DateTime<Utc>>,
}

impl ReviewSummary {
    pub fn new(row: reviews::QueuedReview, required_approvals: u32) -> Self {
        let is_pending = row.approvals < required_approvals;
        let decision = row
            .decision
            .filter(|decision| *decision == ReviewDecision::ChangesRequested || !is_pending);
        Self {
            branch: row.branch.unwrap_or_default(),
            build_id: row.build_id,
            number: row.number,
            title: row.title,
            project_id: row.project_id,
            project_name: row.project_name,
            project_slug: row.project_slug,
            owner: Person { id: row.owner_id, name: row.owner_name },
            started_by: Person { id: row.started_by, name: row.starter_name },
            verdict: row.verdict,
            score: row.score.clamp(0.0, 100.0) as u8,
            sealed_at: row.sealed_at,
            decision,
            decided_by: row.reviewer_name.filter(|_| decision.is_some()),
            decided_at: row.decided_at.filter(|_| decision.is_some()),
            approvals: row.approvals,
            required_approvals,
            open_comments: row.open_comments,
        }
    }
}

/// The suggested edit of a comment. Removed lines cannot be edited.
pub fn suggestion_of(side: DiffSide, text: &str) -> Option<String> {
    suggestion_in(text).filter(|_| side == DiffSide::New)
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
            first_line: row.first_line,
            line: row.line,
            line_text: row.line_text,
            suggestion: suggestion_of(row.side, &row.text),
            suggestion_accepted_at: row.suggestion_accepted_at,
            text: row.text,
            parent_id: row.parent_id,
            created_at: row.created_at,
            resolved_at: row.resolved_at,
        }
    }
}
