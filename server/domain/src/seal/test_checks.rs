//! What the tests of a build are worth: whether they fail without its change.

use super::observed::{proof, proofs_or};
use crate::{
    event::test_checks::TestChange,
    state::BuildState,
    verdict::{Proof, Standing},
};

/// Whether a test that passed fails without the change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Significance {
    /// It failed, or could not run, on an earlier commit.
    Failed,
    /// It passed there too.
    Vacuous,
    /// It existed before.
    Unchanged,
    /// It is in the same file as the code.
    Inline,
    /// The project disables the check.
    Disabled,
    /// The check did not run.
    Unknown,
}

pub(super) fn significance(state: &BuildState, phase: u32, test: &str) -> Significance {
    if !state.queued.test_checks.red_check {
        return Significance::Disabled;
    }
    let base_sha = match state.test_evidence.change(phase, test) {
        None => return Significance::Unknown,
        Some(TestChange::Unchanged) => return Significance::Unchanged,
        Some(TestChange::Inline { .. }) => return Significance::Inline,
        Some(TestChange::Changed { base_sha, .. }) => base_sha,
    };
    let gate = state.gate_that_passed(test);
    match gate.and_then(|(gate, _)| state.test_evidence.red_check(base_sha, gate)) {
        None => Significance::Unknown,
        Some(check) if check.passed(test) => Significance::Vacuous,
        Some(_) => Significance::Failed,
    }
}

pub(super) fn proofs(state: &BuildState) -> Vec<Proof> {
    if state.test_evidence.compared.is_none() {
        let text = "the tests were not checked, as a required gate failed";
        return vec![proof(text.to_owned(), Standing::Open)];
    }
    let mut proofs = Vec::new();
    if state.queued.test_checks.red_check {
        proofs.extend(red_checks(state));
    } else {
        let text = "the project's settings disable running new tests without the change";
        proofs.push(proof(text.to_owned(), Standing::Holds));
    }
    proofs_or(
        proofs,
        "no criterion is proven by a test that this build added or changed".to_owned(),
    )
}

fn red_checks(state: &BuildState) -> impl Iterator<Item = Proof> {
    state.test_evidence.red_checks.iter().map(|check| {
        let mut vacuous: Vec<String> = state
            .tests_to_prove()
            .filter(|(phase, test)| {
                let due = state.red_check(*phase, test);
                due.is_some_and(|(base_sha, gate)| check.is(base_sha, gate))
            })
            .filter(|(_, test)| check.passed(test))
            .map(|(_, test)| format!("`{test}`"))
            .collect();
        vacuous.dedup();
        let (text, standing) = match vacuous.is_empty() {
            true => ("the new tests fail without the change".to_owned(), Standing::Holds),
            false => (format!("passes without the change: {}", vacuous.join(", ")), Standing::Open),
        };
        Proof {
            commit: Some(check.base_sha.clone()),
            command: Some(check.command.clone()),
            exit_code: check.exit_code,
            output_sha256: Some(check.output_sha256.clone()),
            sandbox: check.sandbox,
            ..proof(format!("{}: {text}", check.gate), standing)
        }
    })
}
