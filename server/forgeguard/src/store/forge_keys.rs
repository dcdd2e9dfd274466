//! API keys of people, known by their hashes.

use chrono::{DateTime, Utc};
use domain::ids::{ForgeKeyId, Id, UserId};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// An API key; the key itself is nowhere.
    pub struct ForgeKey {
        /// The key's id.
        pub id: ForgeKeyId,
        /// Whose rights it gives.
        pub user_id: UserId,
        /// What its owner calls it.
        pub name: String,
        /// The first characters, to tell keys apart.
        pub prefix: String,
        /// Hash of the whole key; unique.
        pub key_hash: String,
        /// When it was made.
        pub created_at: DateTime<Utc>,
        /// When it was last used, give or take a minute.
        pub last_used_at: Option<DateTime<Utc>>,
        /// When it ends by itself.
        pub expires_at: Option<DateTime<Utc>>,
        /// When its owner ended it.
        pub revoked_at: Option<DateTime<Utc>>,
        /// It opens nothing that changes anything.
        pub read_only: bool,
    }
}

macro_rules! columns {
    () => {
        "id, user_id, name, prefix, key_hash, created_at, last_used_at, expires_at, revoked_at, \
         read_only"
    };
}

/// Adds a key.
pub async fn insert(conn: &mut Conn, key: &ForgeKey) -> Result<()> {
    const SQL: &str = concat!(
        "INSERT INTO forge_keys (",
        columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
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
        key.read_only,
    );
    Ok(())
}

/// The key with this hash, if it may be used at `now`. Whether its owner may is the caller's to
/// ask.
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

/// The next `limit` keys of a person after `after`, oldest first, revoked ones among them.
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

/// Notes that a key was used at `now`, unless that was noted since `noted_since`: not every
/// request should write.
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

/// Ends a person's key. False if there is none such, or it had ended.
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
