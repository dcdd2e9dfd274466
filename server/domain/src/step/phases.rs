//! Phases and their rounds.

use super::guards::{Reason, ensure};
use crate::{
    event::{
        agents::Task,
        phases::{IterationFinished, PhaseStarted, TaskDropped},
    },
    state::{BuildState, PhaseStatus, Stage, Status},
};

impl BuildState {
    pub(super) fn start_phase(&mut self, started: &PhaseStarted) -> Result<(), Reason> {
        self.expect(&[Status::Running])?;
        ensure(self.branch_ready, "there is no branch")?;
        let is_checked = self.preflight_gates().is_empty() && !self.lacks_program();
        ensure(is_checked, "the gates cannot run on the baseline")?;
        let base_sha = self.branch.as_ref().map(|branch| branch.head_sha.clone());
        let phase = self.phase_mut().ok_or("all phases are complete")?;
        ensure(phase.outline.number == started.phase, "another phase comes first")?;
        ensure(phase.status == PhaseStatus::Pending, "it has begun")?;
        phase.status = PhaseStatus::Running;
        // A phase that begins again is compared with its first beginning.
        phase.base_sha = phase.base_sha.take().or(base_sha);
        if !started.explores {
            phase.stage = Stage::Agent(Task::Plan);
        }
        Ok(())
    }

    pub(super) fn drop_step(&mut self, dropped: &TaskDropped) -> Result<(), Reason> {
        let phase = self.current(dropped.phase)?;
        let index = (dropped.task as usize).checked_sub(1);
        let step = index.and_then(|index| phase.plan.get_mut(index));
        let step = step.ok_or("the plan has no such step")?;
        ensure(step.is_open(), "that step is done or dropped already")?;
        ensure(!dropped.reason.trim().is_empty(), "it gives no reason")?;
        step.dropped = Some(dropped.reason.clone());
        Ok(())
    }

    pub(super) fn finish_iteration(&mut self, finished: &IterationFinished) -> Result<(), Reason> {
        let phase = self.current(finished.phase)?;
        ensure(finished.n == phase.iteration, "that is another round")?;
        if phase.stage == Stage::Refused && !phase.not_attempted.is_empty() {
            return ensure(!finished.passed, "the last attempt changed nothing");
        }
        let passed = self.round_passed(finished.phase)?;
        ensure(passed == finished.passed, "the results of the gates differ")?;
        let phase = self.current(finished.phase)?;
        ensure(phase.fix.is_none(), "a fix is not finished")?;
        phase.stage = match (passed, phase.is_recheck) {
            (true, true) => Stage::Push,
            (true, false) => Stage::Agent(Task::Audit),
            (false, _) => {
                (phase.signed_off, phase.is_recheck) = (false, false);
                Stage::Refused
            }
        };
        if passed {
            // A finding with an id stays open until an audit answers it.
            phase.findings.retain(|finding| finding.id.is_some());
        }
        Ok(())
    }

    /// Whether all required gates pass. One failed gate is sufficient to fail; to pass, every gate
    /// must have run.
    pub(super) fn round_passed(&mut self, number: u32) -> Result<bool, Reason> {
        let names = self.gate_names(self.phase());
        let phase = self.current(number)?;
        ensure(phase.stage == Stage::Gates, "gates do not run now")?;
        let passed = phase.gates.values().all(|gate| gate.passed || !gate.required);
        let complete = names.iter().all(|name| phase.gates.contains_key(name));
        ensure(complete || !passed, "a gate has not run")?;
        Ok(passed)
    }
}
