//! The distinct errors of builds, each with the number of its occurrences.

use std::{borrow::Cow, sync::LazyLock};

use chrono::{DateTime, Utc};
use domain::{
    errors::{ResolutionMethod, Severity},
    ids::{BuildErrorId, BuildId, Id},
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{MultiRow, execute_rows, fetch, row},
};

row! {
    pub struct BuildError {
        pub id: BuildErrorId,
        pub build_id: BuildId,
        /// Equal for occurrences of the same error; unique within the build.
        pub fingerprint: String,
        pub first_seen: DateTime<Utc>,
        pub last_seen: DateTime<Utc>,
        pub occurrence_count: u32,
        /// The label of the phase of its last occurrence.
        pub phase: Option<String>,
        /// The file that the message names.
        pub file_path: Option<String>,
        /// Such as `gate:test`.
        pub source: String,
        pub severity: Severity,
        /// The message of the last occurrence.
        pub message: String,
        pub resolved: bool,
        pub resolved_at: Option<DateTime<Utc>>,
        pub resolution_method: Option<ResolutionMethod>,
        pub resolution_summary: Option<String>,
        /// Whether it was resolved before and occurred again.
        pub regression: bool,
        /// The event that first recorded it; None if an earlier version recorded it.
        pub first_seq: Option<u64>,
    }
}

/// An error after its last occurrence; it is open.
#[derive(Clone, Debug)]
pub struct TrackedError<'a> {
    pub id: BuildErrorId,
    pub build_id: BuildId,
    /// Whether it has no row yet.
    pub is_new: bool,
    /// The event of the first occurrence that is written here.
    pub seq: u64,
    /// Equal for occurrences of the same error.
    pub fingerprint: &'a str,
    pub first_seen: DateTime<Utc>,
    pub last_seen: DateTime<Utc>,
    pub occurrence_count: u32,
    /// The label of the phase of its last occurrence.
    pub phase: Option<&'a str>,
    /// The file that the message names; None keeps the stored one.
    pub file_path: Option<&'a str>,
    /// Such as `gate:test`.
    pub source: &'a str,
    pub severity: Severity,
    /// The message of the last occurrence.
    pub message: Cow<'a, str>,
    /// Whether it was resolved before and occurred again.
    pub regression: bool,
}

#[derive(Clone, Debug)]
pub struct Resolution<'a> {
    pub at: DateTime<Utc>,
    pub method: ResolutionMethod,
    pub summary: Option<Cow<'a, str>>,
}

/// The position of a page in a build's errors: after this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub resolved: bool,
    pub id: BuildErrorId,
}

impl Resolution<'_> {
    fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }
}

macro_rules! columns {
    () => {
        "id, build_id, fingerprint, first_seen, last_seen, occurrence_count, phase, file_path, \
         source, severity, message, resolved, resolved_at, resolution_method, \
         resolution_summary, regression, first_seq"
    };
}

/// Adds errors that have no row yet.
pub async fn insert_batch(conn: &mut Conn, errors: &[TrackedError<'_>]) -> Result<()> {
    static INSERT: LazyLock<MultiRow> = LazyLock::new(|| {
        const INSERT: &str = "INSERT INTO build_errors (id, build_id, fingerprint, first_seen, \
            last_seen, occurrence_count, phase, file_path, source, severity, message, created_at, \
            first_seq, regression)";
        MultiRow::new(INSERT, 14, "")
    });
    execute_rows!(
        conn,
        INSERT,
        errors,
        |error| error.id,
        error.build_id,
        error.fingerprint,
        error.first_seen,
        error.last_seen,
        error.occurrence_count,
        error.phase,
        error.file_path,
        error.source,
        error.severity,
        &*error.message,
        error.first_seen,
        error.seq,
        error.regression,
    );
    Ok(())
}

/// What an occurrence changes in the row of its error: `UPDATE`, up to the rows that it is joined with.
macro_rules! update_known_text {
    () => {
        "UPDATE build_errors SET last_seen = column2, \
         occurrence_count = column3, phase = column4, \
         file_path = COALESCE(column5, file_path), message = column6, regression = column7, \
         resolved = FALSE, resolved_at = NULL, resolution_method = NULL, \
         resolution_summary = NULL FROM "
    };
}
pub(super) use update_known_text;

/// Updates errors that occurred again, each once. An upsert takes twice as long on PostgreSQL.
pub async fn update_batch(conn: &mut Conn, errors: &[&TrackedError<'_>]) -> Result<()> {
    static UPDATE: LazyLock<MultiRow> = LazyLock::new(|| {
        MultiRow::new(
            concat!(update_known_text!(), "("),
            7,
            ") AS known WHERE build_errors.id = column1",
        )
    });
    execute_rows!(
        conn,
        UPDATE,
        errors,
        |error| error.id,
        error.last_seen,
        error.occurrence_count,
        error.phase,
        error.file_path,
        &*error.message,
        error.regression,
    );
    Ok(())
}

/// Writes resolutions, each error once. None reopens an error.
pub async fn set_resolutions(
    conn: &mut Conn,
    resolutions: &[(BuildErrorId, Option<Resolution<'_>>)],
) -> Result<()> {
    static UPDATE: LazyLock<MultiRow> = LazyLock::new(|| {
        const SET: &str = "UPDATE build_errors SET resolved = column2, resolved_at = column3, \
            resolution_method = column4, resolution_summary = column5 FROM (";
        MultiRow::new(SET, 5, ") AS changed WHERE build_errors.id = column1")
    });
    execute_rows!(
        conn,
        UPDATE,
        resolutions,
        |change| change.0,
        change.1.is_some(),
        change.1.as_ref().map(|resolution| resolution.at),
        change.1.as_ref().map(|resolution| resolution.method),
        change.1.as_ref().and_then(Resolution::summary),
    );
    Ok(())
}

/// The error with this id, if it belongs to the build.
pub async fn get(conn: &mut Conn, build: BuildId, id: BuildErrorId) -> Result<Option<BuildError>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM build_errors WHERE build_id = $1 AND id = $2");
    Ok(fetch!(conn, SQL, build, id).pop())
}

/// The next `limit` errors of a build after `after`: open ones first, then resolved ones, each in the
/// order of their first occurrence.
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

/// The first `limit` errors of a build that `other` has as well, or does not have; open ones first.
pub async fn compared(
    conn: &mut Conn,
    build: BuildId,
    other: BuildId,
    in_both: bool,
    limit: i64,
) -> Result<Vec<BuildError>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM build_errors WHERE build_id = $1 AND EXISTS (SELECT there.id \
         FROM build_errors AS there WHERE there.build_id = $2 \
         AND there.fingerprint = build_errors.fingerprint) = $3 ORDER BY resolved, id LIMIT $4"
    );
    Ok(fetch!(conn, SQL, build, other, in_both, limit))
}

/// How many errors a build has, and how many of them `other` has as well.
pub async fn count_compared(conn: &mut Conn, build: BuildId, other: BuildId) -> Result<(u64, u64)> {
    const SQL: &str = "SELECT COUNT(*), COUNT(there.id) FROM build_errors AS here \
        LEFT JOIN build_errors AS there ON there.build_id = $2 \
        AND there.fingerprint = here.fingerprint WHERE here.build_id = $1";
    Ok(fetch!(conn, SQL, build, other).pop().unwrap_or_default())
}

/// The number of open errors of a build.
pub async fn count_open(conn: &mut Conn, build: BuildId) -> Result<u64> {
    const SQL: &str = "SELECT COUNT(*) FROM build_errors WHERE build_id = $1 AND resolved = FALSE";
    let counts: Vec<(u64,)> = fetch!(conn, SQL, build);
    Ok(counts.first().map_or(0, |(count,)| *count))
}
