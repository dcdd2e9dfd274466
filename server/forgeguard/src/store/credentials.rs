//! Tokens and keys for remote repositories; secrets are encrypted.

use chrono::{DateTime, Utc};
use domain::{
    ids::{CredentialId, ProjectId, UserId},
    remote::{CredentialKind, CredentialScope},
};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct Credential {
        pub id: CredentialId,
        pub scope: CredentialScope,
        /// The user of the scope `user`.
        pub user_id: Option<UserId>,
        /// The project of the scope `project`.
        pub project_id: Option<ProjectId>,
        pub name: String,
        /// The only host that receives it, with its port if that is not the usual one.
        pub host: String,
        pub kind: CredentialKind,
        /// Of a token.
        pub username: Option<String>,
        /// Of an SSH key, in OpenSSH's format.
        pub public_key: Option<String>,
        /// Encrypted.
        pub sealed_secret: String,
        pub created_by: UserId,
        pub created_at: DateTime<Utc>,
        pub last_used_at: Option<DateTime<Utc>>,
    }
}

macro_rules! columns {
    () => {
        "SELECT id, scope, user_id, project_id, name, host, kind, username, public_key, \
         sealed_secret, created_by, created_at, last_used_at FROM credentials WHERE "
    };
}

pub async fn insert(conn: &mut Conn, credential: &Credential) -> Result<()> {
    const SQL: &str = "INSERT INTO credentials \
        (id, scope, user_id, project_id, name, host, kind, username, public_key, sealed_secret, \
        created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    execute!(
        conn,
        SQL,
        credential.id,
        credential.scope,
        credential.user_id,
        credential.project_id,
        credential.name.as_str(),
        credential.host.as_str(),
        credential.kind,
        credential.username.as_deref(),
        credential.public_key.as_deref(),
        credential.sealed_secret.as_str(),
        credential.created_by,
        credential.created_at,
    );
    Ok(())
}

pub async fn get(conn: &mut Conn, id: CredentialId) -> Result<Option<Credential>> {
    Ok(fetch!(conn, concat!(columns!(), "id = $1"), id).pop())
}

/// Those that a user may use for any of their projects or for one of them, oldest first: the
/// installation's, the user's, and those of projects that the user owns.
pub async fn usable_by(conn: &mut Conn, user: UserId) -> Result<Vec<Credential>> {
    const SQL: &str = concat!(
        columns!(),
        "scope = 'installation' OR user_id = $1 OR project_id IN (SELECT id FROM projects \
         WHERE owner_id = $1 AND deleted_at IS NULL) ORDER BY id"
    );
    Ok(fetch!(conn, SQL, user))
}

pub async fn set_used(conn: &mut Conn, id: CredentialId, now: DateTime<Utc>) -> Result<()> {
    execute!(conn, "UPDATE credentials SET last_used_at = $2 WHERE id = $1", id, now);
    Ok(())
}

/// Remotes that used it have none afterwards.
pub async fn remove(conn: &mut Conn, id: CredentialId) -> Result<()> {
    execute!(conn, "DELETE FROM credentials WHERE id = $1", id);
    Ok(())
}
