//! Runs the gates on the baseline before the first phase: a gate that cannot run is found out before
//! money is spent, and a gate that fails is known to have failed before.
//!
//! They run in the build's worktree, as the gates of a phase do, if its branch begins at the baseline:
//! what they install or compile there is used again. Otherwise each gets a checkout.

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

/// Where the gates run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Worktree,
    Checkout,
}

impl Driver {
    /// A gate that was interrupted by the end of the build or a shutdown counts as not run.
    pub(in super::super) async fn run_preflight(
        &self,
        state: &BuildState,
        names: Vec<String>,
    ) -> Result<(), EngineError> {
        let baseline = branch::baseline(state)?;
        let mut candidate = self.candidate(state, None).await?;
        let place = if candidate.head == baseline { Place::Worktree } else { Place::Checkout };
        if place == Place::Worktree {
            if !self.fresh {
                // A gate that was interrupted may have changed files.
                self.restore_tree(&candidate.workspace, candidate.tree).await?;
            }
        } else {
            let clone = candidate.workspace.clone.clone();
            candidate.head = baseline;
            candidate.tree = self.engine.blocking(move || Ok(clone.tree_of(baseline)?)).await?;
        }
        let (baseline_sha, gates) = (baseline.to_string(), names.clone());
        self.append(vec![PreflightStarted { baseline_sha, gates }.into()]).await?;
        if place == Place::Checkout {
            let runs =
                names.iter().map(|name| self.run_preflight_gate(state, &candidate, place, name));
            return try_join_all(runs).await.map(drop);
        }
        for name in &names {
            self.run_preflight_gate(state, &candidate, place, name).await?;
            let state = self.engine.journal().state(self.build()).await?;
            if state.wants_attention() || state.waits_for_resources() {
                break;
            }
        }
        Ok(())
    }

    async fn run_preflight_gate(
        &self,
        state: &BuildState,
        candidate: &Candidate,
        place: Place,
        name: &str,
    ) -> Result<(), EngineError> {
        let gate = state.gate(name).ok_or(EngineError::NotFound("gate"))?;
        let begun = Instant::now();
        let outcome = match place {
            Place::Worktree => self.run_in_worktree(candidate, &gate).await?,
            Place::Checkout => self.run_on_checkout(candidate, &gate).await?,
        };
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
