//! Gates on the baseline, before the first phase.

use super::guards::{Reason, ensure};
use crate::{
    event::preflight::{PreflightFinished, PreflightStarted},
    state::{BaselineResult, BuildState, Status},
};

impl BuildState {
    pub(super) fn start_preflight(&mut self, started: &PreflightStarted) -> Result<(), Reason> {
        self.expect(&[Status::Running, Status::Retrying])?;
        self.expect_preflight(&started.baseline_sha)?;
        let due = self.preflight_gates();
        ensure(started.gates.iter().all(|gate| due.contains(gate)), "a gate need not run")?;
        self.end_retry();
        Ok(())
    }

    pub(super) fn finish_preflight(&mut self, finished: &PreflightFinished) -> Result<(), Reason> {
        self.expect(&[Status::Running])?;
        self.expect_preflight(&finished.baseline_sha)?;
        ensure(self.preflight_gates().contains(&finished.gate), "that gate need not run")?;
        self.forget_exhaustion_of(&finished.gate);
        if let Some(tests) = finished.tests {
            let most = self.most_tests.entry(finished.gate.clone()).or_default();
            *most = tests.executed().max(*most);
        }
        let result = BaselineResult::from(finished);
        if result.blocks() {
            self.record_failure(format!("gate {}: {}", finished.gate, finished.output.trim()));
        }
        self.baseline.insert(finished.gate.clone(), result);
        Ok(())
    }

    fn expect_preflight(&self, baseline_sha: &str) -> Result<(), Reason> {
        ensure(self.branch_ready, "there is no branch")?;
        let baseline = self.branch.as_ref().map(|branch| branch.baseline_sha.as_str());
        ensure(baseline == Some(baseline_sha), "that is not the baseline")?;
        ensure(!self.preflight_gates().is_empty(), "no gate has to run on the baseline")
    }
}
