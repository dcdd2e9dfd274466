//! Runs the gates on the baseline before the first phase: a gate that cannot run is found out before
//! money is spent, and a gate that fails is known to have failed before.

use std::time::Instant;

use domain::{
    event::preflight::{PreflightFinished, PreflightStarted},
    gate_failure,
    state::BuildState,
};
use futures::future::try_join_all;

use super::{
    super::{branch, driver::Driver, error::EngineError},
    candidate::Candidate,
};

impl Driver {
    /// A gate that was interrupted by the end of the build or a shutdown counts as not run.
    pub(in super::super) async fn run_preflight(
        &self,
        state: &BuildState,
        names: Vec<String>,
    ) -> Result<(), EngineError> {
        let baseline = branch::baseline(state)?;
        let mut candidate = self.candidate(state, None).await?;
        let clone = candidate.workspace.clone.clone();
        candidate.head = baseline;
        candidate.tree = self.engine.blocking(move || Ok(clone.tree_of(baseline)?)).await?;
        let (baseline_sha, gates) = (baseline.to_string(), names.clone());
        self.append(vec![PreflightStarted { baseline_sha, gates }.into()]).await?;
        let runs = names.iter().map(|name| self.run_preflight_gate(state, &candidate, name));
        try_join_all(runs).await.map(drop)
    }

    async fn run_preflight_gate(
        &self,
        state: &BuildState,
        candidate: &Candidate,
        name: &str,
    ) -> Result<(), EngineError> {
        let gate = state.gate(name).ok_or(EngineError::NotFound("gate"))?;
        let begun = Instant::now();
        let Some(mut outcome) = self.run_on_checkout(candidate, &gate).await? else {
            return Ok(());
        };
        if let Some(resource) = outcome.exhausted {
            let (name, command) = (gate.name, gate.command);
            return self.record_exhaustion(name, command, None, resource, outcome, begun).await;
        }
        let missing_program = match outcome.passed {
            true => None,
            false => {
                gate_failure::missing_program(&gate.command, outcome.exit_code, &outcome.output)
            }
        };
        let log = self.store_log(&mut outcome).await?;
        let finished = PreflightFinished {
            gate: gate.name,
            command: gate.command,
            required: gate.required,
            passed: outcome.passed,
            exit_code: outcome.exit_code,
            missing_program,
            duration_ms: begun.elapsed().as_millis() as u64,
            output: outcome.output,
            output_sha256: outcome.output_sha256,
            baseline_sha: candidate.head.to_string(),
            tree_sha: candidate.tree.to_string(),
            sandbox: outcome.sandbox,
            tests: outcome.tests.counts,
            failed_tests: outcome.tests.failed,
            log,
        };
        self.append(vec![finished.into()]).await.map(drop)
    }
}
