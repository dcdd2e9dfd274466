//! Builds, derived from the journal.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    event::branch::BranchLife,
    gate::SandboxLevel,
    ids::{BuildId, Id, ProjectId, SnapshotId, UserId},
    state::Status,
    verdict::Verdict,
};
use sqlx::{postgres::PgRow, sqlite::SqliteRow};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    projects::{self, Project, viewable},
    statement::{Record, Sql, execute, fetch, row},
};

row! {
    /// A build without its folded state, for lists and headers.
    pub struct Build {
        pub id: BuildId,
        pub project_id: ProjectId,
        /// In its project, from 1.
        pub number: u32,
        pub started_by: UserId,
        /// The contracts that it pins.
        pub snapshot_batch: Option<SnapshotId>,
        /// The sealed build that it follows up on.
        pub follows: Option<BuildId>,
        /// What it should change, in one line.
        pub title: Option<String>,
        pub status: Status,
        /// Set when it is sealed.
        pub verdict: Option<Verdict>,
        pub branch: Option<String>,
        /// The commit that the branch started from.
        pub baseline_sha: Option<String>,
        /// The newest commit.
        pub head_sha: Option<String>,
        pub branch_status: Option<BranchLife>,
        /// On the branch.
        pub commit_count: u32,
        pub model: Option<String>,
        pub sandbox_level: Option<SandboxLevel>,
        /// The node that runs it or ran it last.
        pub node: Option<String>,
        /// Number of the lease under which it was last started or resumed.
        pub attempt: u32,
        /// Number of the newest event; 0 before the first.
        pub head_seq: u64,
        /// Hash of the newest event.
        pub head_hash: String,
        pub phase_count: u32,
        pub phases_done: u32,
        pub open_errors: u32,
        pub open_questions: u32,
        /// For display.
        pub blocked_reason: Option<String>,
        pub created_at: DateTime<Utc>,
        /// The time at which a worker first started it.
        pub started_at: Option<DateTime<Utc>>,
        /// The time at which it was sealed or abandoned.
        pub finished_at: Option<DateTime<Utc>>,
    }
}

row! {
    /// The part of a build that an append needs.
    pub struct Head {
        /// Number of the newest event; 0 before the first.
        pub head_seq: u64,
        /// The current fence; None before the build was queued, or if it was not asked for.
        pub fence: Option<u64>,
        /// Whether a worker can claim the build; false if that was not asked for.
        pub can_be_claimed: bool,
    }
}

impl Build {
    /// Such as `#3 Due dates`.
    pub fn display_name(&self) -> String {
        match &self.title {
            Some(title) => format!("#{} {title}", self.number),
            None => format!("#{}", self.number),
        }
    }
}

impl Record for (Build, Project) {
    fn sqlite(row: &SqliteRow) -> Result<Self> {
        Ok((Record::sqlite(row)?, Record::sqlite(row)?))
    }

    fn postgres(row: &PgRow) -> Result<Self> {
        Ok((Record::postgres(row)?, Record::postgres(row)?))
    }
}

/// A build before its first event.
#[derive(Clone, Debug)]
pub struct NewBuild<'a> {
    pub id: BuildId,
    pub project_id: ProjectId,
    /// In its project, from 1.
    pub number: u32,
    /// Below the number of builds that its project may have under way, and free.
    pub slot: u32,
    pub started_by: UserId,
    /// The contracts that it pins.
    pub snapshot_batch: Option<SnapshotId>,
    /// The sealed build that it follows up on.
    pub follows: Option<BuildId>,
    /// What it should change, in one line.
    pub title: Option<&'a str>,
    pub status: Status,
    /// The hash that the first event is chained to.
    pub head_hash: &'a str,
    pub created_at: DateTime<Utc>,
}

macro_rules! columns {
    () => {
        "builds.id, builds.project_id, builds.number, started_by, snapshot_batch, follows, builds.title, status, \
         verdict, branch, baseline_sha, head_sha, branch_status, commit_count, model, sandbox_level, node, \
         attempt, head_seq, head_hash, phase_count, phases_done, open_errors, open_questions, \
         blocked_reason, builds.created_at, started_at, finished_at"
    };
}

/// One statement for both locks; SQLite's single writer has locked everything already. The build is
/// locked first, as in parking.
macro_rules! lock_with_lease_text {
    ($lock:literal) => {
        concat!(
            "WITH build AS MATERIALIZED (SELECT head_seq FROM builds WHERE id = $1",
            $lock,
            "), lease AS MATERIALIZED (SELECT fence, status FROM work_items WHERE build_id = $1",
            $lock,
            ") SELECT head_seq, fence, COALESCE(lease.status IN ('waiting', 'queued'), FALSE) \
             AS can_be_claimed FROM build LEFT JOIN lease ON TRUE"
        )
    };
}

/// The lowest free slot of a project that may have `limit` unfinished builds; None if it has that many.
/// It stays free while the project is locked.
pub async fn free_slot(conn: &mut Conn, project: ProjectId, limit: u32) -> Result<Option<u32>> {
    const SQL: &str = "SELECT slot FROM builds WHERE project_id = $1 \
        AND status <> 'sealed' AND status <> 'abandoned'";
    let taken: Vec<(u32,)> = fetch!(conn, SQL, project);
    let is_full = taken.len() >= limit as usize;
    Ok((0..limit).find(|slot| !is_full && !taken.contains(&(*slot,))))
}

/// Adds a build. `Error::AlreadyExists` if an unfinished one of the project has its slot, or the build
/// that it follows up on has an active follow-up.
pub async fn insert(conn: &mut Conn, build: &NewBuild<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO builds \
        (id, project_id, number, slot, started_by, snapshot_batch, follows, title, status, head_hash, \
        created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    execute!(
        conn,
        SQL,
        build.id,
        build.project_id,
        build.number,
        build.slot,
        build.started_by,
        build.snapshot_batch,
        build.follows,
        build.title,
        build.status,
        build.head_hash,
        build.created_at,
    );
    Ok(())
}

pub async fn get(conn: &mut Conn, id: BuildId) -> Result<Option<Build>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM builds WHERE id = $1");
    Ok(fetch!(conn, SQL, id).pop())
}

/// A build and its project. None if the project was deleted.
pub async fn get_with_project(conn: &mut Conn, id: BuildId) -> Result<Option<(Build, Project)>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        ", ",
        projects::columns!(),
        " FROM builds JOIN projects ON projects.id = builds.project_id \
         WHERE builds.id = $1 AND deleted_at IS NULL"
    );
    Ok(fetch!(conn, SQL, id).pop())
}

/// The build of a project with this number.
pub async fn by_number(conn: &mut Conn, project: ProjectId, number: u32) -> Result<Option<Build>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM builds WHERE project_id = $1 AND number = $2");
    Ok(fetch!(conn, SQL, project, number).pop())
}

/// The build of a project whose branch has this name.
pub async fn by_branch(conn: &mut Conn, project: ProjectId, branch: &str) -> Result<Option<Build>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM builds WHERE project_id = $1 AND branch = $2");
    Ok(fetch!(conn, SQL, project, branch).pop())
}

/// Number and hash of a build's newest event, as stored in its row.
pub async fn head(conn: &mut Conn, id: BuildId) -> Result<Option<(u64, String)>> {
    Ok(fetch!(conn, "SELECT head_seq, head_hash FROM builds WHERE id = $1", id).pop())
}

/// The head of a build's journal, which is locked until this transaction ends; with `with_lease`, the
/// lease too, so that it cannot change in between.
pub async fn lock_head(conn: &mut Conn, id: BuildId, with_lease: bool) -> Result<Option<Head>> {
    const WITH_LEASE: Sql = Sql {
        sqlite: lock_with_lease_text!(""),
        postgres: lock_with_lease_text!(" FOR NO KEY UPDATE"),
    };
    const WITHOUT: Sql = Sql {
        sqlite: "SELECT head_seq, NULL AS fence, FALSE AS can_be_claimed FROM builds WHERE id = $1",
        postgres: "SELECT head_seq, NULL AS fence, FALSE AS can_be_claimed FROM builds \
            WHERE id = $1 FOR NO KEY UPDATE",
    };
    let sql = if with_lease { WITH_LEASE } else { WITHOUT };
    Ok(fetch!(conn, sql, id).pop())
}

/// The next `limit` builds of a project with an id below `before`, newest first.
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

/// The newest build of each project with an id from `first` to `last` that a user may view: those of
/// one page of projects in one query.
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
         WHERE projects.id IN ",
        viewable!(
            " AND own.id >= $2 AND own.id <= $3",
            " AND project_id >= $2 AND project_id <= $3"
        )
    );
    Ok(fetch!(conn, SQL, user, first, last))
}

/// The number of open questions of each project with an id from `first` to `last` that has unfinished
/// builds.
pub async fn open_questions(
    conn: &mut Conn,
    first: ProjectId,
    last: ProjectId,
) -> Result<BTreeMap<ProjectId, u32>> {
    const SQL: &str = "SELECT project_id, CAST(SUM(open_questions) AS BIGINT) FROM builds \
        WHERE project_id >= $1 AND project_id <= $2 \
        AND status <> 'sealed' AND status <> 'abandoned' GROUP BY project_id";
    let counts: Vec<(ProjectId, u32)> = fetch!(conn, SQL, first, last);
    Ok(counts.into_iter().collect())
}

/// The sealed builds of a project, newest first.
pub async fn list_sealed(conn: &mut Conn, project: ProjectId) -> Result<Vec<Build>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM builds WHERE project_id = $1 AND status = 'sealed' ORDER BY id DESC"
    );
    Ok(fetch!(conn, SQL, project))
}

/// The unfinished builds of a project, newest first.
pub async fn list_unfinished(conn: &mut Conn, project: ProjectId) -> Result<Vec<Build>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM builds WHERE project_id = $1 AND status <> 'sealed' AND status <> 'abandoned' \
         ORDER BY id DESC"
    );
    Ok(fetch!(conn, SQL, project))
}

/// The active follow-up of a build.
pub async fn follow_up_of(conn: &mut Conn, id: BuildId) -> Result<Option<Build>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM builds WHERE follows = $1 AND status <> 'abandoned'");
    Ok(fetch!(conn, SQL, id).pop())
}

/// The number of builds of a project.
pub async fn count_of_project(conn: &mut Conn, project: ProjectId) -> Result<u64> {
    let counts: Vec<(u64,)> =
        fetch!(conn, "SELECT COUNT(*) FROM builds WHERE project_id = $1", project);
    Ok(counts.first().map_or(0, |(count,)| *count))
}

/// The number of builds with this status, on all nodes.
pub async fn count(conn: &mut Conn, status: Status) -> Result<u64> {
    let counts: Vec<(u64,)> = fetch!(conn, "SELECT COUNT(*) FROM builds WHERE status = $1", status);
    Ok(counts.first().map_or(0, |(count,)| *count))
}
