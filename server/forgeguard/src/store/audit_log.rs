//! Who did what, in one order for the whole installation. Entries are added and read; triggers
//! refuse everything else.

use chrono::{DateTime, Utc};
use domain::{audit::AuditAction, ids::UserId};

use super::{
    conn::{Conn, Driver},
    error::Result,
    statement::{execute, fetch, row},
    users::User,
};

row! {
    /// Something that somebody did.
    pub struct AuditEntry {
        /// From 1, without holes.
        pub seq: u64,
        /// When.
        pub at: DateTime<Utc>,
        /// Who; None for the service's own settings and command line.
        pub actor_id: Option<UserId>,
        /// What they were called then.
        pub actor_name: String,
        /// What they did.
        pub action: AuditAction,
        /// What it was done to: its kind and id, such as `user/0190…`.
        pub subject: String,
        /// More about it, a JSON object as text.
        pub detail: String,
    }
}

/// An entry to be added.
#[derive(Clone, Debug)]
pub struct NewEntry<'a> {
    /// When.
    pub at: DateTime<Utc>,
    /// Who; None for the service's own settings and command line.
    pub actor_id: Option<UserId>,
    /// What they are called.
    pub actor_name: &'a str,
    /// What they did.
    pub action: AuditAction,
    /// What it was done to: its kind and id.
    pub subject: String,
    /// More about it, a JSON object.
    pub detail: serde_json::Value,
}

/// Which entries are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// Only these.
    pub action: Option<AuditAction>,
    /// Only what they did.
    pub actor: Option<UserId>,
}

impl<'a> NewEntry<'a> {
    /// What a person does now.
    pub fn by(
        user: &'a User,
        at: DateTime<Utc>,
        action: AuditAction,
        subject: String,
        detail: serde_json::Value,
    ) -> Self {
        let (actor_id, actor_name) = (Some(user.id), user.name.as_str());
        Self { at, actor_id, actor_name, action, subject, detail }
    }
}

/// Adds an entry. Do it last in the transaction of the thing itself: whoever else adds one waits
/// until this transaction ends, so that no number is left out.
pub async fn append(conn: &mut Conn, entry: &NewEntry<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO audit_log \
        (seq, at, actor_id, actor_name, action, subject, detail) \
        SELECT COALESCE(MAX(seq), 0) + 1, $1, $2, $3, $4, $5, $6 FROM audit_log";
    // SQLite has one writer anyway.
    if let Driver::Postgres(driver) = conn.driver() {
        let lock = "LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE";
        sqlx::query::<sqlx::Postgres>(lock).execute(driver).await?;
    }
    execute!(
        conn,
        SQL,
        entry.at,
        entry.actor_id,
        entry.actor_name,
        entry.action,
        entry.subject.as_str(),
        entry.detail.to_string(),
    );
    Ok(())
}

/// The next `limit` entries before `before`, newest first.
pub async fn list(
    conn: &mut Conn,
    filter: Filter,
    before: Option<u64>,
    limit: i64,
) -> Result<Vec<AuditEntry>> {
    const SQL: &str = "SELECT seq, at, actor_id, actor_name, action, subject, detail \
        FROM audit_log WHERE seq < $1 AND ($2 IS NULL OR action = $2) \
        AND ($3 IS NULL OR actor_id = $3) ORDER BY seq DESC LIMIT $4";
    let before = before.unwrap_or(u64::MAX);
    Ok(fetch!(conn, SQL, before, filter.action, filter.actor, limit))
}
