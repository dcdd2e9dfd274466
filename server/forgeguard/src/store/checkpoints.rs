//! Folded states of builds, stored now and then so that a restart need not read whole journals.

use domain::ids::BuildId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// The state of a build as of one event.
    pub struct Checkpoint {
        /// The newest event in it.
        pub seq: u64,
        /// The state as JSON text.
        pub state: String,
    }
}

/// Stores a state in place of an older one.
pub async fn put(conn: &mut Conn, build: BuildId, seq: u64, state: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO build_checkpoints (build_id, seq, state) VALUES ($1, $2, $3) \
        ON CONFLICT (build_id) DO UPDATE SET seq = excluded.seq, state = excluded.state";
    execute!(conn, SQL, build, seq, state);
    Ok(())
}

/// The stored state of a build.
pub async fn get(conn: &mut Conn, build: BuildId) -> Result<Option<Checkpoint>> {
    const SQL: &str = "SELECT seq, state FROM build_checkpoints WHERE build_id = $1";
    Ok(fetch!(conn, SQL, build).pop())
}
