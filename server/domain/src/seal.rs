//! The seal: evidence gathered from the state, and the verdict that follows from it by fixed rules.

use crate::{
    errors::Severity,
    event::gates::CriterionResult,
    state::{BuildState, PhaseStatus},
    verdict::{Clause, ClauseKind, Evidence, Proof, Standing, Verdict},
};

/// Gathers the evidence that a build's journal holds.
pub fn evidence(state: &BuildState) -> Evidence {
    let head_sha = state.branch.as_ref().map_or(String::new(), |branch| branch.head_sha.clone());
    let clauses = vec![
        clause(ClauseKind::Phases, phases(state)),
        clause(ClauseKind::Gates, gates(state, &head_sha)),
        clause(ClauseKind::Criteria, criteria(state)),
        clause(ClauseKind::Errors, errors(state)),
        clause(ClauseKind::Findings, findings(state)),
        clause(ClauseKind::Questions, questions(state)),
    ];
    Evidence { head_sha, clauses }
}

/// The verdict, by the rules: broken clauses flag, open ones make it conditional.
pub fn verdict(evidence: &Evidence) -> Verdict {
    match evidence.clauses.iter().map(|clause| clause.standing).max() {
        Some(Standing::Holds) => Verdict::Certified,
        Some(Standing::Open) => Verdict::Conditional,
        Some(Standing::Broken) | None => Verdict::Flagged,
    }
}

/// 0 to 100 for the reader: the share of clauses that hold, open ones counting half.
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

fn clause(clause: ClauseKind, proofs: Vec<Proof>) -> Clause {
    let standing = proofs.iter().map(|proof| proof.standing).max().unwrap_or(Standing::Holds);
    Clause { clause, standing, proofs }
}

fn proof(what: String, standing: Standing) -> Proof {
    Proof {
        what,
        standing,
        commit: None,
        command: None,
        exit_code: None,
        output_sha256: None,
        sandbox: None,
    }
}

fn broken_unless(holds: bool) -> Standing {
    if holds { Standing::Holds } else { Standing::Broken }
}

fn phases(state: &BuildState) -> Vec<Proof> {
    let proofs = state.phases.iter().map(|phase| {
        let holds = phase.signed_off && phase.status == PhaseStatus::Complete;
        let word = if holds { "signed off" } else { "not signed off" };
        proof(format!("{}: {word}", phase.label()), broken_unless(holds))
    });
    proofs.collect()
}

fn gates(state: &BuildState, head_sha: &str) -> Vec<Proof> {
    let proofs = state.gate_names(None).into_iter().map(|name| {
        let Some(gate) = state.final_gates.get(&name) else {
            return proof(format!("{name}: has not run"), Standing::Broken);
        };
        let green = gate.passed && gate.head_sha == head_sha;
        let standing = match (green, gate.required) {
            (true, _) => Standing::Holds,
            (false, false) => Standing::Open,
            (false, true) => Standing::Broken,
        };
        let word = if green { "passed" } else { "failed" };
        Proof {
            commit: Some(gate.head_sha.clone()),
            command: Some(gate.command.clone()).filter(|command| !command.is_empty()),
            exit_code: gate.exit_code,
            output_sha256: Some(gate.output_sha256.clone()),
            sandbox: gate.sandbox,
            ..proof(format!("{name}: {word}"), standing)
        }
    });
    proofs.collect()
}

fn criteria(state: &BuildState) -> Vec<Proof> {
    let mut proofs = Vec::new();
    for phase in &state.phases {
        for (index, text) in (1..).zip(&phase.outline.exit_criteria) {
            let (standing, word) = match phase.criteria.get(&index).map(|c| (c.result, &c.evidence))
            {
                Some((CriterionResult::Passed, evidence)) => (Standing::Holds, evidence.as_str()),
                Some((CriterionResult::Failed, evidence)) => (Standing::Broken, evidence.as_str()),
                Some((CriterionResult::Unverified, _)) | None => (Standing::Open, "unverified"),
            };
            proofs.push(proof(format!("{text} — {word}"), standing));
        }
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
    proofs.collect()
}

fn findings(state: &BuildState) -> Vec<Proof> {
    let findings = state.phases.iter().flat_map(|phase| &phase.findings);
    let proofs = findings.map(|finding| {
        let grave = finding.severity >= Severity::Error;
        let standing = if grave { Standing::Broken } else { Standing::Open };
        let place = finding.place.as_deref().unwrap_or("the change");
        proof(format!("{place}: {}", finding.text), standing)
    });
    proofs.collect()
}

fn questions(state: &BuildState) -> Vec<Proof> {
    let unanswered = state.unanswered.iter();
    unanswered.map(|question| proof(format!("unanswered: {question}"), Standing::Open)).collect()
}
