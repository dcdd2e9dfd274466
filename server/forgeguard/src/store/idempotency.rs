//! Responses to requests with an idempotency key, so that a repeated request has no further effect.

use chrono::{DateTime, Utc};
use domain::ids::UserId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch},
};

/// The state of an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// The key is new and now reserved: perform the request, then call [`complete`].
    New,
    /// Another request with the key is in progress, or was interrupted.
    Unfinished,
    /// The request was completed with this response.
    Done { status: u32, body: String },
}

/// Reserves the key for a user and a route, in the transaction that performs the request: both are
/// rolled back together.
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

/// Stores the response for repeated requests.
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

/// Releases a key whose request failed, so that it can be retried.
pub async fn release(conn: &mut Conn, user: UserId, route: &str, key: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM idempotency_keys \
        WHERE user_id = $1 AND route = $2 AND key = $3 AND status IS NULL";
    execute!(conn, SQL, user, route, key);
    Ok(())
}

/// Releases keys reserved before `before` whose requests left no response.
pub async fn release_older(conn: &mut Conn, before: DateTime<Utc>) -> Result<u64> {
    const SQL: &str = "DELETE FROM idempotency_keys WHERE status IS NULL AND created_at < $1";
    Ok(execute!(conn, SQL, before))
}

/// Removes keys first used before `before`. Returns their number.
pub async fn remove_older(conn: &mut Conn, before: DateTime<Utc>) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM idempotency_keys WHERE created_at < $1", before))
}
