//! Who may look at a project that is somebody else's.

use chrono::{DateTime, Utc};
use domain::ids::{ProjectId, UserId};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// Somebody who may look at a project and change nothing.
    pub struct Viewer {
        /// Who.
        pub user_id: UserId,
        /// What they are called.
        pub name: String,
        /// Their address.
        pub email: String,
        /// Since when.
        pub created_at: DateTime<Utc>,
    }
}

/// Lets a person look at a project. False if they may already.
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

/// Lets a person look no longer. False if they could not.
pub async fn remove(conn: &mut Conn, project: ProjectId, user: UserId) -> Result<bool> {
    const SQL: &str = "DELETE FROM project_viewers WHERE project_id = $1 AND user_id = $2";
    Ok(execute!(conn, SQL, project, user) > 0)
}

/// All who may look at a project beside its owner, by name.
pub async fn list(conn: &mut Conn, project: ProjectId) -> Result<Vec<Viewer>> {
    const SQL: &str = "SELECT user_id, name, email, project_viewers.created_at \
        FROM project_viewers JOIN users ON users.id = user_id \
        WHERE project_id = $1 ORDER BY name, user_id";
    Ok(fetch!(conn, SQL, project))
}

/// Whether a person may look at a project that is not theirs.
pub async fn contains(conn: &mut Conn, project: ProjectId, user: UserId) -> Result<bool> {
    const SQL: &str = "SELECT user_id FROM project_viewers WHERE project_id = $1 AND user_id = $2";
    let found: Vec<(UserId,)> = fetch!(conn, SQL, project, user);
    Ok(!found.is_empty())
}

/// The people whose projects a person may look at, with what they are called.
pub async fn owners(conn: &mut Conn, user: UserId) -> Result<Vec<(UserId, String)>> {
    const SQL: &str = "SELECT DISTINCT users.id, users.name FROM project_viewers \
        JOIN projects ON projects.id = project_id JOIN users ON users.id = owner_id \
        WHERE user_id = $1";
    Ok(fetch!(conn, SQL, user))
}
