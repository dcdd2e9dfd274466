//! One-time links by which people set their password, each known by its hash.

use chrono::{DateTime, Utc};
use domain::ids::UserId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch},
};

/// Keeps a link for a person; one that they had before counts no more.
pub async fn put(
    conn: &mut Conn,
    token_hash: &str,
    user: UserId,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO invitations (token_hash, user_id, created_at, expires_at) \
        VALUES ($1, $2, $3, $4) ON CONFLICT (user_id) DO UPDATE \
        SET token_hash = $1, created_at = $3, expires_at = $4";
    execute!(conn, SQL, token_hash, user, now, expires_at);
    Ok(())
}

/// Uses a link up and says whose it was. None if it is unknown, used or expired at `now`.
pub async fn take(conn: &mut Conn, token_hash: &str, now: DateTime<Utc>) -> Result<Option<UserId>> {
    const SQL: &str =
        "DELETE FROM invitations WHERE token_hash = $1 AND expires_at > $2 RETURNING user_id";
    let taken: Vec<(UserId,)> = fetch!(conn, SQL, token_hash, now);
    Ok(taken.into_iter().next().map(|(user,)| user))
}
