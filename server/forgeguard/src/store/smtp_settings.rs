//! The server that sends email: one row, or none.

use chrono::{DateTime, Utc};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct SmtpSettings {
        /// A JSON object.
        pub settings: String,
        /// Encrypted; None without a password.
        pub sealed_password: Option<String>,
        pub updated_at: DateTime<Utc>,
    }
}

pub async fn get(conn: &mut Conn) -> Result<Option<SmtpSettings>> {
    const SQL: &str = "SELECT settings, sealed_password, updated_at FROM smtp_settings";
    Ok(fetch!(conn, SQL).pop())
}

pub async fn set(conn: &mut Conn, new: &SmtpSettings) -> Result<()> {
    const SQL: &str = "INSERT INTO smtp_settings (id, settings, sealed_password, updated_at) \
        VALUES (1, $1, $2, $3) ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, \
        sealed_password = excluded.sealed_password, updated_at = excluded.updated_at";
    execute!(conn, SQL, new.settings.as_str(), new.sealed_password.as_deref(), new.updated_at);
    Ok(())
}

pub async fn remove(conn: &mut Conn) -> Result<()> {
    execute!(conn, "DELETE FROM smtp_settings");
    Ok(())
}
