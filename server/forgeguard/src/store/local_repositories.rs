//! Repositories on this machine that projects of the command line build.

use domain::ids::ProjectId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch},
};

/// Records the repository of a project. `Error::AlreadyExists` if it has a project already.
pub async fn insert(conn: &mut Conn, project: ProjectId, path: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO local_repositories (project_id, path) VALUES ($1, $2)";
    execute!(conn, SQL, project, path);
    Ok(())
}

/// The project of a repository.
pub async fn project(conn: &mut Conn, path: &str) -> Result<Option<ProjectId>> {
    const SQL: &str = "SELECT project_id FROM local_repositories WHERE path = $1";
    let rows: Vec<(ProjectId,)> = fetch!(conn, SQL, path);
    Ok(rows.into_iter().next().map(|(project,)| project))
}

/// The repository of a project.
pub async fn path(conn: &mut Conn, project: ProjectId) -> Result<Option<String>> {
    const SQL: &str = "SELECT path FROM local_repositories WHERE project_id = $1";
    let rows: Vec<(String,)> = fetch!(conn, SQL, project);
    Ok(rows.into_iter().next().map(|(path,)| path))
}
