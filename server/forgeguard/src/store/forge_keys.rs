//! Users' API keys, by their hashes.

use chrono::{DateTime, Utc};
use domain::ids::{BuildId, ForgeKeyId, Id, ProjectId, UserId};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// An API key. The key itself is not stored.
    pub struct ForgeKey {
        pub id: ForgeKeyId,
        pub user_id: UserId,
        pub name: String,
        /// The first characters, to distinguish keys.
        pub prefix: String,
        /// Of the whole key; unique.
        pub key_hash: String,
        pub created_at: DateTime<Utc>,
        /// To about a minute.
        pub last_used_at: Option<DateTime<Utc>>,
        pub expires_at: Option<DateTime<Utc>>,
        pub revoked_at: Option<DateTime<Utc>>,
        /// What it permits, as `domain::key_scope` stores it; `None`: everything.
        pub scopes: Option<String>,
        /// The only project that it gives access to.
        pub project_id: Option<ProjectId>,
        /// The only build that it gives access to; then `project_id` is its project.
        pub build_id: Option<BuildId>,
        /// The last MCP call, such as a tool's name.
        pub last_call: Option<String>,
        pub last_call_at: Option<DateTime<Utc>>,
    }
}

macro_rules! columns {
    () => {
        "id, user_id, name, prefix, key_hash, created_at, last_used_at, expires_at, revoked_at, \
         scopes, project_id, build_id, last_call, last_call_at"
    };
}

pub async fn insert(conn: &mut Conn, key: &ForgeKey) -> Result<()> {
    const SQL: &str = concat!(
        "INSERT INTO forge_keys (",
        columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
    );
    execute!(
        conn,
        SQL,
        key.id,
        key.user_id,
        key.name.as_str(),
        key.prefix.as_str(),
        key.key_hash.as_str(),
        key.created_at,
        key.last_used_at,
        key.expires_at,
        key.revoked_at,
        key.scopes.as_deref(),
        key.project_id,
        key.build_id,
        key.last_call.as_deref(),
        key.last_call_at,
    );
    Ok(())
}

/// The key with this hash, if it is valid at `now`. Whether its owner's account is active is up to
/// the caller.
pub async fn usable(
    conn: &mut Conn,
    key_hash: &str,
    now: DateTime<Utc>,
) -> Result<Option<ForgeKey>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM forge_keys WHERE key_hash = $1 AND revoked_at IS NULL \
         AND (expires_at IS NULL OR expires_at > $2)"
    );
    Ok(fetch!(conn, SQL, key_hash, now).pop())
}

/// The next `limit` keys of a user after `after`, oldest first, including revoked ones.
pub async fn list(
    conn: &mut Conn,
    user: UserId,
    after: Option<ForgeKeyId>,
    limit: i64,
) -> Result<Vec<ForgeKey>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM forge_keys WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3"
    );
    let after = after.unwrap_or(ForgeKeyId::from_uuid(Uuid::nil()));
    Ok(fetch!(conn, SQL, user, after, limit))
}

/// Records that a key was used at `now`, unless a use was recorded since `noted_since`: not every
/// request writes.
pub async fn touch(
    conn: &mut Conn,
    id: ForgeKeyId,
    now: DateTime<Utc>,
    noted_since: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = "UPDATE forge_keys SET last_used_at = $2 \
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $3)";
    Ok(execute!(conn, SQL, id, now, noted_since) > 0)
}

/// Records the last MCP call of a key.
pub async fn record_call(
    conn: &mut Conn,
    id: ForgeKeyId,
    call: &str,
    at: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "UPDATE forge_keys SET last_call = $2, last_call_at = $3 \
        WHERE id = $1 AND (last_call_at IS NULL OR last_call_at <= $3)";
    execute!(conn, SQL, id, call, at);
    Ok(())
}

/// Revokes a user's key. False if it does not exist or was revoked.
pub async fn revoke(
    conn: &mut Conn,
    user: UserId,
    id: ForgeKeyId,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = "UPDATE forge_keys SET revoked_at = $3 \
        WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL";
    Ok(execute!(conn, SQL, id, user, now) > 0)
}

/// Revokes all keys of a user. Returns those that were not revoked before.
pub async fn revoke_all(
    conn: &mut Conn,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<Vec<ForgeKeyId>> {
    const SQL: &str = "UPDATE forge_keys SET revoked_at = $2 \
        WHERE user_id = $1 AND revoked_at IS NULL RETURNING id";
    let revoked: Vec<(ForgeKeyId,)> = fetch!(conn, SQL, user, now);
    Ok(revoked.into_iter().map(|(id,)| id).collect())
}

/// Whether the key with this hash belongs to an active account and is valid at `now`.
pub async fn is_active(
    conn: &mut Conn,
    key_hash: &str,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = "SELECT forge_keys.id FROM forge_keys \
        JOIN users ON users.id = forge_keys.user_id WHERE key_hash = $1 AND user_id = $2 \
        AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3) \
        AND disabled_at IS NULL";
    let found: Vec<(ForgeKeyId,)> = fetch!(conn, SQL, key_hash, user, now);
    Ok(!found.is_empty())
}
