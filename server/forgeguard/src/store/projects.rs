//! Projects and their owners.

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
    /// A project. A deleted project's row is kept, because its builds and journals are.
    pub struct Project {
        pub id: ProjectId,
        pub owner_id: UserId,
        pub name: String,
        pub description: String,
        pub origin: Origin,
        /// The branch that builds start from. Builds never change it.
        pub default_branch: String,
        /// JSON.
        pub settings: String,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
    }
}

macro_rules! columns {
    () => {
        "id, owner_id, name, description, origin, default_branch, settings, created_at, updated_at"
    };
}

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

/// None if it was deleted.
pub async fn get(conn: &mut Conn, id: ProjectId) -> Result<Option<Project>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM projects WHERE id = $1 AND deleted_at IS NULL");
    Ok(fetch!(conn, SQL, id).pop())
}

/// The next `limit` projects that a user may view with an id below `before`, newest first.
pub async fn list(
    conn: &mut Conn,
    user: UserId,
    before: Option<ProjectId>,
    limit: i64,
) -> Result<Vec<Project>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM projects WHERE id IN (SELECT own.id FROM projects AS own \
         WHERE own.owner_id = $1 AND own.id < $2 UNION SELECT project_id FROM project_viewers \
         WHERE user_id = $1 AND project_id < $2) \
         AND deleted_at IS NULL ORDER BY id DESC LIMIT $3"
    );
    let before = before.unwrap_or(ProjectId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, user, before, limit))
}

/// Sets name and description; None keeps the stored one. None if the project does not exist.
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

/// Replaces the settings, JSON text. False if the project does not exist.
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

/// Marks a project as deleted. False if it does not exist.
pub async fn remove(conn: &mut Conn, id: ProjectId, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "UPDATE projects SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";
    Ok(execute!(conn, SQL, id, now) > 0)
}
