//! Signed-in browsers and scripts, each known by the hash of its refresh token.

use chrono::{DateTime, Utc};
use domain::ids::{SessionId, UserId};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// One sign-in, alive until it expires.
    pub struct Session {
        /// The session's id.
        pub id: SessionId,
        /// Who signed in.
        pub user_id: UserId,
        /// Hash of the refresh token that counts now; unique.
        pub refresh_hash: String,
        /// What the browser called itself.
        pub user_agent: String,
        /// When it began.
        pub created_at: DateTime<Utc>,
        /// When the token was last exchanged.
        pub last_used_at: DateTime<Utc>,
        /// When it ends unless used before.
        pub expires_at: DateTime<Utc>,
    }
}

macro_rules! columns {
    () => {
        "id, user_id, refresh_hash, user_agent, created_at, last_used_at, expires_at"
    };
}

/// Adds a session.
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

/// Exchanges a refresh token for the next one. None if the old one is unknown, used or expired;
/// of two who try at once one gets the session.
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

/// The sessions of a person that count at `now`, the one used last first.
pub async fn list(conn: &mut Conn, user: UserId, now: DateTime<Utc>) -> Result<Vec<Session>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM sessions WHERE user_id = $1 AND expires_at > $2 ORDER BY last_used_at DESC"
    );
    Ok(fetch!(conn, SQL, user, now))
}

/// Ends a person's session. False if it is none of theirs, or had ended.
pub async fn remove_own(conn: &mut Conn, user: UserId, id: SessionId) -> Result<bool> {
    const SQL: &str = "DELETE FROM sessions WHERE user_id = $1 AND id = $2";
    Ok(execute!(conn, SQL, user, id) > 0)
}

/// Ends all sessions of a person and says how many.
pub async fn remove_all(conn: &mut Conn, user: UserId) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM sessions WHERE user_id = $1", user))
}

/// Ends a session. False if it had ended.
pub async fn remove(conn: &mut Conn, id: SessionId) -> Result<bool> {
    Ok(execute!(conn, "DELETE FROM sessions WHERE id = $1", id) > 0)
}

/// Ends all sessions of a person but `kept`, as after a change of password.
pub async fn remove_others(conn: &mut Conn, user: UserId, kept: SessionId) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM sessions WHERE user_id = $1 AND id <> $2", user, kept))
}

/// Removes what expired before `now` and says how many.
pub async fn remove_expired(conn: &mut Conn, now: DateTime<Utc>) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM sessions WHERE expires_at <= $1", now))
}
