//! The requirements matrix: each requirement with its criteria, their proofs, and its standing.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{criteria, observed::Observed};
use crate::{
    criterion::{ExitCriterion, ProofType},
    event::gates::CriterionResult,
    requirements::{Priority, Requirement, Source},
    state::{BuildState, PhaseState, Status},
    verdict::{Proof, RULES, Standing},
};

/// A requirement in a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MatrixRow {
    #[serde(flatten)]
    pub requirement: Requirement,
    /// Before the build is sealed, what is not proven yet is open.
    pub standing: Standing,
    /// Why, in one sentence.
    pub reason: String,
    /// The phases that cover it or prove it, in order.
    pub phases: Vec<u32>,
    pub criteria: Vec<MatrixCriterion>,
}

/// An exit criterion that proves a requirement or one of its scenarios.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MatrixCriterion {
    pub phase: u32,
    /// From 1 within the phase.
    pub index: u32,
    pub criterion: ExitCriterion,
    pub proof: Proof,
    /// Whether the auditor judged that it holds, which does not replace a declared test or command.
    pub is_judged: bool,
}

/// The rows of a build's requirements, in the order of the blueprint; empty if it has none. For a
/// sealed build by the rules and for the commit of its seal.
pub fn matrix(state: &BuildState) -> Vec<MatrixRow> {
    let newest_head = || state.branch.as_ref().map_or("", |branch| &branch.head_sha);
    let newest_tree = || state.final_gates.values().find_map(|gate| gate.tree_sha.as_deref());
    let sealed = state.sealed.as_ref().map(|sealed| &sealed.evidence);
    let observed = Observed {
        head_sha: sealed.map_or_else(newest_head, |evidence| &evidence.head_sha),
        tree_sha: sealed.map_or_else(newest_tree, |evidence| evidence.tree_sha.as_deref()),
    };
    let rules = sealed.map_or(RULES, |evidence| evidence.rules);
    rows(state, &criteria::proofs(state, observed, rules))
}

/// The same, from the proofs of all criteria in the order of phases.
pub(super) fn rows(state: &BuildState, proofs: &[Proof]) -> Vec<MatrixRow> {
    let mut all = Vec::new();
    let mut proofs = proofs.iter();
    for phase in &state.phases {
        for (index, criterion) in (1..).zip(&phase.outline.exit_criteria) {
            let Some(proof) = proofs.next().cloned() else { continue };
            let result = phase.criteria.get(&index).map(|checked| checked.result);
            all.push(MatrixCriterion {
                phase: phase.outline.number,
                index,
                criterion: criterion.clone(),
                proof,
                is_judged: result == Some(CriterionResult::Passed),
            });
        }
    }
    let is_over = matches!(state.status, Status::Sealing | Status::Sealed);
    state.queued.requirements.iter().map(|it| row(state, it, &all, is_over)).collect()
}

fn row(
    state: &BuildState,
    requirement: &Requirement,
    all: &[MatrixCriterion],
    is_over: bool,
) -> MatrixRow {
    let proves = |one: &&MatrixCriterion| {
        one.criterion.id.is_some_and(|id| id.requirement() == requirement.id)
    };
    let criteria: Vec<MatrixCriterion> = all.iter().filter(proves).cloned().collect();
    let covers = |phase: &&PhaseState| {
        let covered = phase.outline.covers.iter().any(|id| id.requirement() == requirement.id);
        covered || criteria.iter().any(|one| one.phase == phase.outline.number)
    };
    let phases = state.phases.iter().filter(covers).map(|phase| phase.outline.number).collect();
    let (standing, reason) = judge(requirement, &criteria, is_over);
    MatrixRow { requirement: requirement.clone(), standing, reason, phases, criteria }
}

fn judge(
    requirement: &Requirement,
    criteria: &[MatrixCriterion],
    is_over: bool,
) -> (Standing, String) {
    let is_must = requirement.priority == Priority::Must;
    // A missing proof of a `must` is worse than an open item, once nothing can be proven any more.
    let missing = if is_must && is_over { Standing::Broken } else { Standing::Open };
    let of = |one: &MatrixCriterion| match one.proof.standing {
        // A person confirms in the review, and the auditor's judgement counts as attested.
        Standing::Open if one.is_judged || one.criterion.proof == ProofType::Person => {
            Standing::Open
        }
        Standing::Open => missing,
        other => other,
    };
    let Some(worst) = criteria.iter().map(of).max() else {
        return (missing, "no exit criterion proves it".to_owned());
    };
    let count = |standing| criteria.iter().filter(|one| one.proof.standing == standing).count();
    let proven = format!("{} of {} criteria are proven", count(Standing::Holds), criteria.len());
    match worst {
        Standing::Holds if is_must && requirement.source == Source::Assumed => {
            (Standing::Open, "it is proven, but an assumption that is not confirmed yet".to_owned())
        }
        Standing::Broken if count(Standing::Broken) > 0 => {
            (worst, format!("{} of {} criteria fail", count(Standing::Broken), criteria.len()))
        }
        worst => (worst, proven),
    }
}

/// The matrix as a Markdown table, for reports and pull requests.
pub fn markdown(rows: &[MatrixRow]) -> String {
    let proven = rows.iter().filter(|row| row.standing == Standing::Holds).count();
    let mut text = format!("{proven} of {} requirements are proven.\n\n", rows.len());
    text.push_str("| Requirement | Priority | State | Phases | Proof | Commit |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for MatrixRow { requirement, standing, reason, phases, criteria } in rows {
        let phases: Vec<String> = phases.iter().map(u32::to_string).collect();
        let priority = match requirement.priority {
            Priority::Must => "must",
            Priority::Should => "should",
        };
        let (id, what, phases) = (requirement.id, cell(&requirement.text), phases.join(", "));
        let state = state_name(*standing);
        let reason = cell(reason);
        let _ =
            writeln!(text, "| **{id}** {what} | {priority} | {state} | {phases} | {reason} | |");
        for one in criteria {
            let (what, state) = (cell(&one.criterion.text), state_name(one.proof.standing));
            let (phase, proof) = (one.phase, proof_name(&one.criterion.proof));
            let commit = one.proof.commit.as_deref().map_or("", |sha| sha.get(..10).unwrap_or(sha));
            let _ = writeln!(text, "| ↳ {what} | | {state} | {phase} | {proof} | {commit} |");
        }
    }
    text
}

fn state_name(standing: Standing) -> &'static str {
    match standing {
        Standing::Holds => "proven",
        Standing::Open => "open",
        Standing::Broken => "not proven",
    }
}

fn proof_name(proof: &ProofType) -> &'static str {
    match proof {
        ProofType::Test { .. } => "test",
        ProofType::Command { .. } => "command",
        ProofType::Review => "review",
        ProofType::Person => "person",
    }
}

/// Text on one line, without the characters that end a cell.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
