//! What people decided about sealed builds, and the queue of those.

use chrono::{DateTime, Utc};
use domain::{
    ids::{BuildId, Id, ProjectId, ReviewId, UserId},
    review::ReviewDecision,
    verdict::Verdict,
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// One decision. The newest one of a build counts; none is ever changed.
    pub struct Review {
        /// The decision's id.
        pub id: ReviewId,
        /// The build.
        pub build_id: BuildId,
        /// From 1 within the build.
        pub number: u32,
        /// Who decided.
        pub reviewer_id: UserId,
        /// What they are called.
        pub reviewer_name: String,
        /// What they decided.
        pub decision: ReviewDecision,
        /// Why.
        pub reason: String,
        /// When.
        pub created_at: DateTime<Utc>,
    }
}

row! {
    /// A sealed build in the queue.
    pub struct QueuedReview {
        /// The build.
        pub build_id: BuildId,
        /// What was built.
        pub project_id: ProjectId,
        /// What it is called.
        pub project_name: String,
        /// Whose project it is.
        pub owner_id: UserId,
        /// What they are called.
        pub owner_name: String,
        /// Who started the build.
        pub started_by: UserId,
        /// What they are called.
        pub starter_name: String,
        /// The sealed branch.
        pub branch: Option<String>,
        /// The seal's verdict.
        pub verdict: Verdict,
        /// 0 to 100, for the reader.
        pub score: f64,
        /// When it was sealed.
        pub sealed_at: DateTime<Utc>,
        /// The newest decision's id.
        pub review_id: Option<ReviewId>,
        /// The newest decision.
        pub decision: Option<ReviewDecision>,
        /// Who made it.
        pub reviewer_name: Option<String>,
        /// When.
        pub decided_at: Option<DateTime<Utc>>,
        /// Threads that are not settled.
        pub open_comments: u32,
    }
}

/// A decision to be added.
#[derive(Clone, Debug)]
pub struct NewReview<'a> {
    /// The decision's id.
    pub id: ReviewId,
    /// The build.
    pub build_id: BuildId,
    /// One more than the newest that its maker had seen.
    pub number: u32,
    /// Who decides.
    pub reviewer_id: UserId,
    /// What they decide.
    pub decision: ReviewDecision,
    /// Why.
    pub reason: &'a str,
    /// When.
    pub created_at: DateTime<Utc>,
}

macro_rules! queue_text {
    ($columns:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM seals JOIN builds ON builds.id = seals.build_id \
             JOIN projects ON projects.id = builds.project_id AND projects.deleted_at IS NULL \
             JOIN users AS owner ON owner.id = projects.owner_id \
             JOIN users AS starter ON starter.id = builds.started_by \
             LEFT JOIN reviews ON reviews.build_id = builds.id AND reviews.number = \
             (SELECT MAX(r.number) FROM reviews AS r WHERE r.build_id = builds.id) \
             LEFT JOIN users AS reviewer ON reviewer.id = reviews.reviewer_id WHERE ",
            $rest
        )
    };
}

macro_rules! queue_columns {
    ($rest:literal) => {
        queue_text!(
            "builds.id AS build_id, projects.id AS project_id, projects.name AS project_name, \
             owner.id AS owner_id, owner.name AS owner_name, builds.started_by, \
             starter.name AS starter_name, builds.branch, seals.verdict, seals.score, \
             seals.sealed_at, reviews.id AS review_id, reviews.decision, \
             reviewer.name AS reviewer_name, reviews.created_at AS decided_at, \
             (SELECT COUNT(*) FROM review_comments AS c WHERE c.build_id = builds.id \
             AND c.parent_id IS NULL AND c.resolved_at IS NULL) AS open_comments",
            $rest
        )
    };
}

/// Adds a decision. `Error::AlreadyExists` if somebody else decided since.
pub async fn insert(conn: &mut Conn, review: &NewReview<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO reviews \
        (id, build_id, number, reviewer_id, decision, reason, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    execute!(
        conn,
        SQL,
        review.id,
        review.build_id,
        review.number,
        review.reviewer_id,
        review.decision,
        review.reason,
        review.created_at,
    );
    Ok(())
}

/// All decisions about a build, newest first.
pub async fn list(conn: &mut Conn, build: BuildId) -> Result<Vec<Review>> {
    const SQL: &str = "SELECT reviews.id, build_id, number, reviewer_id, \
        users.name AS reviewer_name, decision, reason, reviews.created_at \
        FROM reviews JOIN users ON users.id = reviews.reviewer_id \
        WHERE build_id = $1 ORDER BY number DESC";
    Ok(fetch!(conn, SQL, build))
}

/// The next `limit` sealed builds of everybody before `before`, newest first: those without a
/// decision (`decided` is false), with one, or all.
pub async fn queue(
    conn: &mut Conn,
    decided: Option<bool>,
    before: Option<BuildId>,
    limit: i64,
) -> Result<Vec<QueuedReview>> {
    const SQL: &str = queue_columns!(
        "builds.id < $1 AND ($2 IS NULL OR $2 = (reviews.id IS NOT NULL)) \
         ORDER BY builds.id DESC LIMIT $3"
    );
    let before = before.unwrap_or(BuildId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, before, decided, limit))
}

/// One sealed build as the queue shows it.
pub async fn queued(conn: &mut Conn, build: BuildId) -> Result<Option<QueuedReview>> {
    const SQL: &str = queue_columns!("builds.id = $1");
    Ok(fetch!(conn, SQL, build).pop())
}

/// How many sealed builds nobody has decided about.
pub async fn count_open(conn: &mut Conn) -> Result<u64> {
    const SQL: &str = queue_text!("COUNT(*)", "reviews.id IS NULL");
    let counts: Vec<(u64,)> = fetch!(conn, SQL);
    Ok(counts.first().map_or(0, |(count,)| *count))
}
