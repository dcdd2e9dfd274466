//! Why a build is not certified, and what to do about it.

use crate::verdict::{ClauseKind, Evidence, Standing};

/// The beginning of the proof of a question.
pub(super) const UNANSWERED: &str = "unanswered: ";

/// One sentence about the first of the worst proofs; `None` if the build is certified.
pub fn reason(evidence: &Evidence) -> Option<String> {
    let worst = evidence.clauses.iter().map(|clause| clause.standing).max();
    let Some(worst) = worst else { return Some("There is no evidence: start a new build.".into()) };
    if worst == Standing::Holds {
        return None;
    }
    let clause = evidence.clauses.iter().find(|clause| clause.standing == worst)?;
    let of_worst = |clause: &crate::verdict::Clause| {
        clause.proofs.iter().filter(|proof| proof.standing == worst).count()
    };
    let what = match clause.proofs.iter().find(|proof| proof.standing == worst) {
        // Ends with a question mark, which is not the end of the sentence.
        Some(proof) if clause.clause == ClauseKind::Questions => {
            format!("“{}”", proof.what.trim_start_matches(UNANSWERED))
        }
        Some(proof) => proof.what.trim_end_matches('.').to_owned(),
        None => "the phases contract lists no exit criteria".to_owned(),
    };
    let others: usize = evidence.clauses.iter().map(of_worst).sum::<usize>().saturating_sub(1);
    let others = match others {
        0 => String::new(),
        1 => " (and 1 more item)".to_owned(),
        count => format!(" (and {count} more items)"),
    };
    Some(format!("{}: {what}{others}.", action(clause.clause)))
}

fn action(clause: ClauseKind) -> &'static str {
    match clause {
        ClauseKind::Phases => {
            "Complete the phases, their steps and deliverables in a follow-up build"
        }
        ClauseKind::Gates => "Make every required gate run tests and pass",
        ClauseKind::Criteria => "Prove every exit criterion",
        ClauseKind::Requirements => "Prove every requirement, and confirm what was assumed",
        ClauseKind::Errors => "Fix or dismiss the open errors",
        ClauseKind::Findings => "Resolve the auditor's findings in a follow-up build",
        ClauseKind::Questions => {
            "Start a follow-up build and answer the question that was left open"
        }
        ClauseKind::Tests => "Make the tests check the change in a follow-up build",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        seal::observed::proof,
        verdict::{Clause, Proof},
    };

    fn clause(clause: ClauseKind, proofs: &[(&str, Standing)]) -> Clause {
        let proofs: Vec<Proof> =
            proofs.iter().map(|(what, standing)| proof((*what).to_owned(), *standing)).collect();
        let standing = proofs.iter().map(|proof| proof.standing).max().unwrap_or(Standing::Open);
        Clause { clause, standing, proofs }
    }

    fn of(clauses: Vec<Clause>) -> Option<String> {
        reason(&Evidence { rules: 3, head_sha: String::new(), tree_sha: None, clauses })
    }

    #[test]
    fn reason_names_what_to_do_and_the_worst_item() {
        use Standing::{Broken, Holds, Open};
        let phases = || clause(ClauseKind::Phases, &[("signed off", Holds)]);
        assert_eq!(of(vec![phases()]), None);
        let open = || clause(ClauseKind::Gates, &[("no test ran", Open), ("lint: failed", Open)]);
        assert_eq!(
            of(vec![phases(), open()]).as_deref(),
            Some("Make every required gate run tests and pass: no test ran (and 1 more item).")
        );
        let broken =
            clause(ClauseKind::Criteria, &[("R-1 — fine", Holds), ("R-2 — failed", Broken)]);
        assert_eq!(
            of(vec![phases(), open(), broken]).as_deref(),
            Some("Prove every exit criterion: R-2 — failed.")
        );
        let questions = clause(ClauseKind::Questions, &[("unanswered: How long?", Open)]);
        assert_eq!(
            of(vec![questions]).as_deref(),
            Some(
                "Start a follow-up build and answer the question that was left open: “How long?”."
            )
        );
        assert_eq!(
            of(vec![clause(ClauseKind::Criteria, &[])]).as_deref(),
            Some("Prove every exit criterion: the phases contract lists no exit criteria.")
        );
        assert!(of(Vec::new()).is_some());
    }
}
