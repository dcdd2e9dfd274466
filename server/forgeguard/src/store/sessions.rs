//! Sign-in sessions, by the hash of their refresh token.

use chrono::{DateTime, Utc};
use domain::ids::{SessionId, UserId};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct Session {
        pub id: SessionId,
        pub user_id: UserId,
        /// Of the current refresh token; unique.
        pub refresh_hash: String,
        /// The `User-Agent` at sign-in.
        pub user_agent: String,
        pub created_at: DateTime<Utc>,
        /// The time of the last token refresh.
        pub last_used_at: DateTime<Utc>,
        /// Extended by each token refresh.
        pub expires_at: DateTime<Utc>,
    }
}

macro_rules! columns {
    () => {
        "id, user_id, refresh_hash, user_agent, created_at, last_used_at, expires_at"
    };
}

pub async fn insert(conn: &mut Conn, session: &Session) -> Result<()> {
    const SQL: &str =
        concat!("INSERT INTO sessions (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7)");
    execute!(
        conn,
        SQL,
        session.id,
        session.user_id,
        session.refresh_hash.as_str(),
        session.user_agent.as_str(),
        session.created_at,
        session.last_used_at,
        session.expires_at,
    );
    Ok(())
}

/// The session with this id, if it has not expired at `now`.
pub async fn get(conn: &mut Conn, id: SessionId, now: DateTime<Utc>) -> Result<Option<Session>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM sessions WHERE id = $1 AND expires_at > $2");
    Ok(fetch!(conn, SQL, id, now).pop())
}

/// Exchanges a refresh token for the next one. None if the old one is unknown, used or expired; of
/// two concurrent attempts one succeeds.
pub async fn rotate(
    conn: &mut Conn,
    old_hash: &str,
    new_hash: &str,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<Option<Session>> {
    const SQL: &str = concat!(
        "UPDATE sessions SET refresh_hash = $2, last_used_at = $3, expires_at = $4 ",
        "WHERE refresh_hash = $1 AND expires_at > $3 RETURNING ",
        columns!()
    );
    Ok(fetch!(conn, SQL, old_hash, new_hash, now, expires_at).pop())
}

/// The sessions of a user that have not expired at `now`, most recently used first.
pub async fn list(conn: &mut Conn, user: UserId, now: DateTime<Utc>) -> Result<Vec<Session>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM sessions WHERE user_id = $1 AND expires_at > $2 ORDER BY last_used_at DESC"
    );
    Ok(fetch!(conn, SQL, user, now))
}

/// Ends a user's session. False if it does not exist or belongs to another user.
pub async fn remove_own(conn: &mut Conn, user: UserId, id: SessionId) -> Result<bool> {
    const SQL: &str = "DELETE FROM sessions WHERE user_id = $1 AND id = $2";
    Ok(execute!(conn, SQL, user, id) > 0)
}

/// Ends all sessions of a user. Returns their number.
pub async fn remove_all(conn: &mut Conn, user: UserId) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM sessions WHERE user_id = $1", user))
}

/// Ends a session. False if it does not exist.
pub async fn remove(conn: &mut Conn, id: SessionId) -> Result<bool> {
    Ok(execute!(conn, "DELETE FROM sessions WHERE id = $1", id) > 0)
}

/// Ends all sessions of a user but `kept`, as after a change of password.
pub async fn remove_others(conn: &mut Conn, user: UserId, kept: SessionId) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM sessions WHERE user_id = $1 AND id <> $2", user, kept))
}

/// Removes sessions that expired before `now`. Returns their number.
pub async fn remove_expired(conn: &mut Conn, now: DateTime<Utc>) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM sessions WHERE expires_at <= $1", now))
}
