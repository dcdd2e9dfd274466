//! Which exit criteria are proven. Tests and commands count as observed by the gates; a model's
//! judgement can only lower what was observed.

use super::{
    observed::{Observed, proof},
    test_checks::{Significance, significance},
};
use crate::{
    criterion::{ExitCriterion, ProofType},
    event::{
        confirmations::{ConfirmationResult, CriterionConfirmed},
        gates::{CriterionChecked, CriterionResult},
    },
    gate::TestOutcome,
    state::{BuildState, GateResult, PhaseState},
    verdict::{Proof, Standing},
};

pub(super) fn proofs(state: &BuildState, observed: Observed<'_>, rules: u32) -> Vec<Proof> {
    let of_phase = |phase| of_phase(state, observed, phase, rules);
    state.phases.iter().flat_map(of_phase).collect()
}

pub(super) fn of_phase<'a>(
    state: &'a BuildState,
    observed: Observed<'a>,
    phase: &'a PhaseState,
    rules: u32,
) -> impl Iterator<Item = Proof> + 'a {
    (1..).zip(&phase.outline.exit_criteria).map(move |(index, criterion)| {
        let checked = phase.criteria.get(&index);
        match &criterion.proof {
            _ if rules < 3 => judged(criterion, checked, rules),
            ProofType::Review | ProofType::Person => {
                let confirmed = phase.confirmations.get(&index);
                let confirmed = confirmed.filter(|it| it.head_sha == observed.head_sha);
                let audited = match criterion.proof {
                    ProofType::Person => by_person(criterion, checked),
                    _ => judged(criterion, checked, rules),
                };
                match confirmed {
                    Some(confirmed) => by_confirmation(criterion, confirmed, audited),
                    None => audited,
                }
            }
            ProofType::Test { names } => {
                let proof = by_tests(state, observed, criterion, checked, names);
                let phase = phase.outline.number;
                let is_due = rules >= 4 && proof.standing == Standing::Holds;
                if is_due { by_red_check(state, phase, criterion, names, proof) } else { proof }
            }
            ProofType::Command { command } => {
                by_command(state, observed, criterion, checked, command)
            }
        }
    })
}

/// What the auditor says.
fn judged(criterion: &ExitCriterion, checked: Option<&CriterionChecked>, rules: u32) -> Proof {
    let evidence = checked.map_or("", |checked| checked.evidence.as_str());
    let (standing, word) = match checked.map(|checked| checked.result) {
        Some(CriterionResult::Passed) => (Standing::Holds, evidence.to_owned()),
        Some(CriterionResult::Failed) => (Standing::Broken, evidence.to_owned()),
        Some(CriterionResult::Unverified) if rules >= 2 && !evidence.is_empty() => {
            (Standing::Open, format!("unverified: {evidence}"))
        }
        Some(CriterionResult::Unverified) | None => (Standing::Open, "unverified".to_owned()),
    };
    stated(criterion, standing, &word)
}

fn stated(criterion: &ExitCriterion, standing: Standing, word: &str) -> Proof {
    proof(format!("{} — {word}", criterion.text), standing)
}

/// The objection of an auditor who judged that the criterion fails.
fn objection(criterion: &ExitCriterion, checked: Option<&CriterionChecked>) -> Option<Proof> {
    let checked = checked.filter(|checked| checked.result == CriterionResult::Failed)?;
    let word = format!("the auditor objects: {}", checked.evidence);
    Some(stated(criterion, Standing::Broken, &word))
}

fn by_person(criterion: &ExitCriterion, checked: Option<&CriterionChecked>) -> Proof {
    let open = || stated(criterion, Standing::Open, "a person must confirm it in the review");
    objection(criterion, checked).unwrap_or_else(open)
}

/// What a user says about the sealed commit. It lowers what the auditor says, and replaces it only
/// where the auditor says nothing.
fn by_confirmation(
    criterion: &ExitCriterion,
    confirmed: &CriterionConfirmed,
    audited: Proof,
) -> Proof {
    let (word, standing) = match (confirmed.result, audited.standing) {
        (_, Standing::Broken) => return audited,
        (ConfirmationResult::Rejected, _) => ("rejected", Standing::Broken),
        (ConfirmationResult::Confirmed, _) => ("confirmed", Standing::Holds),
    };
    let by = confirmed.by.name();
    let note = confirmed.note.as_ref().map_or(String::new(), |note| format!(": {note}"));
    let commit = Some(confirmed.head_sha.clone());
    Proof { commit, ..stated(criterion, standing, &format!("{word} by {by}{note}")) }
}

/// Each test must have passed in a required gate that passed on the sealed commit.
fn by_tests(
    state: &BuildState,
    observed: Observed<'_>,
    criterion: &ExitCriterion,
    checked: Option<&CriterionChecked>,
    names: &[String],
) -> Proof {
    if let Some(objection) = objection(criterion, checked) {
        return objection;
    }
    let gates = || {
        let required = state.final_gates.values().filter(|gate| gate.required);
        required.filter(|gate| observed.by(gate))
    };
    let outcomes = |gate: &GateResult, name: &String| {
        let of_name = gate.named_tests.iter().filter(|test| test.name == *name);
        of_name.map(|test| test.outcome).max()
    };
    let mut proving = None;
    for name in names {
        if gates().any(|gate| outcomes(gate, name) == Some(TestOutcome::Failed)) {
            return stated(criterion, Standing::Broken, &format!("the test `{name}` failed"));
        }
        let passed =
            |gate: &&GateResult| gate.passed && outcomes(gate, name) == Some(TestOutcome::Passed);
        proving = gates().find(passed);
        if proving.is_none() {
            let was_skipped =
                gates().any(|gate| outcomes(gate, name) == Some(TestOutcome::Skipped));
            let word = match was_skipped {
                true => format!("the test `{name}` was skipped"),
                false => format!("the test `{name}` did not run and pass in a required gate"),
            };
            return stated(criterion, Standing::Open, &word);
        }
    }
    match proving {
        Some(gate) => shown_by(gate, stated(criterion, Standing::Holds, "every test passed")),
        // A criterion without a name, which no parser returns.
        None => stated(criterion, Standing::Open, "it names no test"),
    }
}

/// Of a criterion whose tests passed: those that the build added or changed must fail without the
/// change.
fn by_red_check(
    state: &BuildState,
    phase: u32,
    criterion: &ExitCriterion,
    names: &[String],
    passed: Proof,
) -> Proof {
    let (mut failed_before, mut is_inline) = (false, false);
    for name in names {
        let word = match significance(state, phase, name) {
            Significance::Failed => {
                failed_before = true;
                continue;
            }
            Significance::Inline => {
                is_inline = true;
                continue;
            }
            Significance::Unchanged | Significance::Disabled => continue,
            Significance::Vacuous => {
                format!("the test `{name}` proves nothing: it also passes without the change")
            }
            Significance::Unknown => {
                format!("the test `{name}` was not run without the change")
            }
        };
        return stated(criterion, Standing::Open, &word);
    }
    let word = match (is_inline, failed_before) {
        (true, _) => "every test passed; a test in the same file as the code cannot run without it",
        (false, true) => "every test passed, and fails without the change",
        (false, false) => return passed,
    };
    Proof { what: stated(criterion, Standing::Holds, word).what, ..passed }
}

/// The command must have exited with 0 in a required gate on the sealed commit.
fn by_command(
    state: &BuildState,
    observed: Observed<'_>,
    criterion: &ExitCriterion,
    checked: Option<&CriterionChecked>,
    command: &str,
) -> Proof {
    if let Some(objection) = objection(criterion, checked) {
        return objection;
    }
    let mut runs = state
        .final_gates
        .values()
        .filter(|gate| gate.required && observed.by(gate) && gate.command.trim() == command.trim());
    let Some(gate) = runs.next() else {
        return stated(criterion, Standing::Open, "the command did not run on the sealed commit");
    };
    let (standing, word) = match (gate.passed && gate.exit_code == Some(0), gate.exit_code) {
        (true, _) => (Standing::Holds, "the command exited with code 0".to_owned()),
        (false, Some(code)) => (Standing::Broken, format!("the command exited with code {code}")),
        (false, None) => (Standing::Broken, "the command was ended by a signal".to_owned()),
    };
    shown_by(gate, stated(criterion, standing, &word))
}

fn shown_by(gate: &GateResult, proof: Proof) -> Proof {
    Proof {
        commit: Some(gate.head_sha.clone()),
        tree_sha: gate.tree_sha.clone(),
        command: Some(gate.command.clone()),
        exit_code: gate.exit_code,
        output_sha256: Some(gate.output_sha256.clone()),
        sandbox: gate.sandbox,
        ..proof
    }
}
