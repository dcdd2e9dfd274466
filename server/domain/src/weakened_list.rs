//! The places where a build weakened its tests, numbered, and who accepted them.

use std::collections::BTreeMap;

use crate::{
    audited_weakening::AuditedWeakening,
    state::{BuildState, Dismissal, GateResult},
};

/// A place where the build weakened tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakenedPlace {
    /// From 1.
    pub number: u32,
    /// With file and line.
    pub text: String,
    /// Who accepted it.
    pub cleared: Option<Dismissal>,
}

impl BuildState {
    /// The places that the newest comparison found, and gates that ran fewer tests than before. Empty
    /// before the comparison.
    pub fn weakened_places(&self) -> Vec<WeakenedPlace> {
        let Some(compared) = &self.test_evidence.compared else { return Vec::new() };
        let found = compared.weakened.iter().map(AuditedWeakening::from);
        let fewer = self.gates_with_fewer_tests(&self.final_gates);
        let cleared = &self.test_evidence.cleared;
        let place = |(number, weakening): (u32, AuditedWeakening)| {
            let by_user = cleared.get(&number).cloned();
            let cleared = by_user.or_else(|| self.cleared_by_auditor(&weakening));
            WeakenedPlace { number, text: weakening.text, cleared }
        };
        (1..).zip(found.chain(fewer)).map(place).collect()
    }

    /// Gates that ran fewer tests than in an earlier run.
    pub fn gates_with_fewer_tests(
        &self,
        gates: &BTreeMap<String, GateResult>,
    ) -> Vec<AuditedWeakening> {
        let fewer = gates.iter().filter_map(|(name, gate)| {
            let executed = gate.tests.map_or(0, |tests| tests.executed());
            let most = self.most_tests.get(name).copied().unwrap_or_default();
            let text = || format!("{name}: it ran {executed} tests, but {most} in an earlier run");
            (executed < most).then(|| AuditedWeakening { text: text(), blob_sha: None })
        });
        fewer.collect()
    }

    /// The newest audit of a phase that cleared exactly this.
    pub fn cleared_by_auditor(&self, weakening: &AuditedWeakening) -> Option<Dismissal> {
        self.phases.iter().rev().find_map(|phase| {
            let mut cleared = phase.cleared_weakenings.iter();
            let found = cleared.find(|cleared| cleared.weakening == *weakening)?;
            let by = format!("the auditor of phase {}", phase.outline.number);
            Some(Dismissal { by, reason: found.reason.clone() })
        })
    }
}
