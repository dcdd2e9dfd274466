//! The weakened tests that a judgement clears: only with a reason, and lines that the auditor has read.

use super::{
    read_lines::ReadLines,
    submission::{JustifiedWeakening, SignOff},
};
use crate::{
    audited_weakening::{AuditedWeakening, ClearedWeakening},
    state::PhaseState,
};

/// Everything that the auditor must correct, each in a sentence.
pub(super) fn problems<'a>(
    phase: &'a PhaseState,
    read: &'a ReadLines,
    sign_off: &'a SignOff,
) -> impl Iterator<Item = String> + 'a {
    sign_off.weakened_tests.iter().filter_map(|justified| {
        let number = justified.number;
        match shown(phase, number) {
            None => Some(format!(
                "There is no weakened test {number}; you were shown {}.",
                phase.weakened_tests.len()
            )),
            Some(_) => {
                objection(read, justified).map(|it| format!("Weakened test {number}: {it}."))
            }
        }
    })
}

/// Those that hold, each once; the last justification counts.
pub(super) fn cleared(
    phase: &PhaseState,
    read: &ReadLines,
    sign_off: &SignOff,
) -> Vec<ClearedWeakening> {
    let justified = &sign_off.weakened_tests;
    let cleared = (1..).zip(&phase.weakened_tests).filter_map(|(number, weakening)| {
        let justified = justified.iter().rev().find(|justified| justified.number == number)?;
        let reason = justified.reason.trim().to_owned();
        let holds = objection(read, justified).is_none();
        holds.then(|| ClearedWeakening { weakening: weakening.clone(), reason })
    });
    cleared.collect()
}

fn shown(phase: &PhaseState, number: u32) -> Option<&AuditedWeakening> {
    phase.weakened_tests.get((number as usize).checked_sub(1)?)
}

/// Why a weakened test stays open.
fn objection(read: &ReadLines, justified: &JustifiedWeakening) -> Option<String> {
    if justified.citations.is_empty() {
        return Some("cite the lines that justify it".to_owned());
    }
    if justified.reason.trim().is_empty() {
        return Some("give the reason that justifies it".to_owned());
    }
    let unread = read.unread(&justified.citations);
    unread.map(|place| format!("the auditor has not read {place}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{phases::PhaseOutline, sign_off::Citation};

    fn phase() -> PhaseState {
        let weakened_tests = ["tests/a.js:3: tests are skipped", "test: it ran 8 tests, but 9"];
        let outline = PhaseOutline {
            number: 0,
            title: "t".into(),
            scope: vec![],
            deliverables: vec!["d".into()],
            covers: vec![],
            exit_criteria: vec![],
        };
        let shown = |text: &str| AuditedWeakening { text: text.to_owned(), blob_sha: None };
        let weakened_tests = weakened_tests.map(shown).to_vec();
        PhaseState { weakened_tests, ..PhaseState::new(outline) }
    }

    /// What a justification clears, and the problems that it has.
    fn judged(number: u32, reason: &str, cited: &str) -> (Vec<String>, Vec<String>) {
        let mut read = ReadLines::default();
        (1..=9).for_each(|line| read.add("src/a.js", line));
        let citations = Citation::all_in(cited).collect();
        let justified = JustifiedWeakening { number, reason: reason.to_owned(), citations };
        let sign_off = SignOff { weakened_tests: vec![justified], ..SignOff::default() };
        let phase = phase();
        let cleared = cleared(&phase, &read, &sign_off).into_iter();
        (
            cleared.map(|it| it.weakening.text).collect(),
            problems(&phase, &read, &sign_off).collect(),
        )
    }

    #[test]
    fn weakened_test_is_cleared_with_a_reason_and_lines_that_were_read() {
        let (cleared, problems) = judged(2, "merged into another test", "src/a.js:2-4");
        assert_eq!(cleared, ["test: it ran 8 tests, but 9"]);
        assert!(problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn weakened_test_stays_open_when_the_auditor_does_not_show_why() {
        for (number, reason, cited, problem) in [
            (1, "it is fine", "", "Weakened test 1: cite the lines that justify it."),
            (1, " ", "src/a.js:2", "Weakened test 1: give the reason that justifies it."),
            (1, "fine", "src/a.js:99", "Weakened test 1: the auditor has not read src/a.js:99."),
            (1, "fine", "src/b.js:1", "Weakened test 1: the auditor has not read src/b.js:1."),
            (3, "fine", "src/a.js:1", "There is no weakened test 3; you were shown 2."),
            (0, "fine", "src/a.js:1", "There is no weakened test 0; you were shown 2."),
        ] {
            let (cleared, problems) = judged(number, reason, cited);
            assert_eq!((cleared, problems), (vec![], vec![problem.to_owned()]), "{reason}");
        }
    }
}
