//! A sample of small changes to the code that the build added: a change that the tests do not notice
//! is a line that they do not check.

use std::time::{Duration, Instant};

use domain::{
    event::test_checks::{Mutant, MutantOutcome, MutantsTested},
    gate::GateDefinition,
    state::BuildState,
};

use super::super::{
    checkouts::Checkout,
    driver::Driver,
    error::EngineError,
    mutant_files::{MutatedFile, planned, write},
};
use super::candidate::Candidate;

/// Of all mutants, in runs of the gates on the sealed commit.
const MAX_RUNS: u32 = 10;
/// Of one mutant, which may never end.
const MAX_SLOWDOWN: u32 = 3;
const MIN_TIMEOUT: Duration = Duration::from_secs(10);

impl Driver {
    /// Counts as not run if it was interrupted by the end of the build or a shutdown.
    pub(in super::super) async fn test_mutants(
        &self,
        state: &BuildState,
    ) -> Result<(), EngineError> {
        let candidate = self.candidate(state, None).await?;
        let max = state.queued.test_checks.mutation_sample.as_ref().map_or(0, |it| it.max_mutants);
        let mut usual = Duration::ZERO;
        let mut gates = Vec::new();
        for (name, result) in &state.final_gates {
            let has_tests = result.tests.is_some_and(|tests| tests.executed() > 0);
            let Some(gate) = state.gate(name).filter(|_| result.required && has_tests) else {
                continue;
            };
            let duration = Duration::from_millis(result.duration_ms);
            usual += duration;
            let timeout = (duration * MAX_SLOWDOWN).max(MIN_TIMEOUT).as_secs();
            let timeout_s = gate.timeout_s.min(u32::try_from(timeout).unwrap_or(u32::MAX));
            gates.push(GateDefinition { timeout_s, ..gate });
        }
        let max = if gates.is_empty() { 0 } else { max as usize };
        let (clone, head) = (candidate.workspace.clone.clone(), candidate.head);
        let since = candidate.since;
        let plan = self.engine.blocking(move || planned(&clone, since, head, max)).await?;
        let clone = candidate.workspace.clone.clone();
        let checkout = self.engine.check_out(clone, head).await?;
        let begun = Instant::now();
        let tested = self.run_sample(&candidate, &checkout, &gates, plan, usual * MAX_RUNS).await;
        self.engine.remove_checkout(checkout);
        let Some(sample) = tested? else { return Ok(()) };
        let tested = MutantsTested {
            head_sha: head.to_string(),
            gates: gates.into_iter().map(|gate| gate.name).collect(),
            mutants: sample.mutants,
            timed_out: sample.timed_out,
            is_repeatable: sample.is_repeatable,
            duration_ms: begun.elapsed().as_millis() as u64,
        };
        self.append(vec![tested.into()]).await.map(drop)
    }

    /// `None` if it was interrupted.
    async fn run_sample(
        &self,
        candidate: &Candidate,
        checkout: &Checkout,
        gates: &[GateDefinition],
        plan: Vec<MutatedFile>,
        limit: Duration,
    ) -> Result<Option<Sample>, EngineError> {
        let begun = Instant::now();
        let mut sample = Sample { is_repeatable: true, ..Sample::default() };
        for (number, file) in (0_u32..).zip(plan) {
            if number > 0 && begun.elapsed() > limit {
                sample.timed_out = true;
                break;
            }
            // Tools compare times with a precision of seconds: no two versions have the same.
            let version = number * 2;
            let (path, mutated) = (checkout.path.clone(), file.clone());
            self.engine.blocking(move || write(&path, &mutated, true, version)).await?;
            let outcome = self.run_mutant(candidate, checkout, gates).await?;
            let mutant = file.mutant.clone();
            let path = checkout.path.clone();
            self.engine.blocking(move || write(&path, &file, false, version + 1)).await?;
            let Some(outcome) = outcome else { return Ok(None) };
            sample.mutants.push(Mutant { outcome, ..mutant });
        }
        let survived = sample.mutants.iter().any(|it| it.outcome == MutantOutcome::Survived);
        let killed = sample.mutants.iter().any(|it| it.outcome == MutantOutcome::Killed);
        if killed && !survived {
            // A gate that cannot run twice in a folder fails for another reason.
            let Some(outcome) = self.run_mutant(candidate, checkout, gates).await? else {
                return Ok(None);
            };
            sample.is_repeatable = outcome == MutantOutcome::Survived;
        }
        Ok(Some(sample))
    }

    /// Runs the gates on a changed checkout until one fails; `None` if it was interrupted.
    async fn run_mutant(
        &self,
        candidate: &Candidate,
        checkout: &Checkout,
        gates: &[GateDefinition],
    ) -> Result<Option<MutantOutcome>, EngineError> {
        for gate in gates {
            let pointer = checkout.pointer.clone();
            let run = self.run_command(candidate, gate, &checkout.path, pointer).await?;
            let Some(run) = run else { return Ok(None) };
            if !run.passed {
                let has_tests = run.tests.counts.is_some_and(|tests| tests.executed() > 0);
                return Ok(Some(match has_tests || run.is_stopped {
                    true => MutantOutcome::Killed,
                    false => MutantOutcome::NotBuilt,
                }));
            }
        }
        Ok(Some(MutantOutcome::Survived))
    }
}

#[derive(Default)]
struct Sample {
    mutants: Vec<Mutant>,
    timed_out: bool,
    is_repeatable: bool,
}
