//! Answers given to requests that carried a key, so that a repeated request starts nothing twice.

use chrono::{DateTime, Utc};
use domain::ids::UserId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch},
};

/// What is known of a key that a request carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// It was never seen and is now taken: do the work, then [`complete`].
    New,
    /// Another request with it is being worked on, or was broken off.
    Unfinished,
    /// The work is done; this was the answer.
    Done {
        /// The HTTP status.
        status: u32,
        /// The body.
        body: String,
    },
}

/// Takes the key for one person and route, in the transaction that does the work: if that is
/// undone, so is this.
pub async fn reserve(
    conn: &mut Conn,
    user: UserId,
    route: &str,
    key: &str,
    now: DateTime<Utc>,
) -> Result<Reservation> {
    const TAKE: &str = "INSERT INTO idempotency_keys (user_id, route, key, created_at) \
        VALUES ($1, $2, $3, $4) ON CONFLICT (user_id, route, key) DO NOTHING";
    const LOOK: &str = "SELECT status, body FROM idempotency_keys \
        WHERE user_id = $1 AND route = $2 AND key = $3";
    if execute!(conn, TAKE, user, route, key, now) > 0 {
        return Ok(Reservation::New);
    }
    let mut answers: Vec<(Option<u32>, Option<String>)> = fetch!(conn, LOOK, user, route, key);
    Ok(match answers.pop() {
        Some((Some(status), Some(body))) => Reservation::Done { status, body },
        _ => Reservation::Unfinished,
    })
}

/// Keeps the answer for those who repeat the request.
pub async fn complete(
    conn: &mut Conn,
    user: UserId,
    route: &str,
    key: &str,
    status: u32,
    body: &str,
) -> Result<()> {
    const SQL: &str = "UPDATE idempotency_keys SET status = $4, body = $5 \
        WHERE user_id = $1 AND route = $2 AND key = $3";
    execute!(conn, SQL, user, route, key, status, body);
    Ok(())
}

/// Frees a key whose request failed, so that it can be tried again.
pub async fn release(conn: &mut Conn, user: UserId, route: &str, key: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM idempotency_keys \
        WHERE user_id = $1 AND route = $2 AND key = $3 AND status IS NULL";
    execute!(conn, SQL, user, route, key);
    Ok(())
}

/// Forgets keys first seen before `before` and says how many.
pub async fn remove_older(conn: &mut Conn, before: DateTime<Utc>) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM idempotency_keys WHERE created_at < $1", before))
}
