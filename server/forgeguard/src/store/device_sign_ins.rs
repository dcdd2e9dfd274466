//! Sign-ins of devices without a browser, by the hashes of their codes.

use chrono::{DateTime, Utc};
use domain::{device_sign_in::DeviceSignInStatus, ids::UserId};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct DeviceSignIn {
        /// Of the code that only the device has.
        pub code_hash: String,
        /// The letters that the user enters.
        pub user_code: String,
        pub device_name: String,
        /// From where it was requested.
        pub address: String,
        /// Of the key, as `domain::key_scope` stores them; `None`: everything.
        pub scopes: Option<String>,
        pub status: DeviceSignInStatus,
        /// Who approved it.
        pub user_id: Option<UserId>,
        /// How long the key is valid; `None`: without end.
        pub expires_in_days: Option<u32>,
        pub created_at: DateTime<Utc>,
        /// When the device last asked for its key.
        pub polled_at: Option<DateTime<Utc>>,
        pub expires_at: DateTime<Utc>,
    }
}

macro_rules! columns {
    () => {
        "code_hash, user_code, device_name, address, scopes, status, user_id, expires_in_days, \
         created_at, polled_at, expires_at"
    };
}

/// Stores one that was just requested. False if another one has its user code.
pub async fn insert(conn: &mut Conn, requested: &DeviceSignIn) -> Result<bool> {
    const SQL: &str = "INSERT INTO device_sign_ins \
        (code_hash, user_code, device_name, address, scopes, status, created_at, expires_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (user_code) DO NOTHING";
    let rows = execute!(
        conn,
        SQL,
        requested.code_hash.as_str(),
        requested.user_code.as_str(),
        requested.device_name.as_str(),
        requested.address.as_str(),
        requested.scopes.as_deref(),
        requested.status,
        requested.created_at,
        requested.expires_at,
    );
    Ok(rows > 0)
}

/// The one with this user code, if it is valid at `now` and waits for a decision.
pub async fn waiting(
    conn: &mut Conn,
    user_code: &str,
    now: DateTime<Utc>,
) -> Result<Option<DeviceSignIn>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM device_sign_ins WHERE user_code = $1 AND status = 'waiting' AND expires_at > $2"
    );
    Ok(fetch!(conn, SQL, user_code, now).pop())
}

/// Approves one that waits. False if it no longer does at `now`.
pub async fn approve(
    conn: &mut Conn,
    user_code: &str,
    by: UserId,
    expires_in_days: Option<u32>,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = "UPDATE device_sign_ins SET status = 'approved', user_id = $2, \
        expires_in_days = $3 WHERE user_code = $1 AND status = 'waiting' AND expires_at > $4";
    Ok(execute!(conn, SQL, user_code, by, expires_in_days, now) > 0)
}

/// Denies one that waits. False if it no longer does at `now`.
pub async fn deny(conn: &mut Conn, user_code: &str, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "UPDATE device_sign_ins SET status = 'denied' \
        WHERE user_code = $1 AND status = 'waiting' AND expires_at > $2";
    Ok(execute!(conn, SQL, user_code, now) > 0)
}

/// The one of a device, if it is valid at `now`.
pub async fn get(
    conn: &mut Conn,
    code_hash: &str,
    now: DateTime<Utc>,
) -> Result<Option<DeviceSignIn>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM device_sign_ins WHERE code_hash = $1 AND expires_at > $2"
    );
    Ok(fetch!(conn, SQL, code_hash, now).pop())
}

/// Records that the device asked for its key.
pub async fn set_polled(conn: &mut Conn, code_hash: &str, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "UPDATE device_sign_ins SET polled_at = $2 WHERE code_hash = $1";
    execute!(conn, SQL, code_hash, now);
    Ok(())
}

/// Removes one that was decided: of two concurrent requests one gets it.
pub async fn take(conn: &mut Conn, code_hash: &str) -> Result<Option<DeviceSignIn>> {
    const SQL: &str = concat!(
        "DELETE FROM device_sign_ins WHERE code_hash = $1 AND status <> 'waiting' RETURNING ",
        columns!()
    );
    Ok(fetch!(conn, SQL, code_hash).pop())
}

/// Removes those that expired before `now`.
pub async fn remove_expired(conn: &mut Conn, now: DateTime<Utc>) -> Result<()> {
    execute!(conn, "DELETE FROM device_sign_ins WHERE expires_at <= $1", now);
    Ok(())
}

pub async fn count(conn: &mut Conn) -> Result<u32> {
    let rows: Vec<(u32,)> = fetch!(conn, "SELECT COUNT(*) FROM device_sign_ins");
    Ok(rows.first().map_or(0, |(count,)| *count))
}
