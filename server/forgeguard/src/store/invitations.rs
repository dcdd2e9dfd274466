//! One-time links to set a password, by their hashes.

use chrono::{DateTime, Utc};
use domain::ids::UserId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// The effect of a link.
    pub struct Invitation {
        /// The account whose password it sets.
        pub user_id: UserId,
        /// The administrator who created it.
        pub created_by: Option<UserId>,
        /// Whether it revokes the account's forge keys.
        pub revoke_keys: bool,
    }
}

/// Stores a link for a user, replacing an earlier one.
pub async fn put(
    conn: &mut Conn,
    token_hash: &str,
    invitation: &Invitation,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO invitations \
        (token_hash, user_id, created_at, expires_at, created_by, revoke_keys) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id) DO UPDATE \
        SET token_hash = $1, created_at = $3, expires_at = $4, created_by = $5, revoke_keys = $6";
    execute!(
        conn,
        SQL,
        token_hash,
        invitation.user_id,
        now,
        expires_at,
        invitation.created_by,
        invitation.revoke_keys,
    );
    Ok(())
}

/// Whether a link is valid at `now`.
pub async fn is_usable(conn: &mut Conn, token_hash: &str, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "SELECT user_id FROM invitations WHERE token_hash = $1 AND expires_at > $2";
    let found: Vec<(UserId,)> = fetch!(conn, SQL, token_hash, now);
    Ok(!found.is_empty())
}

/// Uses a link and returns its effect. None if it is unknown, used or expired at `now`.
pub async fn take(
    conn: &mut Conn,
    token_hash: &str,
    now: DateTime<Utc>,
) -> Result<Option<Invitation>> {
    const SQL: &str = "DELETE FROM invitations WHERE token_hash = $1 AND expires_at > $2 \
        RETURNING user_id, created_by, revoke_keys";
    Ok(fetch!(conn, SQL, token_hash, now).pop())
}
