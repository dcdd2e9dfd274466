//! Word from one node to the others that there is something to read.

use super::{
    conn::{Conn, Driver},
    error::Result,
};

/// Sends `payload` (under 8,000 bytes) to everyone who listens on `channel`, at the moment the
/// transaction commits. Nothing on SQLite, where there is one node.
pub async fn notify(conn: &mut Conn, channel: &str, payload: &str) -> Result<()> {
    if let Driver::Postgres(driver) = conn.driver() {
        sqlx::query::<sqlx::Postgres>("SELECT pg_notify($1, $2)")
            .bind(channel)
            .bind(payload)
            .execute(driver)
            .await?;
    }
    Ok(())
}
