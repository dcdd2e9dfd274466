//! The audit log of the installation. Entries are only added and read; triggers reject anything
//! else.

use chrono::{DateTime, Utc};
use domain::{
    attestation::sha256,
    audit::{AuditAction, AuditHead},
    audit_chain::AuditRecord,
    ids::{ProjectId, UserId},
};

use super::{
    conn::Conn,
    error::Result,
    field::Bind,
    seals,
    statement::{execute, fetch, row},
    users::User,
};

/// Entries per query.
const PAGE: i64 = 500;
/// Concurrent entries may be numbered in another order than that of their times, but not further
/// apart than this.
const MAX_DISORDER: u64 = 1_000;

row! {
    pub struct AuditEntry {
        /// From 1, without gaps.
        pub seq: u64,
        pub at: DateTime<Utc>,
        /// None for the service itself and its command line.
        pub actor_id: Option<UserId>,
        /// The actor's name at that time.
        pub actor_name: String,
        pub action: AuditAction,
        /// Kind and id of the subject, such as `user/0190…`.
        pub subject: String,
        /// A JSON object as text.
        pub detail: String,
        /// Over this entry and the one before; None in entries of earlier versions.
        pub hash: Option<String>,
    }
}

/// An entry to be added.
#[derive(Clone, Debug)]
pub struct NewEntry<'a> {
    pub at: DateTime<Utc>,
    /// None for the service itself and its command line.
    pub actor_id: Option<UserId>,
    pub actor_name: &'a str,
    pub action: AuditAction,
    /// Kind and id of the subject.
    pub subject: String,
    /// A JSON object.
    pub detail: serde_json::Value,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    pub action: Option<AuditAction>,
    pub actor: Option<UserId>,
    /// Only entries about this project and its builds.
    pub project: Option<ProjectId>,
    /// Only entries from this time on.
    pub from: Option<DateTime<Utc>>,
    /// Only entries before this time.
    pub until: Option<DateTime<Utc>>,
}

row! {
    /// An entry as stored. Its action may be unknown to this version.
    pub struct AuditRow {
        /// From 1, without gaps.
        pub seq: u64,
        pub at: DateTime<Utc>,
        /// None for the service itself and its command line.
        pub actor_id: Option<UserId>,
        /// The actor's name at that time.
        pub actor_name: String,
        /// The action's name.
        pub action: String,
        /// Kind and id of the subject.
        pub subject: String,
        /// A JSON object as text.
        pub detail: String,
        /// Over this entry and the one before; None in entries of earlier versions.
        pub hash: Option<String>,
    }
}

impl AuditRow {
    /// Whether it records this action.
    pub fn is(&self, action: AuditAction) -> bool {
        self.action == Bind::sqlite(action)
    }

    /// The hashed text of the entry.
    pub fn record(&self) -> AuditRecord<'_> {
        AuditRecord {
            seq: self.seq,
            at: self.at,
            actor_id: self.actor_id,
            actor_name: &self.actor_name,
            action: &self.action,
            subject: &self.subject,
            detail: &self.detail,
        }
    }
}

impl<'a> NewEntry<'a> {
    /// An action of the service itself.
    pub fn by_service(
        at: DateTime<Utc>,
        action: AuditAction,
        subject: String,
        detail: serde_json::Value,
    ) -> Self {
        Self { at, actor_id: None, actor_name: "ForgeGuard", action, subject, detail }
    }

    /// An action of a user.
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

/// Adds an entry, chained to the newest one. Call it last in the transaction of the recorded action:
/// other appends wait until the transaction ends, so that the log has no gaps.
pub async fn append(conn: &mut Conn, entry: &NewEntry<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO audit_log \
        (seq, at, actor_id, actor_name, action, subject, detail, hash) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    lock(conn).await?;
    let previous = head(conn).await?;
    let (action, detail) = (Bind::sqlite(entry.action), entry.detail.to_string());
    let record = AuditRecord {
        seq: previous.seq + 1,
        at: entry.at,
        actor_id: entry.actor_id,
        actor_name: entry.actor_name,
        action: &action,
        subject: &entry.subject,
        detail: &detail,
    };
    let hash = record.hash(&previous.hash);
    execute!(
        conn,
        SQL,
        record.seq,
        record.at,
        record.actor_id,
        record.actor_name,
        record.action,
        record.subject,
        record.detail,
        hash,
    );
    Ok(())
}

/// Other appends wait until this transaction ends. SQLite has only one writer anyway.
async fn lock(conn: &mut Conn) -> Result<()> {
    if conn.is_postgres() {
        execute!(conn, "LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE");
    }
    Ok(())
}

/// The newest entry with its hash. If no entry has a hash yet, all of them are hashed.
pub async fn head(conn: &mut Conn) -> Result<AuditHead> {
    const SQL: &str = "SELECT seq, at, actor_id, actor_name, action, subject, detail, hash \
        FROM audit_log ORDER BY seq DESC LIMIT 1";
    let newest: Vec<AuditRow> = fetch!(conn, SQL);
    let Some(newest) = newest.into_iter().next() else { return Ok(AuditHead::default()) };
    if let Some(hash) = newest.hash {
        return Ok(AuditHead { seq: newest.seq, hash });
    }
    let mut head = AuditHead::default();
    loop {
        let rows = after(conn, head.seq, PAGE).await?;
        let Some(last) = rows.last() else { return Ok(head) };
        let seq = last.seq;
        let hash = rows.iter().fold(head.hash, |previous, row| row.record().hash(&previous));
        head = AuditHead { seq, hash };
    }
}

/// The next `limit` entries after `seq` as stored, oldest first.
pub async fn after(conn: &mut Conn, seq: u64, limit: i64) -> Result<Vec<AuditRow>> {
    const SQL: &str = "SELECT seq, at, actor_id, actor_name, action, subject, detail, hash \
        FROM audit_log WHERE seq > $1 ORDER BY seq LIMIT $2";
    Ok(fetch!(conn, SQL, seq, limit))
}

/// All entries about a subject as stored, oldest first.
pub async fn about(conn: &mut Conn, subject: &str) -> Result<Vec<AuditRow>> {
    const SQL: &str = "SELECT seq, at, actor_id, actor_name, action, subject, detail, hash \
        FROM audit_log WHERE subject = $1 ORDER BY seq";
    Ok(fetch!(conn, SQL, subject))
}

/// Whether an earlier version left entries, or signed seals, that are not covered by a hash.
pub async fn is_unchained(conn: &mut Conn) -> Result<bool> {
    const SQL: &str = "SELECT COUNT(*) FROM audit_log WHERE hash IS NOT NULL";
    let chained: Vec<(u64,)> = fetch!(conn, SQL);
    Ok(chained == [(0,)]
        && (head(conn).await?.seq > 0 || !seals::envelopes(conn).await?.is_empty()))
}

/// Chains the entries of earlier versions, and records the seals that they signed. Does nothing if
/// the log is chained.
pub async fn start_chain(conn: &mut Conn, at: DateTime<Utc>) -> Result<()> {
    lock(conn).await?;
    if !is_unchained(conn).await? {
        return Ok(());
    }
    let (head, signed) = (head(conn).await?, seals::envelopes(conn).await?);
    let detail = serde_json::json!({ "entries": head.seq });
    let entry = NewEntry::by_service(at, AuditAction::ChainStarted, "audit_log".into(), detail);
    append(conn, &entry).await?;
    for (build, envelope) in signed {
        let detail = serde_json::json!({
            "envelope_sha256": sha256(envelope.as_bytes()), "adopted": true,
        });
        let subject = format!("build/{build}");
        append(conn, &NewEntry::by_service(at, AuditAction::SealSigned, subject, detail)).await?;
    }
    Ok(())
}

/// The next `limit` entries before `before`, newest first.
pub async fn list(
    conn: &mut Conn,
    filter: Filter,
    before: Option<u64>,
    limit: i64,
) -> Result<Vec<AuditEntry>> {
    // A text for each selective filter: an optional condition would prevent the use of its index.
    macro_rules! text {
        ($filter:literal) => {
            concat!(
                "SELECT seq, at, actor_id, actor_name, action, subject, detail, hash \
                 FROM audit_log WHERE seq > $1 AND seq < $2 AND at >= $3 AND at < $4",
                $filter,
                " ORDER BY seq DESC LIMIT $5"
            )
        };
    }
    let Filter { action, actor, project, from, until } = filter;
    let from = from.unwrap_or(DateTime::UNIX_EPOCH);
    let after = match filter.from {
        Some(from) => first_since(conn, from).await?.saturating_sub(MAX_DISORDER),
        None => 0,
    };
    let end = match until {
        Some(until) => first_since(conn, until).await?.saturating_add(MAX_DISORDER),
        None => u64::MAX,
    };
    let before = before.unwrap_or(u64::MAX).min(end);
    let until = until.unwrap_or_else(end_of_time);
    Ok(match (project, actor, action) {
        (Some(project), actor, action) => fetch!(
            conn,
            text!(
                " AND subject IN (SELECT 'project/' || CAST(projects.id AS TEXT) \
                 FROM projects WHERE projects.id = $6 \
                 UNION ALL SELECT 'build/' || CAST(builds.id AS TEXT) \
                 FROM builds WHERE builds.project_id = $6) \
                 AND ($7 IS NULL OR action = $7) AND ($8 IS NULL OR actor_id = $8)"
            ),
            after,
            before,
            from,
            until,
            limit,
            project,
            action,
            actor
        ),
        (None, Some(actor), action) => fetch!(
            conn,
            text!(" AND actor_id = $6 AND ($7 IS NULL OR action = $7)"),
            after,
            before,
            from,
            until,
            limit,
            actor,
            action
        ),
        (None, None, Some(action)) => {
            fetch!(conn, text!(" AND action = $6"), after, before, from, until, limit, action)
        }
        (None, None, None) => fetch!(conn, text!(""), after, before, from, until, limit),
    })
}

/// The number of the first entry at or after this time.
async fn first_since(conn: &mut Conn, at: DateTime<Utc>) -> Result<u64> {
    const SQL: &str = "SELECT seq FROM audit_log WHERE at >= $1 ORDER BY at, seq LIMIT 1";
    let found: Vec<(u64,)> = fetch!(conn, SQL, at);
    Ok(found.first().map_or(i64::MAX as u64, |(seq,)| *seq))
}

/// The year 9999.
fn end_of_time() -> DateTime<Utc> {
    DateTime::from_timestamp(253_370_764_800, 0).unwrap_or(DateTime::<Utc>::MAX_UTC)
}
