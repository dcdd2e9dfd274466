//! Runs the gates on the baseline before the first phase: a gate that cannot run is found out before
//! money is spent, and a gate that fails is known to have failed before.
//!
//! They run in the build's worktree, as the gates of a phase do, if its branch begins at the baseline:
//! what they install or compile there is used again. Otherwise each gets a checkout.

use std::time::Instant;

use domain::{
    event::preflight::{PreflightFinished, PreflightStarted},
    gate::GateDefinition,
    gate_failure,
    state::BuildState,
};
use futures::future::try_join_all;
use git::Sha;

use super::{
    super::{branch, driver::Driver, error::EngineError},
    candidate::Candidate,
    outcome::GateOutcome,
};

impl Driver {
    /// A gate that was interrupted by the end of the build or a shutdown counts as not run.
    pub(in super::super) async fn run_preflight(
        &self,
        state: &BuildState,
        names: Vec<String>,
    ) -> Result<(), EngineError> {
        let baseline = branch::baseline(state)?;
        let candidate = self.candidate(state, None).await?;
        let gates: Option<Vec<GateDefinition>> =
            names.iter().map(|name| state.gate(name)).collect();
        let gates = gates.ok_or(EngineError::NotFound("gate"))?;
        let baseline_sha = baseline.to_string();
        let started = PreflightStarted { baseline_sha, gates: names };
        if candidate.head == baseline {
            if !self.fresh {
                // A gate that was interrupted may have changed files.
                self.restore_tree(&candidate.workspace, candidate.tree).await?;
            }
            self.append(vec![started.into()]).await?;
            self.run_preflight_in_worktree(&candidate, gates).await
        } else {
            self.append(vec![started.into()]).await?;
            self.run_preflight_on_checkouts(candidate, baseline, gates).await
        }
    }

    async fn run_preflight_in_worktree(
        &self,
        candidate: &Candidate,
        gates: Vec<GateDefinition>,
    ) -> Result<(), EngineError> {
        for gate in gates {
            let begun = Instant::now();
            let outcome = self.run_in_worktree(candidate, &gate).await?;
            self.record_preflight(candidate, gate, outcome, begun).await?;
            let state = self.engine.journal().state(self.build()).await?;
            if state.wants_attention() || state.waits_for_resources() {
                break;
            }
        }
        Ok(())
    }

    async fn run_preflight_on_checkouts(
        &self,
        mut candidate: Candidate,
        baseline: Sha,
        gates: Vec<GateDefinition>,
    ) -> Result<(), EngineError> {
        let clone = candidate.workspace.clone.clone();
        candidate.head = baseline;
        candidate.tree = self.engine.blocking(move || Ok(clone.tree_of(baseline)?)).await?;
        let candidate = &candidate;
        let runs = gates.into_iter().map(async |gate| {
            let begun = Instant::now();
            let outcome = self.run_on_checkout(candidate, &gate).await?;
            self.record_preflight(candidate, gate, outcome, begun).await
        });
        try_join_all(runs).await.map(drop)
    }

    async fn record_preflight(
        &self,
        candidate: &Candidate,
        gate: GateDefinition,
        outcome: Option<GateOutcome>,
        begun: Instant,
    ) -> Result<(), EngineError> {
        let Some(mut outcome) = outcome else { return Ok(()) };
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
