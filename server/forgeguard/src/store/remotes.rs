//! The remote repositories of projects, and the webhooks received from them.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{CredentialId, ProjectId, UserId},
    remote::ForgeKind,
};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

/// Ids of received webhooks are kept for this long.
const HOOK_RETENTION: TimeDelta = TimeDelta::days(30);

row! {
    pub struct Remote {
        pub project_id: ProjectId,
        /// Without credentials.
        pub url: String,
        pub forge: ForgeKind,
        /// None until the first fetch; afterwards the project's.
        pub default_branch: Option<String>,
        pub credential_id: Option<CredentialId>,
        /// JSON of `RemoteFindings`.
        pub findings: Option<String>,
        /// Encrypted; None if no webhooks are accepted.
        pub sealed_hook_secret: Option<String>,
        /// The last successful fetch.
        pub fetched_at: Option<DateTime<Utc>>,
        /// Why the last fetch failed, if it did.
        pub fetch_error: Option<String>,
        pub created_by: UserId,
        pub created_at: DateTime<Utc>,
    }
}

pub async fn insert(conn: &mut Conn, remote: &Remote) -> Result<()> {
    const SQL: &str = "INSERT INTO remotes \
        (project_id, url, forge, credential_id, created_by, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    execute!(
        conn,
        SQL,
        remote.project_id,
        remote.url.as_str(),
        remote.forge,
        remote.credential_id,
        remote.created_by,
        remote.created_at,
    );
    Ok(())
}

pub async fn get(conn: &mut Conn, project: ProjectId) -> Result<Option<Remote>> {
    const SQL: &str = "SELECT project_id, url, forge, default_branch, credential_id, findings, \
        sealed_hook_secret, fetched_at, fetch_error, created_by, created_at \
        FROM remotes WHERE project_id = $1";
    Ok(fetch!(conn, SQL, project).pop())
}

/// Replaces the forge and the credential.
pub async fn update(
    conn: &mut Conn,
    project: ProjectId,
    forge: ForgeKind,
    credential: Option<CredentialId>,
) -> Result<()> {
    const SQL: &str = "UPDATE remotes SET forge = $2, credential_id = $3 WHERE project_id = $1";
    execute!(conn, SQL, project, forge, credential);
    Ok(())
}

pub async fn set_hook_secret(
    conn: &mut Conn,
    project: ProjectId,
    sealed: Option<&str>,
) -> Result<()> {
    const SQL: &str = "UPDATE remotes SET sealed_hook_secret = $2 WHERE project_id = $1";
    execute!(conn, SQL, project, sealed);
    Ok(())
}

/// The result of a fetch: the default branch and what was found, as JSON.
pub async fn set_fetched(
    conn: &mut Conn,
    project: ProjectId,
    default_branch: &str,
    findings: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "UPDATE remotes SET default_branch = $2, findings = $3, fetched_at = $4, \
        fetch_error = NULL WHERE project_id = $1";
    execute!(conn, SQL, project, default_branch, findings, now);
    Ok(())
}

pub async fn set_fetch_error(conn: &mut Conn, project: ProjectId, error: &str) -> Result<()> {
    const SQL: &str = "UPDATE remotes SET fetch_error = $2 WHERE project_id = $1";
    execute!(conn, SQL, project, error);
    Ok(())
}

/// Also its fetches and received webhooks.
pub async fn remove(conn: &mut Conn, project: ProjectId) -> Result<()> {
    execute!(conn, "DELETE FROM remotes WHERE project_id = $1", project);
    Ok(())
}

/// Records that a webhook was received. False if it was received before.
pub async fn receive_hook(
    conn: &mut Conn,
    project: ProjectId,
    delivery: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    const OLD: &str = "DELETE FROM received_hooks WHERE project_id = $1 AND received_at < $2";
    execute!(conn, OLD, project, now - HOOK_RETENTION);
    const SQL: &str = "INSERT INTO received_hooks (project_id, delivery, received_at) \
        VALUES ($1, $2, $3) ON CONFLICT (project_id, delivery) DO NOTHING";
    Ok(execute!(conn, SQL, project, delivery, now) > 0)
}
