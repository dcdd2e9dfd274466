//! The gates that an attempt to fix is about.

use domain::{
    event::{EventBody, gates::GateFinished},
    ids::BuildId,
    state::BuildState,
};

use super::{error::EngineError, handle::Engine};
use crate::{
    agent::GateFailure,
    store::events::{self, EventRow},
};

/// The type of the event with a gate's output.
const GATE_FINISHED: &str = "build_gate_finished";

impl Engine {
    /// The gates whose failures are being fixed, with their output. Its paths are relative to the
    /// worktree, as agents write them.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn gate_failures(
        &self,
        build: BuildId,
        state: &BuildState,
    ) -> Result<Vec<GateFailure>, EngineError> {
        let fix = state.phase().and_then(|phase| phase.fix.as_ref());
        let Some(fix) = fix else { return Ok(Vec::new()) };
        let mut conn = self.db().read().await?;
        // A gate runs at most once in a round, so that the newest results include all of the last round.
        let gates = state.gate_names(state.phase()).len();
        let rows = events::newest_of_type(&mut conn, build, GATE_FINISHED, gates).await?;
        drop(conn);
        let root = format!("{}/", self.paths().worktree(build).display());
        let newest = |cause: &String| rows.iter().find_map(|row| failed_gate(row, cause));
        let failures = fix.causes.iter().filter_map(newest).map(|gate| GateFailure {
            gate: gate.gate,
            exit_code: gate.exit_code,
            output: gate.output.replace(&root, ""),
        });
        Ok(failures.collect())
    }
}

fn failed_gate(row: &EventRow, name: &str) -> Option<GateFinished> {
    match serde_json::from_str(&row.body).ok()? {
        EventBody::BuildGateFinished(gate) if gate.gate == name && !gate.passed => Some(gate),
        _ => None,
    }
}
