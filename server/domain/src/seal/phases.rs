//! Which phases, steps of plans and deliverables are complete.

use super::{
    criteria,
    observed::{Observed, proof},
};
use crate::{
    event::phases::DeliverableResult,
    state::{BuildState, PhaseState, PhaseStatus, PlanStep, SkippedPhase},
    verdict::{Proof, Standing},
};

pub(super) fn proofs(state: &BuildState, observed: Observed<'_>, rules: u32) -> Vec<Proof> {
    let mut proofs = Vec::new();
    for phase in &state.phases {
        proofs.push(completion(state, observed, phase, rules));
        let steps = (1..).zip(&phase.plan);
        proofs.extend(steps.filter_map(|(number, it)| step(phase, number, it, rules)));
        if rules >= 4 {
            let deliverables = (1..).zip(&phase.outline.deliverables);
            proofs.extend(
                deliverables.map(|(index, text)| deliverable(state, observed, phase, index, text)),
            );
        }
    }
    proofs
}

fn completion(state: &BuildState, observed: Observed<'_>, phase: &PhaseState, rules: u32) -> Proof {
    if let Some(SkippedPhase { by, reason }) = phase.skipped.as_deref() {
        let what = format!("{}: skipped by {}: {reason}", phase.label(), by.name());
        return proof(what, Standing::Open);
    }
    let signed_off = phase.signed_off && phase.status == PhaseStatus::Complete;
    let already_done = phase.already_done.as_ref().filter(|_| rules >= 4);
    let (standing, word) = match (signed_off, phase.files_committed, already_done) {
        (false, ..) => (Standing::Broken, "not signed off".to_owned()),
        (true, 0, Some(reason)) => {
            let mut criteria = criteria::of_phase(state, observed, phase, rules).peekable();
            let is_proven = criteria.peek().is_some()
                && criteria.all(|criterion| criterion.standing == Standing::Holds);
            match is_proven {
                true => (Standing::Holds, format!("signed off, already done: {reason}")),
                false => (
                    Standing::Broken,
                    "signed off as already done, but not every exit criterion is proven".to_owned(),
                ),
            }
        }
        (true, 0, None) => (Standing::Broken, "signed off, but no file was changed".to_owned()),
        (true, ..) => (Standing::Holds, "signed off".to_owned()),
    };
    proof(format!("{}: {word}", phase.label()), standing)
}

/// What is to be said about a step of a plan; nothing if it is done.
fn step(phase: &PhaseState, number: u32, step: &PlanStep, rules: u32) -> Option<Proof> {
    let PlanStep { text, done, dropped } = step;
    let is_unchanged = rules >= 4 && phase.files_committed == 0 && phase.already_done.is_none();
    let (word, standing) = match (done, dropped) {
        (true, _) if is_unchanged => {
            let word = "is reported as done, but the phase changed no file".to_owned();
            (word, Standing::Open)
        }
        (true, _) => return None,
        (false, Some(reason)) => (format!("was dropped ({reason})"), Standing::Holds),
        (false, None) => ("is not done".to_owned(), Standing::Open),
    };
    Some(proof(format!("{}: step {number} of the plan {word}: {text}", phase.label()), standing))
}

fn deliverable(
    state: &BuildState,
    observed: Observed<'_>,
    phase: &PhaseState,
    index: u32,
    text: &str,
) -> Proof {
    let checks = state.deliverables.as_ref().filter(|it| it.head_sha == observed.head_sha);
    let number = phase.outline.number;
    let of_it = checks.and_then(|it| {
        it.deliverables.iter().find(|one| one.phase == number && one.index == index)
    });
    let is_missing =
        phase.deliverables.iter().any(|one| one.index == index && one.shown_by.is_none());
    let checked = of_it.map(|one| (one.result, one.path.as_deref().unwrap_or_default()));
    let (word, standing) = match checked {
        _ if is_missing => ("is missing, says the auditor".to_owned(), Standing::Open),
        Some((DeliverableResult::Shown, path)) => (format!("is shown by {path}"), Standing::Holds),
        Some((DeliverableResult::Missing, path)) => {
            (format!("names {path}, which is not on the branch"), Standing::Open)
        }
        Some((DeliverableResult::Unknown, _)) => {
            ("is not shown by any path".to_owned(), Standing::Open)
        }
        None => ("was not looked up at the sealed commit".to_owned(), Standing::Open),
    };
    let what = format!("{}: deliverable {index} {word}: {text}", phase.label());
    let commit = (standing == Standing::Holds).then(|| observed.head_sha.to_owned());
    Proof { commit, ..proof(what, standing) }
}
