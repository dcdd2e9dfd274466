//! Folded states of builds, stored at intervals so that a restart does not read whole journals.

use domain::ids::BuildId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct Checkpoint {
        /// The newest event included.
        pub seq: u64,
        /// JSON.
        pub state: String,
    }
}

/// Inserts or replaces a build's checkpoint.
pub async fn put(conn: &mut Conn, build: BuildId, seq: u64, state: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO build_checkpoints (build_id, seq, state) VALUES ($1, $2, $3) \
        ON CONFLICT (build_id) DO UPDATE SET seq = excluded.seq, state = excluded.state";
    execute!(conn, SQL, build, seq, state);
    Ok(())
}

pub async fn get(conn: &mut Conn, build: BuildId) -> Result<Option<Checkpoint>> {
    const SQL: &str = "SELECT seq, state FROM build_checkpoints WHERE build_id = $1";
    Ok(fetch!(conn, SQL, build).pop())
}
