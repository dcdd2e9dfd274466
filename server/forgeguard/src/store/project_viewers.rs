//! Viewers of projects.

use chrono::{DateTime, Utc};
use domain::ids::{ProjectId, UserId};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A user who may view a project of another user.
    pub struct Viewer {
        pub user_id: UserId,
        pub name: String,
        pub email: String,
        pub created_at: DateTime<Utc>,
    }
}

/// False if the user was a viewer already.
pub async fn add(
    conn: &mut Conn,
    project: ProjectId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = "INSERT INTO project_viewers (project_id, user_id, created_at) \
        VALUES ($1, $2, $3) ON CONFLICT (project_id, user_id) DO NOTHING";
    Ok(execute!(conn, SQL, project, user, now) > 0)
}

/// False if the user was no viewer.
pub async fn remove(conn: &mut Conn, project: ProjectId, user: UserId) -> Result<bool> {
    const SQL: &str = "DELETE FROM project_viewers WHERE project_id = $1 AND user_id = $2";
    Ok(execute!(conn, SQL, project, user) > 0)
}

/// The viewers of a project by name, without its owner.
pub async fn list(conn: &mut Conn, project: ProjectId) -> Result<Vec<Viewer>> {
    const SQL: &str = "SELECT user_id, name, email, project_viewers.created_at \
        FROM project_viewers JOIN users ON users.id = user_id \
        WHERE project_id = $1 ORDER BY name, user_id";
    Ok(fetch!(conn, SQL, project))
}

/// Whether the user is a viewer of the project.
pub async fn contains(conn: &mut Conn, project: ProjectId, user: UserId) -> Result<bool> {
    const SQL: &str = "SELECT user_id FROM project_viewers WHERE project_id = $1 AND user_id = $2";
    let found: Vec<(UserId,)> = fetch!(conn, SQL, project, user);
    Ok(!found.is_empty())
}

/// The owners of the projects that a user may view, with their names.
pub async fn owners(conn: &mut Conn, user: UserId) -> Result<Vec<(UserId, String)>> {
    const SQL: &str = "SELECT DISTINCT users.id, users.name FROM project_viewers \
        JOIN projects ON projects.id = project_id JOIN users ON users.id = owner_id \
        WHERE user_id = $1";
    Ok(fetch!(conn, SQL, user))
}

/// Whether a user may view a project, as its owner or a viewer. None if the project does not exist.
pub async fn may_see(conn: &mut Conn, project: ProjectId, user: UserId) -> Result<Option<bool>> {
    const SQL: &str = "SELECT owner_id = $2 OR EXISTS (SELECT 1 FROM project_viewers \
        WHERE project_id = projects.id AND user_id = $2) \
        FROM projects WHERE id = $1 AND deleted_at IS NULL";
    let found: Vec<(bool,)> = fetch!(conn, SQL, project, user);
    Ok(found.into_iter().next().map(|(may_see,)| may_see))
}
