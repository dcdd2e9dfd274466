//! Which results count for the sealed commit, and the proofs made of them.

use crate::{
    state::GateResult,
    verdict::{Proof, Standing},
};

/// What is sealed: only results for it count.
#[derive(Clone, Copy)]
pub(super) struct Observed<'a> {
    pub(super) head_sha: &'a str,
    pub(super) tree_sha: Option<&'a str>,
}

impl Observed<'_> {
    pub(super) fn by(self, gate: &GateResult) -> bool {
        gate.head_sha == self.head_sha && gate.tree_sha.as_deref() == self.tree_sha
    }
}

pub(super) fn proof(what: String, standing: Standing) -> Proof {
    Proof {
        what,
        standing,
        commit: None,
        tree_sha: None,
        command: None,
        exit_code: None,
        output_sha256: None,
        sandbox: None,
    }
}

/// `against`, or a proof that the clause holds if it is empty.
pub(super) fn proofs_or(against: Vec<Proof>, holds: String) -> Vec<Proof> {
    if against.is_empty() { vec![proof(holds, Standing::Holds)] } else { against }
}
