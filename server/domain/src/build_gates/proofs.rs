//! The gates and tests that prove exit criteria.

use std::collections::BTreeSet;

use crate::{criterion::ProofType, gate::GateDefinition, phases::PhaseOutline};

/// Gates for the commands that prove exit criteria of these phases and that no required gate runs;
/// one for each command.
pub(super) fn gates<'a>(
    phases: impl Iterator<Item = &'a PhaseOutline>,
    own: &[&'a GateDefinition],
) -> Vec<GateDefinition> {
    let required = own.iter().filter(|gate| gate.required);
    let mut known: Vec<&str> = required.map(|gate| gate.command.trim()).collect();
    let mut gates = Vec::new();
    for phase in phases {
        for (index, criterion) in (1_u32..).zip(&phase.exit_criteria) {
            let ProofType::Command { command } = &criterion.proof else { continue };
            if !known.contains(&command.as_str()) {
                known.push(command);
                gates.push(GateDefinition::of_criterion(phase.number, index, command));
            }
        }
    }
    gates
}

/// The tests that exit criteria name.
pub(super) fn tests<'a>(phases: impl Iterator<Item = &'a PhaseOutline>) -> Vec<String> {
    let criteria = phases.flat_map(|phase| &phase.exit_criteria);
    let names = criteria.filter_map(|criterion| match &criterion.proof {
        ProofType::Test { names } => Some(names),
        _ => None,
    });
    names.flatten().cloned().collect::<BTreeSet<_>>().into_iter().collect()
}
