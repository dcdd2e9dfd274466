//! What changes about the gates of a build if its project's settings were edited while it was paused
//! or blocked, and what that means for the verdict.

use crate::{
    build_gates::merged,
    gate::{GateChange, GateDefinition, GateDetection},
    state::BuildState,
};

impl BuildState {
    /// What changes if the build continues with these gates of its project.
    pub fn gate_changes(
        &self,
        gates: &[GateDefinition],
        detection: Option<&GateDetection>,
    ) -> Vec<GateChange> {
        let found = self.found_beside(gates, detection);
        between(&self.gates(), &merged(gates, &found))
    }

    /// The gates found so far that remain: none if a person has configured the gates since.
    pub(crate) fn found_beside(
        &self,
        gates: &[GateDefinition],
        detection: Option<&GateDetection>,
    ) -> Vec<GateDefinition> {
        let Some(detection) = detection else { return Vec::new() };
        let is_fixed = |found: &GateDefinition| {
            gates.iter().any(|gate| gate.name == found.name)
                && !detection.names.contains(&found.name)
        };
        self.found_gates.iter().filter(|found| !is_fixed(found)).cloned().collect()
    }

    /// Why the build is checked less than when it was queued, one line for each required gate that was
    /// removed or is no longer required.
    pub fn relaxed_gates(&self) -> Vec<String> {
        let gates = self.gates();
        let is_covered = |original: &GateDefinition| {
            let same = |gate: &&GateDefinition| gate.command.trim() == original.command.trim();
            gates.iter().copied().filter(same).any(|gate| gate.required)
        };
        let lines = self.changed_gates.iter().filter_map(|(name, changed)| {
            let original = changed.original.as_ref().filter(|gate| gate.required)?;
            let now = gates.iter().find(|gate| gate.name == *name);
            let is_required = now.is_some_and(|gate| gate.required);
            if is_required || is_covered(original) {
                return None;
            }
            let what = if now.is_some() { "no longer required" } else { "removed" };
            Some(format!("{name}: {what} since {} resumed the build", changed.by.name()))
        });
        lines.collect()
    }

    /// Whether the command of a gate differs from the one that it had before the build was resumed.
    pub fn has_changed_command(&self, name: &str) -> bool {
        let original = self.changed_gates.get(name).and_then(|changed| changed.original.as_ref());
        let now = self.gate(name);
        original.zip(now).is_some_and(|(original, now)| original.command != now.command)
    }
}

/// Gates that differ, those of `before` first.
fn between(before: &[&GateDefinition], after: &[&GateDefinition]) -> Vec<GateChange> {
    let find = |gates: &[&GateDefinition], name: &str| {
        gates.iter().find(|gate| gate.name == name).map(|gate| (*gate).clone())
    };
    let kept = before.iter().map(|gate| GateChange {
        gate: gate.name.clone(),
        before: Some((*gate).clone()),
        after: find(after, &gate.name),
    });
    let added = after.iter().filter(|gate| find(before, &gate.name).is_none());
    let added = added.map(|gate| GateChange {
        gate: gate.name.clone(),
        before: None,
        after: Some((*gate).clone()),
    });
    kept.chain(added).filter(|change| change.before != change.after).collect()
}
