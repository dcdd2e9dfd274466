//! The events of journals. Only the journal inserts rows.
//!
//! In SQLite the table keeps its rowid: without one, bodies of more than 1,000 bytes spill to pages
//! of their own, which triples the time and doubles the file.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use domain::{event::agents::Role, ids::BuildId};

use super::{
    conn::Conn,
    error::Result,
    statement::{MultiRow, execute_rows, fetch, row},
};

row! {
    pub struct EventRow {
        /// From 1 within the build.
        pub seq: u64,
        /// Also within `body`; for filters.
        pub kind: String = "type",
        /// Also within `body`.
        pub at: DateTime<Utc>,
        /// The exact text that was hashed.
        pub body: String,
        /// In hex.
        pub hash: String,
    }
}

/// Adds events in the given order, hundreds per statement. `Error::AlreadyExists`, by the commit at the
/// latest, if a number is taken.
pub async fn insert_batch(conn: &mut Conn, build: BuildId, events: &[EventRow]) -> Result<()> {
    static INSERT: LazyLock<MultiRow> = LazyLock::new(|| {
        MultiRow::new("INSERT INTO build_events (build_id, seq, type, at, body, hash)", 6, "")
    });
    execute_rows!(
        conn,
        INSERT,
        events,
        |event| build,
        event.seq,
        event.kind.as_str(),
        event.at,
        event.body.as_str(),
        event.hash.as_str(),
    );
    Ok(())
}

/// The next `limit` events with a number above `after`, oldest first.
pub async fn after(
    conn: &mut Conn,
    build: BuildId,
    after: u64,
    limit: i64,
) -> Result<Vec<EventRow>> {
    const SQL: &str = "SELECT seq, type, at, body, hash FROM build_events \
        WHERE build_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    Ok(fetch!(conn, SQL, build, after, limit))
}

/// The last `limit` events with a number below `before` (None: of all), oldest first.
pub async fn before(
    conn: &mut Conn,
    build: BuildId,
    before: Option<u64>,
    limit: i64,
) -> Result<Vec<EventRow>> {
    const SQL: &str = "SELECT seq, type, at, body, hash FROM build_events \
        WHERE build_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3";
    let mut newest_first = fetch!(conn, SQL, build, before.unwrap_or(u64::MAX), limit);
    newest_first.reverse();
    Ok(newest_first)
}

/// The body of the last `build_contract_read` of a role before an event.
pub async fn last_contract_read(
    conn: &mut Conn,
    build: BuildId,
    role: Role,
    before: u64,
) -> Result<Option<String>> {
    const SQL: &str = "SELECT body FROM build_events WHERE build_id = $1 AND seq < $2 \
        AND type = 'build_contract_read' AND body LIKE '%\"role\":\"' || $3 || '\"%' \
        ORDER BY seq DESC LIMIT 1";
    let bodies: Vec<(String,)> = fetch!(conn, SQL, build, before, role);
    Ok(bodies.into_iter().next().map(|(body,)| body))
}

/// All events of a type, oldest first.
pub async fn of_type(conn: &mut Conn, build: BuildId, kind: &str) -> Result<Vec<EventRow>> {
    const SQL: &str = "SELECT seq, type, at, body, hash FROM build_events \
        WHERE build_id = $1 AND type = $2 ORDER BY seq";
    Ok(fetch!(conn, SQL, build, kind))
}

/// The newest `limit` events of a type, newest first.
pub async fn newest_of_type(
    conn: &mut Conn,
    build: BuildId,
    kind: &str,
    limit: usize,
) -> Result<Vec<EventRow>> {
    const SQL: &str = "SELECT seq, type, at, body, hash FROM build_events \
        WHERE build_id = $1 AND type = $2 ORDER BY seq DESC LIMIT $3";
    Ok(fetch!(conn, SQL, build, kind, limit as i64))
}

/// Number of the newest event; 0 before the first.
pub async fn head_seq(conn: &mut Conn, build: BuildId) -> Result<u64> {
    const SQL: &str = "SELECT seq FROM build_events WHERE build_id = $1 ORDER BY seq DESC LIMIT 1";
    let rows: Vec<(u64,)> = fetch!(conn, SQL, build);
    Ok(rows.first().map_or(0, |(seq,)| *seq))
}
