//! The rows of journals. Only the journal inserts here; everyone may read.
//!
//! In SQLite the table keeps its rowid. Without one it is as flat up to a million rows, but every
//! body over 1,000 bytes spills to a page of its own: thrice the time and twice the file.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use domain::{event::agents::Role, ids::BuildId};

use super::{
    conn::Conn,
    error::Result,
    statement::{MultiRow, fetch, insert_rows, row},
};

row! {
    /// One event of a build.
    pub struct EventRow {
        /// Its number within the build, from 1.
        pub seq: u64,
        /// Its type, for filters; also within `body`.
        pub kind: String = "type",
        /// When it was appended; also within `body`.
        pub at: DateTime<Utc>,
        /// The exact text that was hashed.
        pub body: String,
        /// The link of the chain, in hex.
        pub hash: String,
    }
}

/// Adds events in the order given, hundreds in a statement. A number that is taken is
/// `Error::AlreadyExists`.
pub async fn insert_batch(conn: &mut Conn, build: BuildId, events: &[EventRow]) -> Result<()> {
    static INSERT: LazyLock<MultiRow> = LazyLock::new(|| {
        MultiRow::new("INSERT INTO build_events (build_id, seq, type, at, body, hash) VALUES", 6)
    });
    insert_rows!(
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

/// The text of the last `build_contract_read` of a role before an event.
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

/// All events of one type, oldest first.
pub async fn of_type(conn: &mut Conn, build: BuildId, kind: &str) -> Result<Vec<EventRow>> {
    const SQL: &str = "SELECT seq, type, at, body, hash FROM build_events \
        WHERE build_id = $1 AND type = $2 ORDER BY seq";
    Ok(fetch!(conn, SQL, build, kind))
}

/// The newest event.
pub async fn head(conn: &mut Conn, build: BuildId) -> Result<Option<EventRow>> {
    Ok(before(conn, build, None, 1).await?.pop())
}
