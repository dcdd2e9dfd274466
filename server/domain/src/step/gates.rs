//! Gates and fixes.

use super::guards::{OTHER_TREE, Reason, ensure, is_same_tree};
use crate::{
    detection::ProposedGate,
    event::{
        agents::Task,
        gates::{
            FixAttemptResult, FixAttemptStarted, GateFinished, GateOutOfResources, GateStarted,
            GatesChanged, GatesDetected,
        },
    },
    gate::{GateChange, MAX_GATES},
    rounds::AUDIT_SOURCE,
    state::{
        BuildState, ChangedGate, ExhaustedGate, FinishedFix, Fix, GateResult, PhaseStatus, Stage,
        Status,
    },
};

impl BuildState {
    pub(super) fn gate_may_run(&mut self, phase: Option<u32>, gate: &str) -> Result<(), Reason> {
        let gate = gate.to_owned();
        let Some(number) = phase else {
            self.expect(&[Status::Sealing])?;
            ensure(self.gate_names(None).contains(&gate), "there is no such gate")?;
            return ensure(self.due_final_gates().contains(&gate), "it has run already");
        };
        let current = self.current(number)?;
        ensure(current.stage == Stage::Gates, "gates do not run now")?;
        ensure(!current.gates.contains_key(&gate), "it has run in this round")?;
        ensure(self.gate_names(self.phase()).contains(&gate), "there is no such gate")
    }

    /// All gates of a round check the tree that the first of them was started on.
    pub(super) fn start_gate(&mut self, gate: &GateStarted) -> Result<(), Reason> {
        self.end_retry();
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
        self.forget_exhaustion_of(&gate.gate);
        let results = match gate.phase {
            Some(number) => &mut self.current(number)?.gates,
            None => {
                // The results so far are for another commit.
                if self.final_gates.values().any(|result| result.head_sha != gate.head_sha) {
                    self.final_gates.clear();
                    self.test_evidence = Default::default();
                }
                &mut self.final_gates
            }
        };
        results.insert(gate.gate.clone(), GateResult::from(gate));
        if !gate.passed {
            let code = gate.exit_code.map_or(String::new(), |code| format!(", exit code {code}"));
            self.record_failure(format!("gate {}{code}: {}", gate.gate, gate.output.trim()));
        }
        Ok(())
    }

    pub(super) fn fail_gate_for_resources(
        &mut self,
        gate: &GateOutOfResources,
    ) -> Result<(), Reason> {
        self.expect(&[Status::Running, Status::Sealing])?;
        ensure(self.gate(&gate.gate).is_some(), "there is no such gate")?;
        if gate.phase.is_some() {
            self.gate_may_run(gate.phase, &gate.gate)?;
        }
        self.exhausted_gate = Some(ExhaustedGate::next(self.exhausted_gate.as_ref(), gate));
        let (name, resource, output) = (&gate.gate, gate.resource.name(), gate.output.trim());
        self.record_failure(format!("gate {name} ran out of {resource}: {output}"));
        Ok(())
    }

    /// Only gates that were detected before are replaced.
    pub(super) fn add_detected_gates(&mut self, detected: &GatesDetected) -> Result<(), Reason> {
        match detected.phase {
            Some(number) => {
                self.end_retry();
                let phase = self.current(number)?;
                ensure(phase.stage == Stage::Gates, "gates do not run now")?;
            }
            None => self.expect(&[Status::Sealing])?,
        }
        let detection = self.queued.detection.as_ref().ok_or("its gates are not detected")?;
        for ProposedGate { gate, .. } in &detected.gates {
            let is_replaceable =
                |name: &String| detection.names.contains(name) || self.is_found(name);
            let is_known = self.gates().iter().any(|known| known.name == gate.name);
            ensure(!is_known || is_replaceable(&gate.name), "a person has defined that gate")?;
            ensure(is_known || self.gates().len() < MAX_GATES, "there are too many gates")?;
            match self.found_gates.iter_mut().find(|found| found.name == gate.name) {
                Some(found) => *found = gate.clone(),
                None => self.found_gates.push(gate.clone()),
            }
        }
        Ok(())
    }

    /// All gates of the round, and all final gates, run again.
    pub(super) fn change_gates(&mut self, changed: &GatesChanged) -> Result<(), Reason> {
        self.expect(&[Status::Paused, Status::Blocked])?;
        ensure(self.resume_requested.is_some(), "it was not requested to continue")?;
        let detection = changed.detection.as_deref();
        let changes = self.gate_changes(&changed.gates, detection);
        ensure(!changes.is_empty() && changes == changed.changes, "other gates have changed")?;
        self.found_gates = self.found_beside(&changed.gates, detection);
        self.queued.gates.clone_from(&changed.gates);
        self.queued.detection.clone_from(&changed.detection);
        self.queued.gates_detected = detection.is_some() && !changed.gates.is_empty();
        for GateChange { gate, before, .. } in changes {
            self.baseline.remove(&gate);
            self.forget_exhaustion_of(&gate);
            let by = changed.by.clone();
            let change = ChangedGate { by: by.clone(), original: before };
            self.changed_gates.entry(gate).or_insert(change).by = by;
        }
        self.final_gates.clear();
        self.test_evidence = Default::default();
        self.run_gates_again();
        Ok(())
    }

    /// The round is judged again. Until its gates run next, an agent's work is not interrupted; what is
    /// committed is checked by the next phase and the final gates.
    fn run_gates_again(&mut self) {
        let is_judged = |stage| {
            use Stage::{Agent, Commit, Gates, Refused};
            matches!(stage, Gates | Refused | Agent(Task::Audit) | Commit)
        };
        let current = self.phase_mut().filter(|phase| phase.status == PhaseStatus::Running);
        let Some(phase) = current.filter(|phase| is_judged(phase.stage)) else { return };
        let run = phase.run.take();
        (phase.stage, phase.signed_off, phase.failure) = (Stage::Gates, false, None);
        phase.is_recheck = false;
        (phase.gate_tree, phase.checked_tree, phase.requested_fix) = (None, None, None);
        phase.gates.clear();
        phase.criteria.clear();
        phase.not_attempted.clear();
        if let Some(run) = run {
            self.usage.end(run);
        }
    }

    fn is_found(&self, name: &str) -> bool {
        self.found_gates.iter().any(|found| found.name == *name)
    }

    /// A step that is repeated after a wait has begun.
    pub(super) fn end_retry(&mut self) {
        if self.status == Status::Retrying {
            self.status = Status::Running;
            self.retry = None;
            if let Some(exhausted) = &mut self.exhausted_gate {
                exhausted.is_repeating = true;
            }
        }
    }

    /// A gate has a result, so that it did not run out of memory or disk again.
    pub(super) fn forget_exhaustion_of(&mut self, gate: &str) {
        self.exhausted_gate.take_if(|exhausted| exhausted.gate == gate);
    }

    pub(super) fn start_fix(&mut self, fix: &FixAttemptStarted) -> Result<(), Reason> {
        let phase = self.current(fix.phase)?;
        ensure(phase.stage == Stage::Refused, "nothing was rejected")?;
        ensure(phase.gates.is_empty(), "no round was begun for it")?;
        ensure(fix.attempt == phase.fix_attempts + 1, "that is not the next attempt")?;
        phase.fix_attempts = fix.attempt;
        let (attempt, causes) = (fix.attempt, fix.causes.clone());
        phase.not_attempted.clear();
        phase.requested_fix = None;
        phase.fix = Some(Fix { attempt, causes, summary: String::new() });
        phase.stage = Stage::Agent(Task::Fix);
        Ok(())
    }

    pub(super) fn finish_fix(&mut self, result: &FixAttemptResult) -> Result<(), Reason> {
        if result.unchanged {
            return self.skip_round(result);
        }
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

    /// An attempt that changed nothing: the gates would only repeat their results.
    fn skip_round(&mut self, result: &FixAttemptResult) -> Result<(), Reason> {
        let phase = self.current(result.phase)?;
        let has_begun = phase.gate_tree.is_some() || !phase.gates.is_empty();
        ensure(phase.stage == Stage::Gates && !has_begun, "gates have run")?;
        ensure(!result.passed, "it changed nothing")?;
        let fix = phase.fix.take().ok_or("no fix is being tried")?;
        ensure(fix.attempt == result.attempt, "that is another attempt")?;
        phase.fixes.push(FinishedFix { round: phase.iteration, summary: fix.summary });
        phase.not_attempted = fix.causes;
        phase.stage = Stage::Refused;
        Ok(())
    }
}
