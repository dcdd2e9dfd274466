//! Builds, as the journal derives them.

use chrono::{DateTime, Utc};
use domain::{
    event::branch::BranchLife,
    gate::SandboxLevel,
    ids::{BuildId, Id, ProjectId, SnapshotId, UserId},
    state::Status,
    verdict::Verdict,
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{Sql, execute, fetch, row},
};

row! {
    /// A build without its state: enough for every list and header.
    pub struct Build {
        /// The build's id.
        pub id: BuildId,
        /// What is built.
        pub project_id: ProjectId,
        /// Who started it.
        pub started_by: UserId,
        /// The contracts it pins.
        pub snapshot_batch: Option<SnapshotId>,
        /// The sealed build that it goes on from.
        pub follows: Option<BuildId>,
        /// Where it is in its life.
        pub status: Status,
        /// The verdict, once sealed.
        pub verdict: Option<Verdict>,
        /// Its branch.
        pub branch: Option<String>,
        /// Where the branch began.
        pub baseline_sha: Option<String>,
        /// The newest commit.
        pub head_sha: Option<String>,
        /// Where the branch is in its life.
        pub branch_status: Option<BranchLife>,
        /// Commits on the branch.
        pub commit_count: u32,
        /// The model that works on it.
        pub model: Option<String>,
        /// How its commands are confined.
        pub sandbox_level: Option<SandboxLevel>,
        /// The node that runs or last ran it.
        pub node: Option<String>,
        /// Number of the lease under which it last began or resumed.
        pub attempt: u32,
        /// Number of the newest event; 0 before the first.
        pub head_seq: u64,
        /// Hash of the newest event.
        pub head_hash: String,
        /// How many phases it has.
        pub phase_count: u32,
        /// How many of them are complete.
        pub phases_done: u32,
        /// Errors that are open.
        pub open_errors: u32,
        /// Questions that are open.
        pub open_questions: u32,
        /// Why it is parked, for people.
        pub blocked_reason: Option<String>,
        /// When it was made.
        pub created_at: DateTime<Utc>,
        /// When a worker first began it.
        pub started_at: Option<DateTime<Utc>>,
        /// When it was sealed or abandoned.
        pub finished_at: Option<DateTime<Utc>>,
    }
}

row! {
    /// What an append needs of a build, held against other appends until its transaction ends.
    pub struct Head {
        /// Number of the newest event; 0 before the first.
        pub head_seq: u64,
        /// Hash of the newest event.
        pub head_hash: String,
        /// Where the build is in its life.
        pub status: Status,
        /// The fencing token that counts now; None before the build was queued.
        pub generation: Option<u64>,
    }
}

/// A build before its first event.
#[derive(Clone, Debug)]
pub struct NewBuild<'a> {
    /// The build's id.
    pub id: BuildId,
    /// What is built.
    pub project_id: ProjectId,
    /// Who started it.
    pub started_by: UserId,
    /// The contracts it pins.
    pub snapshot_batch: Option<SnapshotId>,
    /// The sealed build that it goes on from.
    pub follows: Option<BuildId>,
    /// Where it is in its life.
    pub status: Status,
    /// What the first event is chained to.
    pub head_hash: &'a str,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// All that events change of a build's row.
#[derive(Clone, Debug)]
pub struct BuildProjection<'a> {
    /// Number of the newest event.
    pub head_seq: u64,
    /// Hash of the newest event.
    pub head_hash: &'a str,
    /// Where the build is in its life.
    pub status: Status,
    /// The verdict, once sealed.
    pub verdict: Option<Verdict>,
    /// Its branch.
    pub branch: Option<&'a str>,
    /// Where the branch began.
    pub baseline_sha: Option<&'a str>,
    /// The newest commit.
    pub head_sha: Option<&'a str>,
    /// Where the branch is in its life.
    pub branch_status: Option<BranchLife>,
    /// Commits on the branch.
    pub commit_count: u32,
    /// The model that works on it; None leaves the stored one.
    pub model: Option<&'a str>,
    /// How its commands are confined; None leaves the stored one.
    pub sandbox_level: Option<SandboxLevel>,
    /// The node that runs it; None leaves the stored one.
    pub node: Option<&'a str>,
    /// Number of the lease.
    pub attempt: u32,
    /// How many phases it has.
    pub phase_count: u32,
    /// How many of them are complete.
    pub phases_done: u32,
    /// Errors that are open.
    pub open_errors: u32,
    /// Questions that are open.
    pub open_questions: u32,
    /// Why it is parked, for people.
    pub blocked_reason: Option<&'a str>,
    /// When a worker began it; None leaves the stored time.
    pub started_at: Option<DateTime<Utc>>,
    /// When it was sealed or abandoned; None leaves the stored time.
    pub finished_at: Option<DateTime<Utc>>,
}

macro_rules! columns {
    () => {
        "builds.id, builds.project_id, started_by, snapshot_batch, follows, status, verdict, \
         branch, baseline_sha, head_sha, branch_status, commit_count, model, sandbox_level, node, \
         attempt, head_seq, head_hash, phase_count, phases_done, open_errors, open_questions, \
         blocked_reason, builds.created_at, started_at, finished_at"
    };
}

/// One statement for both locks; SQLite's writer has locked everything already. The build comes
/// first, because parking locks in that order too.
macro_rules! lock_head_text {
    ($lock_build:literal, $lock_lease:literal) => {
        concat!(
            "WITH build AS MATERIALIZED (SELECT head_seq, head_hash, status \
             FROM builds WHERE id = $1",
            $lock_build,
            "), lease AS MATERIALIZED (SELECT generation FROM work_items WHERE build_id = $1",
            $lock_lease,
            ") SELECT head_seq, head_hash, status, generation \
             FROM build LEFT JOIN lease ON TRUE"
        )
    };
}

/// Adds a build. `Error::AlreadyExists` if the project has an unfinished one, or the build that it
/// follows has a follow-up that counts.
pub async fn insert(conn: &mut Conn, build: &NewBuild<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO builds \
        (id, project_id, started_by, snapshot_batch, follows, status, head_hash, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    execute!(
        conn,
        SQL,
        build.id,
        build.project_id,
        build.started_by,
        build.snapshot_batch,
        build.follows,
        build.status,
        build.head_hash,
        build.created_at,
    );
    Ok(())
}

/// The build with this id.
pub async fn get(conn: &mut Conn, id: BuildId) -> Result<Option<Build>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM builds WHERE id = $1");
    Ok(fetch!(conn, SQL, id).pop())
}

/// The head of a build's journal. Whoever else asks waits until this transaction ends, and no
/// other worker gets the build's lease before then: the token cannot grow old in between.
pub async fn lock_head(conn: &mut Conn, id: BuildId) -> Result<Option<Head>> {
    const SQL: Sql = Sql {
        sqlite: lock_head_text!("", ""),
        postgres: lock_head_text!(" FOR NO KEY UPDATE", " FOR SHARE"),
    };
    Ok(fetch!(conn, SQL, id).pop())
}

/// Writes what events changed. The caller holds the head.
pub async fn update_projection(
    conn: &mut Conn,
    id: BuildId,
    to: &BuildProjection<'_>,
) -> Result<()> {
    const SQL: &str = "UPDATE builds SET head_seq = $2, head_hash = $3, \
        status = $4, verdict = $5, branch = $6, \
        baseline_sha = $7, head_sha = $8, branch_status = $9, commit_count = $10, \
        model = COALESCE($11, model), sandbox_level = COALESCE($12, sandbox_level), \
        node = COALESCE($13, node), attempt = $14, phase_count = $15, phases_done = $16, \
        open_errors = $17, open_questions = $18, blocked_reason = $19, \
        started_at = COALESCE($20, started_at), finished_at = COALESCE($21, finished_at) \
        WHERE id = $1";
    execute!(
        conn,
        SQL,
        id,
        to.head_seq,
        to.head_hash,
        to.status,
        to.verdict,
        to.branch,
        to.baseline_sha,
        to.head_sha,
        to.branch_status,
        to.commit_count,
        to.model,
        to.sandbox_level,
        to.node,
        to.attempt,
        to.phase_count,
        to.phases_done,
        to.open_errors,
        to.open_questions,
        to.blocked_reason,
        to.started_at,
        to.finished_at,
    );
    Ok(())
}

/// The next `limit` builds of a project made before `before`, newest first.
pub async fn list(
    conn: &mut Conn,
    project: ProjectId,
    before: Option<BuildId>,
    limit: i64,
) -> Result<Vec<Build>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM builds WHERE project_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
    );
    let before = before.unwrap_or(BuildId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, project, before, limit))
}

/// The newest build of each project that a person may see with an id from `first` to `last`: those
/// of one page of projects in one query.
pub async fn newest_of_projects(
    conn: &mut Conn,
    user: UserId,
    first: ProjectId,
    last: ProjectId,
) -> Result<Vec<Build>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM projects JOIN builds ON builds.id = (SELECT b.id FROM builds AS b \
         WHERE b.project_id = projects.id ORDER BY b.id DESC LIMIT 1) \
         WHERE (owner_id = $1 OR EXISTS (SELECT 1 FROM project_viewers \
         WHERE project_viewers.project_id = projects.id AND user_id = $1)) \
         AND projects.id >= $2 AND projects.id <= $3"
    );
    Ok(fetch!(conn, SQL, user, first, last))
}

/// The build that carries out what was requested of this one. One that was abandoned is none.
pub async fn follow_up_of(conn: &mut Conn, id: BuildId) -> Result<Option<Build>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM builds WHERE follows = $1 AND status <> 'abandoned'");
    Ok(fetch!(conn, SQL, id).pop())
}

/// How many builds the project has had.
pub async fn count_of_project(conn: &mut Conn, project: ProjectId) -> Result<u64> {
    let counts: Vec<(u64,)> =
        fetch!(conn, "SELECT COUNT(*) FROM builds WHERE project_id = $1", project);
    Ok(counts.first().map_or(0, |(count,)| *count))
}

/// How many builds have this status, on all nodes.
pub async fn count(conn: &mut Conn, status: Status) -> Result<u64> {
    let counts: Vec<(u64,)> = fetch!(conn, "SELECT COUNT(*) FROM builds WHERE status = $1", status);
    Ok(counts.first().map_or(0, |(count,)| *count))
}
