//! The phases of builds, as the journal derives them.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use domain::{ids::BuildId, state::PhaseStatus};

use super::{
    conn::Conn,
    error::Result,
    statement::{MultiRow, execute, fetch, insert_rows, row},
};

row! {
    /// A phase of a build.
    pub struct Phase {
        /// Its number in the phases contract, from 0.
        pub number: u32,
        /// Its title.
        pub title: String,
        /// Where it is.
        pub status: PhaseStatus,
        /// When work on it began.
        pub started_at: Option<DateTime<Utc>>,
        /// When it was signed off.
        pub completed_at: Option<DateTime<Utc>>,
    }
}

/// Adds the phases of a new build.
pub async fn insert_batch(conn: &mut Conn, build: BuildId, phases: &[Phase]) -> Result<()> {
    static INSERT: LazyLock<MultiRow> = LazyLock::new(|| {
        const HEAD: &str = "INSERT INTO build_phases \
            (build_id, number, title, status, started_at, completed_at) VALUES";
        MultiRow::new(HEAD, 6)
    });
    insert_rows!(
        conn,
        INSERT,
        phases,
        |phase| build,
        phase.number,
        phase.title.as_str(),
        phase.status,
        phase.started_at,
        phase.completed_at,
    );
    Ok(())
}

/// Marks a phase as running. One that began before keeps its time.
pub async fn start(conn: &mut Conn, build: BuildId, number: u32, at: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "UPDATE build_phases \
        SET status = 'running', started_at = COALESCE(started_at, $3) \
        WHERE build_id = $1 AND number = $2";
    execute!(conn, SQL, build, number, at);
    Ok(())
}

/// Marks a phase as complete.
pub async fn complete(
    conn: &mut Conn,
    build: BuildId,
    number: u32,
    at: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "UPDATE build_phases SET status = 'complete', completed_at = $3 \
        WHERE build_id = $1 AND number = $2";
    execute!(conn, SQL, build, number, at);
    Ok(())
}

/// All phases of a build, in order.
pub async fn list(conn: &mut Conn, build: BuildId) -> Result<Vec<Phase>> {
    const SQL: &str = "SELECT number, title, status, started_at, completed_at \
        FROM build_phases WHERE build_id = $1 ORDER BY number";
    Ok(fetch!(conn, SQL, build))
}
