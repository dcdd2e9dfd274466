//! What is being built, and who owns it.

use chrono::{DateTime, Utc};
use domain::{
    event::life::Origin,
    ids::{Id, ProjectId, UserId},
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A project. A removed one stays, because its builds and their journals do.
    pub struct Project {
        /// The project's id.
        pub id: ProjectId,
        /// Whose it is.
        pub owner_id: UserId,
        /// Its name.
        pub name: String,
        /// What it is about.
        pub description: String,
        /// Where it comes from.
        pub origin: Origin,
        /// The branch that builds start from and never touch.
        pub default_branch: String,
        /// Gates, timeouts and the like, as JSON text.
        pub settings: String,
        /// When it was made.
        pub created_at: DateTime<Utc>,
        /// When its own columns last changed.
        pub updated_at: DateTime<Utc>,
    }
}

macro_rules! columns {
    () => {
        "id, owner_id, name, description, origin, default_branch, settings, created_at, updated_at"
    };
}

/// Adds a project.
pub async fn insert(conn: &mut Conn, project: &Project) -> Result<()> {
    const SQL: &str = concat!(
        "INSERT INTO projects (",
        columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
    );
    execute!(
        conn,
        SQL,
        project.id,
        project.owner_id,
        project.name.as_str(),
        project.description.as_str(),
        project.origin,
        project.default_branch.as_str(),
        project.settings.as_str(),
        project.created_at,
        project.updated_at,
    );
    Ok(())
}

/// The project with this id, unless it was removed.
pub async fn get(conn: &mut Conn, id: ProjectId) -> Result<Option<Project>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM projects WHERE id = $1 AND deleted_at IS NULL");
    Ok(fetch!(conn, SQL, id).pop())
}

/// The next `limit` projects that a person may see made before `before`, newest first.
pub async fn list(
    conn: &mut Conn,
    user: UserId,
    before: Option<ProjectId>,
    limit: i64,
) -> Result<Vec<Project>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM projects WHERE (owner_id = $1 OR EXISTS (SELECT 1 FROM project_viewers \
         WHERE project_id = projects.id AND user_id = $1)) \
         AND id < $2 AND deleted_at IS NULL ORDER BY id DESC LIMIT $3"
    );
    let before = before.unwrap_or(ProjectId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, user, before, limit))
}

/// Renames and describes a project; None leaves a text as it is. None if there is no such one.
pub async fn describe(
    conn: &mut Conn,
    id: ProjectId,
    name: Option<&str>,
    description: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Option<Project>> {
    const SQL: &str = concat!(
        "UPDATE projects SET name = COALESCE($2, name), \
         description = COALESCE($3, description), updated_at = $4 \
         WHERE id = $1 AND deleted_at IS NULL RETURNING ",
        columns!()
    );
    Ok(fetch!(conn, SQL, id, name, description, now).pop())
}

/// Replaces the settings, JSON text. False if there is no such project.
pub async fn set_settings(
    conn: &mut Conn,
    id: ProjectId,
    settings: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = "UPDATE projects SET settings = $2, updated_at = $3 \
        WHERE id = $1 AND deleted_at IS NULL";
    Ok(execute!(conn, SQL, id, settings, now) > 0)
}

/// Removes a project from every list and look-up. False if there is no such one.
pub async fn remove(conn: &mut Conn, id: ProjectId, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "UPDATE projects SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";
    Ok(execute!(conn, SQL, id, now) > 0)
}
