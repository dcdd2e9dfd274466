//! The distinct errors of builds, each with its count (columns as in the product's description).

use chrono::{DateTime, Utc};
use domain::{
    errors::{ResolutionMethod, Severity},
    ids::{BuildErrorId, BuildId, Id},
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// One distinct error of a build.
    pub struct BuildError {
        /// The error's id.
        pub id: BuildErrorId,
        /// The build.
        pub build_id: BuildId,
        /// Equal for errors that are the same; unique within the build.
        pub fingerprint: String,
        /// When it was seen first.
        pub first_seen: DateTime<Utc>,
        /// When it was seen last.
        pub last_seen: DateTime<Utc>,
        /// How often it was seen.
        pub occurrence_count: u32,
        /// The label of the phase in which it was last seen.
        pub phase: Option<String>,
        /// The file it names.
        pub file_path: Option<String>,
        /// What reported it.
        pub source: String,
        /// How grave.
        pub severity: Severity,
        /// Its words when it was seen last.
        pub message: String,
        /// Whether it is settled.
        pub resolved: bool,
        /// When it was settled.
        pub resolved_at: Option<DateTime<Utc>>,
        /// How it was settled.
        pub resolution_method: Option<ResolutionMethod>,
        /// A note about how.
        pub resolution_summary: Option<String>,
        /// It had been settled once and came back.
        pub regression: bool,
        /// The event that told of it first; None for those from before that was written down.
        pub first_seq: Option<u64>,
    }
}

/// An error that was just seen.
#[derive(Clone, Debug)]
pub struct Sighting<'a> {
    /// The id it gets if it is new.
    pub id: BuildErrorId,
    /// The build.
    pub build_id: BuildId,
    /// The event that tells of it.
    pub seq: u64,
    /// Equal for errors that are the same.
    pub fingerprint: &'a str,
    /// When it was seen.
    pub at: DateTime<Utc>,
    /// The label of the phase.
    pub phase: Option<&'a str>,
    /// The file it names.
    pub file_path: Option<&'a str>,
    /// What reported it.
    pub source: &'a str,
    /// How grave.
    pub severity: Severity,
    /// Its words.
    pub message: &'a str,
}

/// Where a page of a build's errors begins: behind this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Whether it was settled.
    pub resolved: bool,
    /// Its id.
    pub id: BuildErrorId,
}

macro_rules! columns {
    () => {
        "id, build_id, fingerprint, first_seen, last_seen, occurrence_count, phase, file_path, \
         source, severity, message, resolved, resolved_at, resolution_method, \
         resolution_summary, regression, first_seq"
    };
}

/// Counts a sighting: a new record, or one more of the same fingerprint. A settled one is open
/// again and marked as a regression.
pub async fn upsert(conn: &mut Conn, seen: &Sighting<'_>) -> Result<BuildError> {
    const SQL: &str = concat!(
        "INSERT INTO build_errors (id, build_id, fingerprint, first_seen, last_seen, phase, \
         file_path, source, severity, message, created_at, first_seq) \
         VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9, $4, $10) \
         ON CONFLICT (build_id, fingerprint) DO UPDATE SET \
         occurrence_count = build_errors.occurrence_count + 1, \
         last_seen = excluded.last_seen, phase = excluded.phase, \
         file_path = COALESCE(excluded.file_path, build_errors.file_path), \
         message = excluded.message, \
         regression = build_errors.regression OR build_errors.resolved, \
         resolved = FALSE, resolved_at = NULL, resolution_method = NULL, \
         resolution_summary = NULL RETURNING ",
        columns!()
    );
    let mut written: Vec<BuildError> = fetch!(
        conn,
        SQL,
        seen.id,
        seen.build_id,
        seen.fingerprint,
        seen.at,
        seen.phase,
        seen.file_path,
        seen.source,
        seen.severity,
        seen.message,
        seen.seq,
    );
    written.pop().ok_or_else(|| sqlx::Error::RowNotFound.into())
}

/// Settles an error if it is open. False if it was settled, or there is none such.
pub async fn resolve(
    conn: &mut Conn,
    id: BuildErrorId,
    method: ResolutionMethod,
    summary: Option<&str>,
    at: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = "UPDATE build_errors SET resolved = TRUE, resolved_at = $4, \
        resolution_method = $2, resolution_summary = $3 WHERE id = $1 AND resolved = FALSE";
    Ok(execute!(conn, SQL, id, method, summary, at) > 0)
}

/// Opens an error again that was settled. False if it is open, or there is none such.
pub async fn reopen(conn: &mut Conn, id: BuildErrorId) -> Result<bool> {
    const SQL: &str = "UPDATE build_errors SET resolved = FALSE, resolved_at = NULL, \
        resolution_method = NULL, resolution_summary = NULL WHERE id = $1 AND resolved = TRUE";
    Ok(execute!(conn, SQL, id) > 0)
}

/// The error with this id, if it is the build's.
pub async fn get(conn: &mut Conn, build: BuildId, id: BuildErrorId) -> Result<Option<BuildError>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM build_errors WHERE build_id = $1 AND id = $2");
    Ok(fetch!(conn, SQL, build, id).pop())
}

/// The next `limit` errors of a build behind `after`: open ones first, each kind in the order in
/// which they were first seen.
pub async fn list(
    conn: &mut Conn,
    build: BuildId,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<BuildError>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM build_errors WHERE build_id = $1 AND (resolved, id) > ($2, $3) \
         ORDER BY resolved, id LIMIT $4"
    );
    let first = Cursor { resolved: false, id: BuildErrorId::from_uuid(Uuid::nil()) };
    let Cursor { resolved, id } = after.unwrap_or(first);
    Ok(fetch!(conn, SQL, build, resolved, id, limit))
}

/// How many errors of a build are open.
pub async fn count_open(conn: &mut Conn, build: BuildId) -> Result<u64> {
    const SQL: &str = "SELECT COUNT(*) FROM build_errors WHERE build_id = $1 AND resolved = FALSE";
    let counts: Vec<(u64,)> = fetch!(conn, SQL, build);
    Ok(counts.first().map_or(0, |(count,)| *count))
}
