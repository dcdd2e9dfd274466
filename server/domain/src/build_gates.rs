//! Which gates a build has: those of the project, those that were detected, and the commands that
//! prove exit criteria.

mod proofs;

use crate::{
    gate::{self, GateDefinition},
    state::{BuildState, PhaseState},
};

impl BuildState {
    /// Configured and detected gates, as they are now.
    pub fn gates(&self) -> Vec<&GateDefinition> {
        merged(&self.queued.gates, &self.found_gates)
    }

    /// Names of the gates of `phase` (`None`: the final gates), built-in gates first.
    pub fn gate_names(&self, phase: Option<&PhaseState>) -> Vec<String> {
        let scoped = phase.is_some_and(|phase| phase.outline.is_scoped());
        let built_in = gate::BUILT_IN.into_iter().filter(|name| *name != "scope" || scoped);
        let own = self.gates().into_iter().map(|gate| gate.name.clone());
        let proofs = match phase {
            Some(phase) => self.proof_gates([phase]),
            None => self.proof_gates(&self.phases),
        };
        let proofs = proofs.into_iter().map(|gate| gate.name);
        built_in.map(str::to_owned).chain(own).chain(proofs).collect()
    }

    /// Names of the final gates that have not run on the branch's head.
    pub fn due_final_gates(&self) -> Vec<String> {
        let head = self.branch.as_ref().map(|branch| &branch.head_sha);
        let has_run = |name: &String| {
            self.final_gates.get(name).is_some_and(|result| Some(&result.head_sha) == head)
        };
        self.gate_names(None).into_iter().filter(|name| !has_run(name)).collect()
    }

    /// The definition of a gate; `None` for a built-in one.
    pub fn gate(&self, name: &str) -> Option<GateDefinition> {
        let own = self.gates().into_iter().find(|gate| gate.name == name).cloned();
        let proofs = || self.phases.iter().flat_map(|phase| self.proof_gates([phase]));
        own.or_else(|| proofs().find(|gate| gate.name == name))
    }

    /// The gate that runs the tests: one that is declared to, else one that was seen to.
    pub fn test_gate(&self) -> Option<&GateDefinition> {
        let gates = self.gates();
        let runs = |gate: &GateDefinition| self.most_tests.get(&gate.name).is_some_and(|n| *n > 0);
        let declared = gates.iter().find(|gate| gate.runs_tests);
        declared.or_else(|| gates.iter().find(|gate| gate.required && runs(gate))).copied()
    }

    /// The tests that exit criteria name.
    pub fn named_tests(&self) -> Vec<String> {
        proofs::tests(self.phases.iter().map(|phase| &phase.outline))
    }

    /// The gates that must still run on the baseline before the first phase.
    pub fn preflight_gates(&self) -> Vec<String> {
        if !self.queued.preflight || self.has_begun() {
            return Vec::new();
        }
        let names = self.queued.gates.iter().map(|gate| gate.name.clone());
        names.filter(|name| !self.baseline.contains_key(name)).collect()
    }

    /// Whether a required gate cannot run because a program is missing.
    pub fn lacks_program(&self) -> bool {
        self.baseline.values().any(|result| result.blocks())
    }

    /// Whether a gate ran out of memory or disk and no retry has begun.
    pub fn waits_for_resources(&self) -> bool {
        self.exhausted_gate.as_ref().is_some_and(|gate| !gate.is_repeating)
    }

    /// The gates that failed before the build began, with what was observed, one line each.
    pub fn failed_at_baseline(&self) -> Vec<String> {
        let failed = self.baseline.iter().filter(|(_, result)| !result.passed);
        failed.map(|(name, result)| format!("{name}: {}", result.summary())).collect()
    }

    /// The same without gates that have passed in a phase since.
    pub fn failing_since_baseline(&self) -> Vec<String> {
        let has_passed = |name: &String| {
            self.phases.iter().any(|phase| phase.gates.get(name).is_some_and(|gate| gate.passed))
        };
        let failed = self.baseline.iter().filter(|(name, it)| !it.passed && !has_passed(name));
        failed.map(|(name, result)| format!("{name}: {}", result.summary())).collect()
    }

    /// The gates for commands that prove exit criteria of these phases.
    fn proof_gates<'a>(
        &'a self,
        phases: impl IntoIterator<Item = &'a PhaseState>,
    ) -> Vec<GateDefinition> {
        proofs::gates(phases.into_iter().map(|phase| &phase.outline), &self.gates())
    }
}

/// The gates of a project, each replaced by the one that was found under its name, and the other found
/// ones.
pub(crate) fn merged<'a>(
    gates: &'a [GateDefinition],
    found: &'a [GateDefinition],
) -> Vec<&'a GateDefinition> {
    let newest = |gate: &GateDefinition| found.iter().find(|it| it.name == gate.name);
    let is_new = |found: &&GateDefinition| gates.iter().all(|gate| gate.name != found.name);
    let own = gates.iter().map(|gate| newest(gate).unwrap_or(gate));
    own.chain(found.iter().filter(is_new)).collect()
}
