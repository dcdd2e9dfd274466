//! The seal: evidence from the state, and the verdict that follows from it by fixed rules.
//!
//! - [`criteria`]: which exit criteria are proven
//! - [`phases`]: which phases, steps and deliverables are complete
//! - [`matrix`]: which requirements are
//! - [`observed`]: results of gates on the sealed commit
//! - [`test_checks`]: what the tests themselves are worth
//! - [`reason`]: why a build is not certified, in one sentence
//! - [`requirements`]: the clause about requirements

pub mod matrix;

mod criteria;
mod observed;
mod phases;
mod reason;
mod requirements;
mod test_checks;

use crate::{
    errors::Severity,
    state::{BuildState, Dismissal},
    verdict::{Clause, ClauseKind, Evidence, Proof, Standing, Verdict},
};

pub use crate::verdict::RULES;
use observed::{Observed, proof, proofs_or};
use reason::UNANSWERED;
pub use reason::reason;

/// The evidence that a build's journal contains, by the newest rules.
pub fn evidence(state: &BuildState) -> Evidence {
    evidence_by(state, RULES)
}

/// The same by the rules of a seal that was made earlier.
pub fn evidence_by(state: &BuildState, rules: u32) -> Evidence {
    let head_sha = state.branch.as_ref().map_or(String::new(), |branch| branch.head_sha.clone());
    let tree_sha = state.final_gates.values().find_map(|gate| gate.tree_sha.clone());
    let observed = Observed { head_sha: &head_sha, tree_sha: tree_sha.as_deref() };
    let criteria = criteria::proofs(state, observed, rules);
    let later = if rules >= 4 { added_by_rules_4(state, &criteria) } else { Vec::new() };
    let mut clauses = vec![
        clause(ClauseKind::Phases, phases::proofs(state, observed, rules)),
        clause(ClauseKind::Gates, gates(state, observed, rules)),
        clause(ClauseKind::Criteria, criteria),
        clause(ClauseKind::Errors, errors(state)),
        clause(ClauseKind::Findings, findings(state)),
        clause(ClauseKind::Questions, questions(state)),
    ];
    clauses.extend(later);
    Evidence { rules, head_sha, tree_sha, clauses }
}

/// Blueprints without ids of requirements have no clause for them.
fn added_by_rules_4(state: &BuildState, criteria: &[Proof]) -> Vec<Clause> {
    let mut clauses = vec![clause(ClauseKind::Tests, test_checks::proofs(state))];
    let requirements = requirements::proofs(state, criteria);
    if !requirements.is_empty() {
        clauses.push(clause(ClauseKind::Requirements, requirements));
    }
    clauses
}

/// Broken clauses make the verdict flagged, open ones conditional.
pub fn verdict(evidence: &Evidence) -> Verdict {
    match evidence.clauses.iter().map(|clause| clause.standing).max() {
        Some(Standing::Holds) => Verdict::Certified,
        Some(Standing::Open) => Verdict::Conditional,
        Some(Standing::Broken) | None => Verdict::Flagged,
    }
}

/// 0 to 100, for display: the share of clauses that hold; open ones count half.
pub fn score(evidence: &Evidence) -> u8 {
    let points = |clause: &Clause| match clause.standing {
        Standing::Holds => 2,
        Standing::Open => 1,
        Standing::Broken => 0,
    };
    let reached: usize = evidence.clauses.iter().map(points).sum();
    let possible = evidence.clauses.len() * 2;
    (reached * 100).checked_div(possible).and_then(|score| u8::try_from(score).ok()).unwrap_or(0)
}

/// A clause without proofs is open.
fn clause(clause: ClauseKind, proofs: Vec<Proof>) -> Clause {
    let standing = proofs.iter().map(|proof| proof.standing).max().unwrap_or(Standing::Open);
    Clause { clause, standing, proofs }
}

fn gates(state: &BuildState, observed: Observed<'_>, rules: u32) -> Vec<Proof> {
    let mut proofs = Vec::new();
    let mut is_tested = false;
    for name in state.gate_names(None) {
        let Some(gate) = state.final_gates.get(&name) else {
            proofs.push(proof(format!("{name}: has not run"), Standing::Broken));
            continue;
        };
        let green = gate.passed && observed.by(gate);
        let tests = gate.tests.filter(|_| rules >= 2);
        is_tested |= gate.required && green && tests.is_some_and(|tests| tests.executed() > 0);
        let failed = tests.map_or(0, |tests| tests.failed);
        let is_declared = state.gate(&name).is_some_and(|gate| gate.runs_tests);
        let runs_none = is_declared && tests.is_some_and(|tests| tests.executed() == 0);
        let standing = match (green, gate.required) {
            // It is declared to run tests.
            (true, true) if runs_none => Standing::Open,
            // The exit code says that it passed, and the test runner that it did not.
            (true, _) if failed > 0 => Standing::Open,
            (true, _) => Standing::Holds,
            (false, false) => Standing::Open,
            (false, true) => Standing::Broken,
        };
        let word = if green { "passed" } else { "failed" };
        let text = match tests {
            Some(tests) if failed > 0 => {
                format!("{name}: {word}, but {failed} of {} tests failed", tests.executed())
            }
            Some(tests) => format!("{name}: {word}, tests run: {}", tests.executed()),
            None => format!("{name}: {word}"),
        };
        let failed_before = state.baseline.get(&name).is_some_and(|before| !before.passed);
        let note = if failed_before && !green { " (as it did before the build)" } else { "" };
        let is_changed = state.has_changed_command(&name);
        let change = if is_changed { " (its command was changed during the build)" } else { "" };
        let text = text + note + change;
        proofs.push(Proof {
            commit: Some(gate.head_sha.clone()),
            tree_sha: gate.tree_sha.clone(),
            command: Some(gate.command.clone()).filter(|command| !command.is_empty()),
            exit_code: gate.exit_code,
            output_sha256: Some(gate.output_sha256.clone()),
            sandbox: gate.sandbox,
            ..proof(text, standing)
        });
    }
    let relaxed = state.relaxed_gates().into_iter().map(|text| proof(text, Standing::Open));
    proofs.extend(relaxed);
    if rules >= 2 && !is_tested {
        let text = "no required gate ran a test: add a gate with the project's test command";
        proofs.push(proof(text.to_owned(), Standing::Open));
    }
    proofs
}

fn errors(state: &BuildState) -> Vec<Proof> {
    let open = state.errors.iter().filter(|(_, error)| !error.resolved);
    let proofs = open.map(|(fingerprint, error)| {
        let grave = error.severity >= Severity::Error;
        let standing = if grave { Standing::Broken } else { Standing::Open };
        proof(
            format!("{} {} from {} is open", error.severity.name(), fingerprint, error.source),
            standing,
        )
    });
    let recorded = state.errors.len();
    let dismissed = state.errors.iter().filter_map(|(fingerprint, error)| {
        let Dismissal { by, reason } = error.dismissal.as_deref()?;
        let (severity, source) = (error.severity.name(), &error.source);
        let text = format!("{severity} {fingerprint} from {source} — dismissed by {by}: {reason}");
        Some(proof(text, Standing::Holds))
    });
    proofs_or(
        proofs.chain(dismissed).collect(),
        format!("none of {recorded} recorded errors is open"),
    )
}

fn findings(state: &BuildState) -> Vec<Proof> {
    let findings = state.phases.iter().flat_map(|phase| &phase.findings);
    let proofs = findings.map(|finding| {
        let grave = finding.severity >= Severity::Error;
        let standing = if grave { Standing::Broken } else { Standing::Open };
        let place = finding.place.as_deref().unwrap_or("the change");
        proof(format!("{place}: {}", finding.text), standing)
    });
    let dismissed = state.dismissed_findings.iter().map(|dismissed| {
        let Dismissal { by, reason } = &dismissed.dismissal;
        let place = dismissed.finding.place.as_deref().unwrap_or("the change");
        let text = &dismissed.finding.text;
        proof(format!("{place}: {text} — dismissed by {by}: {reason}"), Standing::Holds)
    });
    proofs_or(
        proofs.chain(dismissed).collect(),
        "the auditor's last judgements name no finding".to_owned(),
    )
}

fn questions(state: &BuildState) -> Vec<Proof> {
    let unanswered = state.unanswered.iter();
    let proofs = unanswered.map(|text| proof(format!("{UNANSWERED}{text}"), Standing::Open));
    let asked = state.spent.clarifications + state.spent.permission_prompts;
    proofs_or(proofs.collect(), format!("none of {asked} questions was left unanswered"))
}
