//! The clause about requirements.

use super::{matrix, observed::proof};
use crate::{state::BuildState, verdict::Proof};

/// One proof per requirement, from the proofs of all criteria.
pub(super) fn proofs(state: &BuildState, criteria: &[Proof]) -> Vec<Proof> {
    let rows = matrix::rows(state, criteria).into_iter();
    rows.map(|row| {
        let (id, text) = (row.requirement.id, row.requirement.text.trim_end_matches('.'));
        proof(format!("{id}: {text} — {}", row.reason), row.standing)
    })
    .collect()
}
