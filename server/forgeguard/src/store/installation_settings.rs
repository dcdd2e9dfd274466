//! Settings of the installation: one row of JSON text.

use chrono::{DateTime, Utc};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch},
};

/// None if they were never set.
pub async fn get(conn: &mut Conn) -> Result<Option<String>> {
    let rows: Vec<(String,)> = fetch!(conn, "SELECT settings FROM installation_settings");
    Ok(rows.into_iter().next().map(|(settings,)| settings))
}

pub async fn set(conn: &mut Conn, settings: &str, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "INSERT INTO installation_settings (id, settings, updated_at) \
        VALUES (1, $1, $2) \
        ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at";
    execute!(conn, SQL, settings, now);
    Ok(())
}
