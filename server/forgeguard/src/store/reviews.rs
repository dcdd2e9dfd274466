//! Decisions about sealed builds, and the queue of builds to be reviewed.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    ids::{BuildId, Id, ProjectId, ReviewId, UserId},
    review::{ReviewDecision, ReviewProgress},
    verdict::Verdict,
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A decision. The newest one of a build counts; decisions are never changed.
    pub struct Review {
        pub id: ReviewId,
        pub build_id: BuildId,
        /// From 1 within the build.
        pub number: u32,
        pub reviewer_id: UserId,
        pub reviewer_name: String,
        pub decision: ReviewDecision,
        pub reason: String,
        pub created_at: DateTime<Utc>,
    }
}

row! {
    /// The newest decision about a build.
    pub struct NewestDecision {
        pub build_id: BuildId,
        pub decision: ReviewDecision,
        /// Since changes were last requested.
        pub approvals: u64,
    }
}

row! {
    /// A sealed build in the queue.
    pub struct QueuedReview {
        pub build_id: BuildId,
        pub project_id: ProjectId,
        pub project_name: String,
        pub project_slug: String,
        pub number: u32,
        pub title: Option<String>,
        pub owner_id: UserId,
        pub owner_name: String,
        pub started_by: UserId,
        pub starter_name: String,
        pub branch: Option<String>,
        pub verdict: Verdict,
        /// 0 to 100, for display only.
        pub score: f64,
        pub sealed_at: DateTime<Utc>,
        /// The newest decision.
        pub review_id: Option<ReviewId>,
        pub decision: Option<ReviewDecision>,
        pub reviewer_name: Option<String>,
        pub decided_at: Option<DateTime<Utc>>,
        /// The number of reviewers who approved since changes were last requested.
        pub approvals: u32,
        /// The number of unresolved threads.
        pub open_comments: u32,
    }
}

#[derive(Clone, Debug)]
pub struct NewReview<'a> {
    pub id: ReviewId,
    pub build_id: BuildId,
    /// One more than the newest decision that the reviewer has seen.
    pub number: u32,
    pub reviewer_id: UserId,
    pub decision: ReviewDecision,
    pub reason: &'a str,
    pub created_at: DateTime<Utc>,
}

/// The number of reviewers who approved since changes were last requested.
macro_rules! approvals {
    () => {
        "(SELECT COUNT(DISTINCT a.reviewer_id) FROM reviews AS a WHERE a.build_id = builds.id \
         AND a.decision = 'approved' AND a.number > COALESCE((SELECT MAX(c.number) \
         FROM reviews AS c WHERE c.build_id = builds.id AND c.decision = 'changes_requested'), 0))"
    };
}

/// Whether the build of a row is decided: changes are requested, or `$n` reviewers approved.
macro_rules! is_decided {
    ($required:literal) => {
        concat!(
            "(reviews.id IS NOT NULL AND (reviews.decision = 'changes_requested' OR ",
            approvals!(),
            " >= ",
            $required,
            "))"
        )
    };
}

macro_rules! queue_text {
    ($columns:expr, $rest:expr) => {
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
    ($rest:expr) => {
        queue_text!(
            concat!(
                "builds.id AS build_id, projects.id AS project_id, projects.name AS project_name, \
             projects.slug AS project_slug, builds.number, builds.title, \
             owner.id AS owner_id, owner.name AS owner_name, builds.started_by, \
             starter.name AS starter_name, builds.branch, seals.verdict, seals.score, \
             seals.sealed_at, reviews.id AS review_id, reviews.decision, \
             reviewer.name AS reviewer_name, reviews.created_at AS decided_at, ",
                approvals!(),
                " AS approvals, \
             (SELECT COUNT(*) FROM review_comments AS c WHERE c.build_id = builds.id \
             AND c.parent_id IS NULL AND c.resolved_at IS NULL) AS open_comments"
            ),
            $rest
        )
    };
}

pub(super) use {approvals, is_decided};

/// Adds a decision. `Error::AlreadyExists` if there is another one since.
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

/// The reviews of the builds with a decision, of the projects with an id from `first` to `last`;
/// `required` is the number of approvals needed.
pub async fn progress(
    conn: &mut Conn,
    first: ProjectId,
    last: ProjectId,
    required: u32,
) -> Result<BTreeMap<BuildId, ReviewProgress>> {
    const SQL: &str = concat!(
        "SELECT reviews.build_id, decision, ",
        approvals!(),
        " AS approvals FROM reviews JOIN builds ON builds.id = reviews.build_id \
         WHERE builds.project_id >= $1 AND builds.project_id <= $2 AND reviews.number = \
         (SELECT MAX(r.number) FROM reviews AS r WHERE r.build_id = reviews.build_id)"
    );
    let rows: Vec<NewestDecision> = fetch!(conn, SQL, first, last);
    let progress = |NewestDecision { build_id, decision, approvals }| {
        (build_id, ReviewProgress::new(Some(decision), approvals, required))
    };
    Ok(rows.into_iter().map(progress).collect())
}

/// The next `limit` sealed builds of all users with an id below `before`, newest first: undecided
/// ones (`decided` is false), decided ones, or all. `required` is the number of approvals needed.
pub async fn queue(
    conn: &mut Conn,
    decided: Option<bool>,
    required: u32,
    before: Option<BuildId>,
    limit: i64,
) -> Result<Vec<QueuedReview>> {
    const SQL: &str = queue_columns!(concat!(
        "builds.id < $1 AND ($2 IS NULL OR $2 = ",
        is_decided!("$4"),
        ") ORDER BY builds.id DESC LIMIT $3"
    ));
    let before = before.unwrap_or(BuildId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, before, decided, limit, required))
}

/// One sealed build as in the queue.
pub async fn queued(conn: &mut Conn, build: BuildId) -> Result<Option<QueuedReview>> {
    const SQL: &str = queue_columns!("builds.id = $1");
    Ok(fetch!(conn, SQL, build).pop())
}

/// The number of undecided sealed builds; `required` is the number of approvals needed.
pub async fn count_open(conn: &mut Conn, required: u32) -> Result<u64> {
    const SQL: &str = queue_text!("COUNT(*)", concat!("NOT ", is_decided!("$1")));
    let counts: Vec<(u64,)> = fetch!(conn, SQL, required);
    Ok(counts.first().map_or(0, |(count,)| *count))
}
