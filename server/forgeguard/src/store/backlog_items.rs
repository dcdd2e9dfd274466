//! Items of backlogs, their order, their dependencies and their builds.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use domain::{
    ids::{BacklogItemId, BuildId, ProjectId, UserId},
    review::ReviewDecision,
    state::Status,
    verdict::Verdict,
};

use super::{
    conn::Conn,
    error::Result,
    projects::viewable,
    reviews::approvals,
    statement::{MultiRow, execute, execute_rows, fetch, row},
};

row! {
    /// An item with its build, without its spec.
    pub struct BacklogItem {
        pub id: BacklogItemId,
        pub project_id: ProjectId,
        pub project_name: String,
        pub project_slug: String,
        /// In its project, from 1.
        pub number: u32,
        pub title: String,
        pub description: String,
        pub has_spec: bool,
        /// A JSON list of globs.
        pub scope: String,
        /// In its project, ascending, from 0.
        pub position: u32,
        /// What another program calls it.
        pub external_id: Option<String>,
        pub created_by: UserId,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
        /// Set from the request to start it until its build is queued.
        pub start_requested_by: Option<UserId>,
        /// Why it could not be started.
        pub start_error: Option<String>,
        /// The number of its builds.
        pub attempts: u32,
        /// The newest one, or its follow-up.
        pub build_id: Option<BuildId>,
        pub build_number: Option<u32>,
        pub build_status: Option<Status>,
        pub verdict: Option<Verdict>,
        pub branch: Option<String>,
        pub head_sha: Option<String>,
        pub blocked_reason: Option<String>,
        pub open_questions: Option<u32>,
        pub phase_count: Option<u32>,
        pub phases_done: Option<u32>,
        /// The newest one about the build.
        pub decision: Option<ReviewDecision>,
        /// Since changes were last requested.
        pub approvals: u64,
        /// Whether the build's pull request was merged.
        pub is_merged: bool,
    }
}

/// What users and programs set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemContent {
    pub title: String,
    pub description: String,
    pub spec: Option<String>,
    /// A JSON list of globs.
    pub scope: String,
}

#[derive(Clone, Debug)]
pub struct NewItem<'a> {
    pub id: BacklogItemId,
    pub project_id: ProjectId,
    pub number: u32,
    pub content: &'a ItemContent,
    pub external_id: Option<&'a str>,
    pub created_by: UserId,
    pub created_at: DateTime<Utc>,
}

macro_rules! select {
    ($rest:expr) => {
        concat!(
            "SELECT items.id, items.project_id, projects.name AS project_name, \
             projects.slug AS project_slug, items.number, items.title, items.description, \
             items.spec IS NOT NULL AS has_spec, items.scope, items.position, items.external_id, \
             items.created_by, items.created_at, items.updated_at, items.start_requested_by, \
             items.start_error, items.attempts, items.build_id, builds.number AS build_number, \
             builds.status AS build_status, builds.verdict, builds.branch, builds.head_sha, \
             builds.blocked_reason, builds.open_questions, builds.phase_count, builds.phases_done, \
             reviews.decision, ",
            approvals!(),
            " AS approvals, \
             COALESCE(branch_deliveries.pr_state = 'merged', FALSE) AS is_merged \
             FROM backlog_items AS items JOIN projects ON projects.id = items.project_id \
             LEFT JOIN builds ON builds.id = items.build_id \
             LEFT JOIN reviews ON reviews.build_id = builds.id AND reviews.number = \
             (SELECT MAX(r.number) FROM reviews AS r WHERE r.build_id = builds.id) \
             LEFT JOIN branch_deliveries ON branch_deliveries.build_id = builds.id WHERE ",
            $rest
        )
    };
}

/// Whether an item depends on one whose build is not sealed as CERTIFIED or CONDITIONAL.
macro_rules! is_blocked {
    ($item:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM backlog_dependencies AS d \
             JOIN backlog_items AS needed ON needed.id = d.depends_on \
             LEFT JOIN builds AS b ON b.id = needed.build_id WHERE d.item_id = ",
            $item,
            " AND NOT COALESCE(b.status = 'sealed' AND b.verdict <> 'FLAGGED', FALSE))"
        )
    };
}

/// The items of a project, in their order.
pub async fn list(conn: &mut Conn, project: ProjectId) -> Result<Vec<BacklogItem>> {
    Ok(fetch!(
        conn,
        select!("items.project_id = $1 ORDER BY items.position, items.number"),
        project
    ))
}

/// At most `limit` items of all projects that a user may view: the newest projects first, in each in
/// their order.
pub async fn list_all(conn: &mut Conn, user: UserId, limit: i64) -> Result<Vec<BacklogItem>> {
    const SQL: &str = select!(concat!(
        "items.project_id IN ",
        viewable!(),
        " AND projects.deleted_at IS NULL AND projects.archived_at IS NULL \
         ORDER BY items.project_id DESC, items.position, items.number LIMIT $2"
    ));
    Ok(fetch!(conn, SQL, user, limit))
}

pub async fn get(
    conn: &mut Conn,
    project: ProjectId,
    id: BacklogItemId,
) -> Result<Option<BacklogItem>> {
    Ok(fetch!(conn, select!("items.project_id = $1 AND items.id = $2"), project, id).pop())
}

pub async fn by_external_id(
    conn: &mut Conn,
    project: ProjectId,
    external_id: &str,
) -> Result<Option<BacklogItem>> {
    const SQL: &str = select!("items.project_id = $1 AND items.external_id = $2");
    Ok(fetch!(conn, SQL, project, external_id).pop())
}

/// The spec of an item.
pub async fn spec(conn: &mut Conn, id: BacklogItemId) -> Result<Option<String>> {
    let specs: Vec<(Option<String>,)> =
        fetch!(conn, "SELECT spec FROM backlog_items WHERE id = $1", id);
    Ok(specs.into_iter().next().and_then(|(spec,)| spec))
}

/// The dependencies in a project: each item with one that it depends on.
pub async fn dependencies(
    conn: &mut Conn,
    project: ProjectId,
) -> Result<Vec<(BacklogItemId, BacklogItemId)>> {
    const SQL: &str = "SELECT item_id, depends_on FROM backlog_dependencies \
        WHERE item_id IN (SELECT id FROM backlog_items WHERE project_id = $1) \
        ORDER BY item_id, depends_on";
    Ok(fetch!(conn, SQL, project))
}

/// The same in all projects that a user may view.
pub async fn all_dependencies(
    conn: &mut Conn,
    user: UserId,
) -> Result<Vec<(BacklogItemId, BacklogItemId)>> {
    const SQL: &str = concat!(
        "SELECT item_id, depends_on FROM backlog_dependencies WHERE item_id IN \
         (SELECT id FROM backlog_items WHERE project_id IN ",
        viewable!(),
        ") ORDER BY item_id, depends_on"
    );
    Ok(fetch!(conn, SQL, user))
}

/// Adds an item at the end. The caller has locked the backlog.
pub async fn insert(conn: &mut Conn, new: &NewItem<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO backlog_items (id, project_id, number, title, description, spec, \
        scope, position, external_id, created_by, created_at, updated_at) \
        SELECT $1, $2, $3, $4, $5, $6, $7, COALESCE(MAX(position) + 1, 0), $8, $9, $10, $10 \
        FROM backlog_items WHERE project_id = $2";
    let ItemContent { title, description, spec, scope } = new.content;
    execute!(
        conn,
        SQL,
        new.id,
        new.project_id,
        new.number,
        title.as_str(),
        description.as_str(),
        spec.as_deref(),
        scope.as_str(),
        new.external_id,
        new.created_by,
        new.created_at,
    );
    Ok(())
}

/// Replaces what users set.
pub async fn update(
    conn: &mut Conn,
    id: BacklogItemId,
    content: &ItemContent,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "UPDATE backlog_items SET title = $2, description = $3, spec = $4, scope = $5, \
        start_error = NULL, retry_at = NULL, updated_at = $6 WHERE id = $1";
    let ItemContent { title, description, spec, scope } = content;
    let (title, description) = (title.as_str(), description.as_str());
    execute!(conn, SQL, id, title, description, spec.as_deref(), scope.as_str(), now);
    Ok(())
}

/// Replaces the dependencies of an item. The caller has locked the backlog and found no cycle.
pub async fn set_dependencies(
    conn: &mut Conn,
    id: BacklogItemId,
    depends_on: &[BacklogItemId],
) -> Result<()> {
    static INSERT: LazyLock<MultiRow> = LazyLock::new(|| {
        MultiRow::new("INSERT INTO backlog_dependencies (item_id, depends_on)", 2, "")
    });
    execute!(conn, "DELETE FROM backlog_dependencies WHERE item_id = $1", id);
    execute_rows!(conn, INSERT, depends_on, |needed| id, *needed);
    Ok(())
}

/// Sets the order of the items of a project. The caller has locked the backlog.
pub async fn set_order(conn: &mut Conn, ids: &[BacklogItemId]) -> Result<()> {
    static UPDATE: LazyLock<MultiRow> = LazyLock::new(|| {
        const SET: &str = "UPDATE backlog_items SET position = column2 FROM (";
        MultiRow::new(SET, 2, ") AS moved WHERE backlog_items.id = column1")
    });
    let positions: Vec<_> = ids.iter().copied().zip(0_u32..).collect();
    execute_rows!(conn, UPDATE, &positions, |moved| moved.0, moved.1);
    Ok(())
}

/// Removes an item that is not started. False if it has a build, or there is none.
pub async fn remove(conn: &mut Conn, id: BacklogItemId) -> Result<bool> {
    const SQL: &str = "DELETE FROM backlog_items WHERE id = $1 AND NOT EXISTS \
        (SELECT 1 FROM builds WHERE builds.id = backlog_items.build_id \
        AND builds.status <> 'sealed' AND builds.status <> 'abandoned')";
    Ok(execute!(conn, SQL, id) > 0)
}

/// Requests the start of an item, or withdraws the request with `None`.
pub async fn request_start(conn: &mut Conn, id: BacklogItemId, by: Option<UserId>) -> Result<()> {
    const SQL: &str = "UPDATE backlog_items SET start_requested_by = $2, start_error = NULL, \
        retry_at = NULL WHERE id = $1";
    execute!(conn, SQL, id, by);
    Ok(())
}

/// The items of a project, with their scopes, that were requested to start and can: all items that they
/// depend on are built, and no retry is to be awaited.
pub async fn list_startable(
    conn: &mut Conn,
    project: ProjectId,
    now: DateTime<Utc>,
) -> Result<Vec<(BacklogItemId, String)>> {
    const SQL: &str = concat!(
        "SELECT id, scope FROM backlog_items WHERE project_id = $1 \
         AND start_requested_by IS NOT NULL AND (retry_at IS NULL OR retry_at <= $2) AND NOT ",
        is_blocked!("backlog_items.id"),
        " ORDER BY position, number"
    );
    Ok(fetch!(conn, SQL, project, now))
}

/// The scopes of the items of a project whose builds are unfinished.
pub async fn unfinished_scopes(conn: &mut Conn, project: ProjectId) -> Result<Vec<String>> {
    const SQL: &str = "SELECT items.scope FROM backlog_items AS items \
        JOIN builds ON builds.id = items.build_id WHERE items.project_id = $1 \
        AND builds.status <> 'sealed' AND builds.status <> 'abandoned'";
    let scopes: Vec<(String,)> = fetch!(conn, SQL, project);
    Ok(scopes.into_iter().map(|(scope,)| scope).collect())
}

/// When the next attempt to start an item of a project is due.
pub async fn next_retry(conn: &mut Conn, project: ProjectId) -> Result<Option<DateTime<Utc>>> {
    const SQL: &str = "SELECT retry_at FROM backlog_items WHERE project_id = $1 \
        AND start_requested_by IS NOT NULL AND retry_at IS NOT NULL ORDER BY retry_at LIMIT 1";
    let times: Vec<(DateTime<Utc>,)> = fetch!(conn, SQL, project);
    Ok(times.first().map(|(at,)| *at))
}

/// Records why an item could not be started, unless the request was withdrawn.
pub async fn set_start_error(
    conn: &mut Conn,
    id: BacklogItemId,
    why: &str,
    retry_at: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "UPDATE backlog_items SET start_error = $2, retry_at = $3 \
        WHERE id = $1 AND start_requested_by IS NOT NULL";
    execute!(conn, SQL, id, why, retry_at);
    Ok(())
}

/// Records the build of an item, in the transaction that opens it. False if the start is not
/// requested any more, as after another worker has started it, or if the item is blocked.
pub async fn record_build(conn: &mut Conn, id: BacklogItemId, build: BuildId) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE backlog_items SET build_id = $2, attempts = attempts + 1, \
         start_requested_by = NULL, start_error = NULL, retry_at = NULL \
         WHERE id = $1 AND start_requested_by IS NOT NULL AND NOT ",
        is_blocked!("$1")
    );
    Ok(execute!(conn, SQL, id, build) > 0)
}

/// A follow-up continues the item of the build that it follows up on.
pub async fn continue_with(conn: &mut Conn, follows: BuildId, build: BuildId) -> Result<()> {
    execute!(conn, "UPDATE backlog_items SET build_id = $2 WHERE build_id = $1", follows, build);
    Ok(())
}

/// After a follow-up was cancelled, the build that it follows up on is the item's again.
pub async fn return_to_followed(conn: &mut Conn, build: BuildId) -> Result<()> {
    const SQL: &str = "UPDATE backlog_items SET build_id = \
        (SELECT follows FROM builds WHERE id = $1) WHERE build_id = $1 \
        AND EXISTS (SELECT 1 FROM builds WHERE id = $1 AND follows IS NOT NULL)";
    execute!(conn, SQL, build);
    Ok(())
}
