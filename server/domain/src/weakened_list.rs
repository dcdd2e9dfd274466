//! The places where a build weakened its tests, numbered, and who accepted them.

use crate::state::{BuildState, Dismissal};

/// A place where the build weakened tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakenedPlace<'a> {
    /// From 1.
    pub number: u32,
    /// With file and line.
    pub text: String,
    /// Who accepted it.
    pub cleared: Option<&'a Dismissal>,
}

impl BuildState {
    /// The places that the newest comparison found, and gates that ran fewer tests than before. Empty
    /// before the comparison.
    pub fn weakened_places(&self) -> Vec<WeakenedPlace<'_>> {
        let Some(compared) = &self.test_evidence.compared else { return Vec::new() };
        let found = compared.weakened.iter().map(ToString::to_string);
        let fewer = self.final_gates.iter().filter_map(|(name, gate)| {
            let executed = gate.tests.map_or(0, |tests| tests.executed());
            let most = self.most_tests.get(name).copied().unwrap_or_default();
            let text = || format!("{name}: it ran {executed} tests, but {most} in an earlier run");
            (executed < most).then(text)
        });
        let cleared = &self.test_evidence.cleared;
        let place = |(number, text)| WeakenedPlace { number, text, cleared: cleared.get(&number) };
        (1..).zip(found.chain(fewer)).map(place).collect()
    }
}
