//! Gates and fixes.

use super::guards::{OTHER_TREE, Reason, ensure, is_same_tree};
use crate::{
    event::{
        agents::Task,
        gates::{FixAttemptResult, FixAttemptStarted, GateFinished, GateStarted},
    },
    rounds::AUDIT_SOURCE,
    state::{BuildState, FinishedFix, Fix, GateResult, Stage, Status},
};

impl BuildState {
    pub(super) fn gate_may_run(&mut self, phase: Option<u32>, gate: &str) -> Result<(), Reason> {
        let gate = gate.to_owned();
        let Some(number) = phase else {
            self.expect(&[Status::Sealing])?;
            ensure(self.gate_names(None).contains(&gate), "there is no such gate")?;
            return ensure(!self.final_gates.contains_key(&gate), "it has run already");
        };
        let current = self.current(number)?;
        ensure(current.stage == Stage::Gates, "gates do not run now")?;
        ensure(!current.gates.contains_key(&gate), "it has run in this round")?;
        ensure(self.gate_names(self.phase()).contains(&gate), "there is no such gate")
    }

    /// All gates of a round check the tree that the first of them was started on.
    pub(super) fn start_gate(&mut self, gate: &GateStarted) -> Result<(), Reason> {
        self.gate_may_run(gate.phase, &gate.gate)?;
        let Some(number) = gate.phase else { return Ok(()) };
        let phase = self.current(number)?;
        ensure(is_same_tree(&phase.gate_tree, &gate.tree_sha), OTHER_TREE)?;
        if phase.gate_tree.is_none() {
            phase.gate_tree.clone_from(&gate.tree_sha);
        }
        Ok(())
    }

    pub(super) fn finish_gate(&mut self, gate: &GateFinished) -> Result<(), Reason> {
        self.gate_may_run(gate.phase, &gate.gate)?;
        if let Some(number) = gate.phase {
            let expected = &self.current(number)?.gate_tree;
            ensure(is_same_tree(expected, &gate.tree_sha), OTHER_TREE)?;
        }
        if let Some(tests) = gate.tests {
            let most = self.most_tests.entry(gate.gate.clone()).or_default();
            *most = tests.executed().max(*most);
        }
        let results = match gate.phase {
            Some(number) => &mut self.current(number)?.gates,
            None => &mut self.final_gates,
        };
        results.insert(gate.gate.clone(), GateResult::from(gate));
        if !gate.passed {
            let code = gate.exit_code.map_or(String::new(), |code| format!(", exit code {code}"));
            self.record_failure(format!("gate {}{code}: {}", gate.gate, gate.output.trim()));
        }
        Ok(())
    }

    pub(super) fn start_fix(&mut self, fix: &FixAttemptStarted) -> Result<(), Reason> {
        let phase = self.current(fix.phase)?;
        ensure(phase.stage == Stage::Refused, "nothing was rejected")?;
        ensure(phase.gates.is_empty(), "no round was begun for it")?;
        ensure(fix.attempt == phase.fix_attempts + 1, "that is not the next attempt")?;
        phase.fix_attempts = fix.attempt;
        let (attempt, causes) = (fix.attempt, fix.causes.clone());
        phase.fix = Some(Fix { attempt, causes, summary: String::new() });
        phase.stage = Stage::Agent(Task::Fix);
        Ok(())
    }

    pub(super) fn finish_fix(&mut self, result: &FixAttemptResult) -> Result<(), Reason> {
        let passed = self.round_passed(result.phase)?;
        ensure(passed == result.passed, "the results of the gates differ")?;
        let phase = self.current(result.phase)?;
        let fix = phase.fix.take().ok_or("no fix is being tried")?;
        ensure(fix.attempt == result.attempt, "that is another attempt")?;
        phase.fixes.push(FinishedFix { round: phase.iteration, summary: fix.summary });
        // Whether the auditor accepts it is not known before the next audit.
        if result.passed && !fix.causes.iter().any(|cause| cause == AUDIT_SOURCE) {
            phase.fix_attempts = 0;
        }
        Ok(())
    }
}
