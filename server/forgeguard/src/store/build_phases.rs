//! The phases of builds, derived from the journal.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use domain::{ids::BuildId, state::PhaseStatus};

use super::{
    conn::Conn,
    error::Result,
    statement::{MultiRow, execute_later, execute_rows, fetch, row},
};

row! {
    pub struct Phase {
        /// From 0, as in the phases contract.
        pub number: u32,
        pub title: String,
        pub status: PhaseStatus,
        pub started_at: Option<DateTime<Utc>>,
        pub completed_at: Option<DateTime<Utc>>,
    }
}

pub async fn insert_batch(conn: &mut Conn, build: BuildId, phases: &[Phase]) -> Result<()> {
    static INSERT: LazyLock<MultiRow> = LazyLock::new(|| {
        const HEAD: &str = "INSERT INTO build_phases \
            (build_id, number, title, status, started_at, completed_at)";
        MultiRow::new(HEAD, 6, "")
    });
    execute_rows!(
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

/// Marks a phase as running. A phase that was started before keeps its time.
pub async fn start(conn: &mut Conn, build: BuildId, number: u32, at: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "UPDATE build_phases \
        SET status = 'running', started_at = COALESCE(started_at, $3) \
        WHERE build_id = $1 AND number = $2";
    execute_later!(conn, SQL, build, number, at);
    Ok(())
}

/// Marks a phase that begins again, or that is left out of the build.
pub async fn set_status(
    conn: &mut Conn,
    build: BuildId,
    number: u32,
    status: PhaseStatus,
) -> Result<()> {
    const SQL: &str = "UPDATE build_phases SET status = $3 WHERE build_id = $1 AND number = $2";
    execute_later!(conn, SQL, build, number, status);
    Ok(())
}

pub async fn complete(
    conn: &mut Conn,
    build: BuildId,
    number: u32,
    at: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "UPDATE build_phases SET status = 'complete', completed_at = $3 \
        WHERE build_id = $1 AND number = $2";
    execute_later!(conn, SQL, build, number, at);
    Ok(())
}

/// In order.
pub async fn list(conn: &mut Conn, build: BuildId) -> Result<Vec<Phase>> {
    const SQL: &str = "SELECT number, title, status, started_at, completed_at \
        FROM build_phases WHERE build_id = $1 ORDER BY number";
    Ok(fetch!(conn, SQL, build))
}
