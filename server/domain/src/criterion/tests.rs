//! Criteria as people and models write them.

use super::*;

fn test(names: &[&str]) -> ProofType {
    ProofType::Test { names: names.iter().map(|name| (*name).to_owned()).collect() }
}

fn command(command: &str) -> ProofType {
    ProofType::Command { command: command.to_owned() }
}

#[track_caller]
fn read(item: &str) -> (String, ProofType) {
    let criterion = ExitCriterion::parse(item).unwrap_or_else(|error| panic!("{item}: {error}"));
    assert_eq!(criterion.text, item);
    (criterion.id.map_or(String::new(), String::from), criterion.proof)
}

#[test]
fn requirement_and_proof_are_read_in_every_common_form() {
    for (item, id, proof) in [
        ("R-7.a — test: fine_rope_four_days", "R-7.a", test(&["fine_rope_four_days"])),
        ("R-7.a – test: fine_rope_four_days", "R-7.a", test(&["fine_rope_four_days"])),
        ("R-7.a - test: fine_rope_four_days.", "R-7.a", test(&["fine_rope_four_days"])),
        ("R-7.a -- test: `fine_rope_four_days`", "R-7.a", test(&["fine_rope_four_days"])),
        ("R-7.a: test: fine_rope_four_days", "R-7.a", test(&["fine_rope_four_days"])),
        ("R-7.a (test: fine_rope_four_days)", "R-7.a", test(&["fine_rope_four_days"])),
        ("**R-7.a** — **test:** fine_rope", "R-7.a", test(&["fine_rope"])),
        ("`R-7.a` — Test: fine_rope", "R-7.a", test(&["fine_rope"])),
        ("R-7.a test: a", "R-7.a", test(&["a"])),
        ("R-7.a — tests: a, `b`", "R-7.a", test(&["a", "b"])),
        ("R-7 — tests: a, b, c::d", "R-7", test(&["a", "b", "c::d"])),
        ("R-7 — test: `a, b` and `c`", "R-7", test(&["a, b", "c"])),
        ("R-7 — test: \"charges 4 € for a rope\"", "R-7", test(&["charges 4 € for a rope"])),
        ("R-7 — a late rope costs 4 € — test: rope", "R-7", test(&["rope"])),
        ("R-7 | test: not a row", "R-7", test(&["not a row"])),
        ("Q-2 — command: npm run size", "Q-2", command("npm run size")),
        ("Q-2 — command: `npm run size` exits 0", "Q-2", command("npm run size")),
        ("Q-2 — command: sh -c 'x - test: y'", "Q-2", command("sh -c 'x - test: y'")),
        ("R-9 — review", "R-9", ProofType::Review),
        ("R-9 — the README names it — review.", "R-9", ProofType::Review),
        ("R-9 — person", "R-9", ProofType::Person),
        ("the list is sorted — test: sorts", "", test(&["sorts"])),
        ("test: sorts", "", test(&["sorts"])),
        ("command: make size", "", command("make size")),
    ] {
        assert_eq!(read(item), (id.to_owned(), proof), "{item}");
    }
}

#[test]
fn sentences_without_id_and_proof_are_reviewed() {
    for item in [
        "tests pass (`node --test`)",
        "**Tests:** pass",
        "`node --test` exits 0",
        "a person can review it",
        "the command: it prints a list",
        "Each page passes review, and the tests: all of them",
    ] {
        assert_eq!(read(item), (String::new(), ProofType::Review), "{item}");
    }
}

#[test]
fn errors_say_what_is_missing() {
    let id = "R-7".parse().unwrap();
    for (item, error) in [
        ("R-7 — the fine is right", CriterionError::NoProof(id)),
        ("R-7", CriterionError::NoProof(id)),
        ("R-7 — tset: a", CriterionError::NoProof(id)),
        ("R-7, R-8 — review", CriterionError::SeveralRequirements),
        ("**R-7** and **R-8** — review", CriterionError::SeveralRequirements),
        ("R-7 — test:", CriterionError::NoTest),
        ("R-7 — test", CriterionError::NoTest),
        ("R-7 — command: ``", CriterionError::NoCommand),
    ] {
        assert_eq!(ExitCriterion::parse(item), Err(error), "{item}");
    }
}

#[test]
fn criteria_of_old_journals_are_reviewed() {
    let old: ExitCriterion = serde_json::from_str("\"R-7 — test: a\"").unwrap();
    assert_eq!(old, ExitCriterion::reviewed("R-7 — test: a".to_owned()));
    for item in ["R-7.a — test: a", "done", "Q-2 — command: make"] {
        let criterion = ExitCriterion::parse(item).unwrap();
        let json = serde_json::to_string(&criterion).unwrap();
        assert_eq!(serde_json::from_str::<ExitCriterion>(&json).unwrap(), criterion, "{json}");
    }
}
