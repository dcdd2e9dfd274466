//! What the tests of a build are worth: whether they fail without its change.

use super::observed::proof;
use crate::{
    event::test_checks::{MutantOutcome, TestChange},
    state::{BuildState, Dismissal},
    verdict::{Proof, Standing},
    weakened_list::WeakenedPlace,
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
    let mut proofs = weakened(state);
    if proofs.is_empty() {
        let text = "no test was removed, skipped or loosened";
        proofs.push(proof(text.to_owned(), Standing::Holds));
    }
    if state.queued.test_checks.red_check {
        proofs.extend(red_checks(state));
    } else {
        let text = "the project's settings disable running new tests without the change";
        proofs.push(proof(text.to_owned(), Standing::Holds));
    }
    proofs.push(mutants(state));
    proofs
}

/// Whether the tests noticed enough of the small changes to the new code.
fn mutants(state: &BuildState) -> Proof {
    let Some(sample) = state.queued.test_checks.mutation_sample else {
        let text = "the project's settings disable mutating the new code";
        return proof(text.to_owned(), Standing::Holds);
    };
    let Some(tested) = &state.test_evidence.mutants else {
        return proof("the new code was not mutated".to_owned(), Standing::Open);
    };
    let of = |outcome| tested.mutants.iter().filter(move |mutant| mutant.outcome == outcome);
    let (killed, survived) =
        (of(MutantOutcome::Killed).count(), of(MutantOutcome::Survived).count());
    let total = killed + survived;
    if total == 0 {
        return proof("no new line of code could be mutated".to_owned(), Standing::Holds);
    }
    if !tested.is_repeatable {
        let text = "mutants cannot be judged: a gate fails when it runs twice in the same folder";
        return proof(text.to_owned(), Standing::Open);
    }
    let mut text = format!("the tests noticed {killed} of {total} small changes to the new code");
    let standing = match killed * 100 < sample.min_killed_percent as usize * total {
        true => {
            text += &format!(", fewer than {} %", sample.min_killed_percent);
            Standing::Open
        }
        false => Standing::Holds,
    };
    let lines: Vec<String> = of(MutantOutcome::Survived)
        .map(|it| format!("{}:{} `{}` → `{}`", it.path, it.line, it.before, it.after))
        .collect();
    if !lines.is_empty() {
        text += &format!("; not noticed: {}", lines.join(", "));
    }
    Proof { commit: Some(tested.head_sha.clone()), ..proof(text, standing) }
}

/// Tests that were removed, skipped or loosened. Who accepts that is named.
fn weakened(state: &BuildState) -> Vec<Proof> {
    let places = state.weakened_places().into_iter();
    places
        .map(|WeakenedPlace { text, cleared, .. }| match cleared {
            None => proof(text, Standing::Open),
            Some(Dismissal { by, reason }) => {
                proof(format!("{text} — accepted by {by}: {reason}"), Standing::Holds)
            }
        })
        .collect()
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
