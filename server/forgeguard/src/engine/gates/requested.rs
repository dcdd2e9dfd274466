//! Runs the gates that a user has requested, on the files as they are: while the build waits, or
//! between two steps of an agent. The results are recorded and decide nothing.

use std::time::Instant;

use domain::{
    event::{EventBody, control::RequestedGateFinished},
    state::BuildState,
};

use super::{
    super::{driver::Driver, error::EngineError},
    candidate::Candidate,
};

impl Driver {
    /// Stops early if a user wants the build to continue. A gate that was interrupted by the end of
    /// the build or a shutdown counts as not run.
    pub(in super::super) async fn run_requested_gates(
        &self,
        state: &BuildState,
        names: Vec<String>,
    ) -> Result<(), EngineError> {
        let number = state.phase().ok_or(EngineError::NotFound("phase"))?.outline.number;
        let workspace = self.workspace().await?;
        let candidate = self.candidate_of_files(workspace, state, Some(number)).await?;
        for name in names {
            self.run_requested_gate(state, &candidate, number, name).await?;
            let newest = self.engine.journal().state(self.build()).await?;
            if newest.is_interrupted() || newest.resume_requested.is_some() {
                break;
            }
        }
        Ok(())
    }

    async fn run_requested_gate(
        &self,
        state: &BuildState,
        candidate: &Candidate,
        phase: u32,
        gate: String,
    ) -> Result<(), EngineError> {
        let definition = state.gate(&gate);
        let begun = Instant::now();
        let outcome = match &definition {
            Some(definition) => self.run_in_worktree(candidate, definition).await?,
            None => Some(self.run_built_in(candidate, &gate).await?),
        };
        let Some(mut outcome) = outcome else { return Ok(()) };
        if let Some(resource) = outcome.exhausted {
            outcome.passed = false;
            outcome.output =
                format!("The gate ran out of {}.\n{}", resource.name(), outcome.output);
        }
        let log = self.store_log(&mut outcome).await?;
        let finished = RequestedGateFinished {
            required: definition.as_ref().is_none_or(|gate| gate.required),
            command: definition.map_or(String::new(), |gate| gate.command),
            gate,
            phase,
            passed: outcome.passed,
            exit_code: outcome.exit_code,
            duration_ms: begun.elapsed().as_millis() as u64,
            output: outcome.output,
            output_sha256: outcome.output_sha256,
            tree_sha: Some(candidate.tree.to_string()),
            sandbox: outcome.sandbox,
            tests: outcome.tests.counts,
            failed_tests: outcome.tests.failed,
            log,
        };
        self.append(vec![finished.into()]).await.map(drop)
    }
}

/// The results of gates that are not tried again, because the worker process ended while they ran.
pub fn abandoned(state: &BuildState, names: Vec<String>) -> Vec<EventBody> {
    let Some(phase) = state.phase().map(|phase| phase.outline.number) else { return Vec::new() };
    let finished = names.into_iter().map(|gate| {
        let definition = state.gate(&gate);
        let output = "The worker process ended twice while the requested gates ran.".to_owned();
        RequestedGateFinished {
            required: definition.as_ref().is_none_or(|gate| gate.required),
            command: definition.map_or(String::new(), |gate| gate.command),
            gate,
            phase,
            passed: false,
            exit_code: None,
            duration_ms: 0,
            output_sha256: domain::attestation::sha256(output.as_bytes()),
            output,
            tree_sha: None,
            sandbox: None,
            tests: None,
            failed_tests: Vec::new(),
            log: None,
        }
        .into()
    });
    finished.collect()
}
