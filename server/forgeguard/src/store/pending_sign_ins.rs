//! Sign-ins with providers that are not finished, by the hashes of their states.

use chrono::{DateTime, Utc};
use domain::ids::{SessionId, SignInProviderId};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct PendingSignIn {
        pub state_hash: String,
        /// Of the cookie of the browser that started it.
        pub browser_hash: String,
        pub provider_id: SignInProviderId,
        pub redirect_url: String,
        /// A path of the web app.
        pub return_to: String,
        /// The invitation that it accepts.
        pub invitation_hash: Option<String>,
        /// The session whose user links the provider.
        pub session_id: Option<SessionId>,
        pub expires_at: DateTime<Utc>,
    }
}

pub async fn insert(conn: &mut Conn, pending: &PendingSignIn) -> Result<()> {
    const SQL: &str = "INSERT INTO pending_sign_ins (state_hash, browser_hash, provider_id, \
        redirect_url, return_to, invitation_hash, session_id, expires_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    execute!(
        conn,
        SQL,
        pending.state_hash.as_str(),
        pending.browser_hash.as_str(),
        pending.provider_id,
        pending.redirect_url.as_str(),
        pending.return_to.as_str(),
        pending.invitation_hash.as_deref(),
        pending.session_id,
        pending.expires_at,
    );
    Ok(())
}

/// Removes and returns it, also if it has expired: of two concurrent attempts one gets it.
pub async fn take(conn: &mut Conn, state_hash: &str) -> Result<Option<PendingSignIn>> {
    const SQL: &str = "DELETE FROM pending_sign_ins WHERE state_hash = $1 RETURNING state_hash, \
        browser_hash, provider_id, redirect_url, return_to, invitation_hash, session_id, expires_at";
    Ok(fetch!(conn, SQL, state_hash).pop())
}

/// Removes those that expired before `now`. Returns their number.
pub async fn remove_expired(conn: &mut Conn, now: DateTime<Utc>) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM pending_sign_ins WHERE expires_at <= $1", now))
}

pub async fn count(conn: &mut Conn) -> Result<u32> {
    let rows: Vec<(u32,)> = fetch!(conn, "SELECT COUNT(*) FROM pending_sign_ins");
    Ok(rows.first().map_or(0, |(count,)| *count))
}
