//! Phases contracts as users and models write them.

use proptest::prelude::*;

use super::*;
use crate::criterion::ProofType;

use PhaseProblemKind as Kind;

const TWO: &str = "# Phases\n\n## Phase 0 — Lists\n**Objective:** keep lists.\n\
    **Scope:** `src/**`, `test/**`\n**Deliverables:**\n- a list\n- a test\n\
    **Exit criteria:**\n- tests pass (`node --test`)\n\n## Phase 1: Reports\n\
    **Deliverables:**\n* a report\n\n**Exit criteria:** it is printed\n\n\
    ## Notes\n- not a phase\n";

fn criteria(phase: &PhaseOutline) -> Vec<&str> {
    phase.exit_criteria.iter().map(|criterion| criterion.text.as_str()).collect()
}

fn lines(text: &str) -> Vec<(usize, Kind)> {
    let problems = parse(text).unwrap_err().problems;
    problems.into_iter().map(|problem| (problem.line, problem.what)).collect()
}

#[test]
fn phases_are_read() {
    let phases = parse(TWO).unwrap();
    assert_eq!(phases.len(), 2);
    assert_eq!(phases[0].title, "Lists");
    assert_eq!(phases[0].scope, ["src/**", "test/**"]);
    assert_eq!(phases[0].deliverables, ["a list", "a test"]);
    assert_eq!(criteria(&phases[0]), ["tests pass (`node --test`)"]);
    assert!(phases[0].is_scoped());
    assert_eq!((phases[1].number, phases[1].title.as_str()), (1, "Reports"));
    assert_eq!(criteria(&phases[1]), ["it is printed"]);
    assert_eq!(phases[1].scope, [ANY_PATH]);
    assert!(!phases[1].is_scoped());
}

#[test]
fn objectives_are_read_from_labels_and_headings() {
    let objectives = |text: &str| -> Vec<String> {
        describe(text).unwrap().into_iter().map(|phase| phase.objective).collect()
    };
    assert_eq!(objectives(TWO), ["keep lists.", ""]);
    let lists = "**Deliverables:**\n- a\n**Exit criteria:**\n- b\n";
    let wrapped = format!("## Phase 0\n**Objective:** keep\nlists.\n\nMore.\n{lists}");
    assert_eq!(objectives(&wrapped), ["keep lists."]);
    let heading = format!("## Phase 0\n### Goal\nkeep lists\n\n{lists}");
    assert_eq!(objectives(&heading), ["keep lists"]);
}

#[test]
fn words_in_items_open_no_objective() {
    let text = "## Phase 0\n**Deliverables:**\n- a\n- **Goal:** b\n**Exit criteria:**\n- c\n";
    assert_eq!(describe(text).unwrap()[0].outline.deliverables, ["a", "**Goal:** b"]);
}

#[test]
fn lists_are_read_in_every_common_form() {
    for (deliverables, expected) in [
        ("**Deliverables:**\n- one\n- two\n", ["one", "two"]),
        ("**Deliverables**:\n\n* one\n\n* two\n", ["one", "two"]),
        ("**Deliverables**\n1. one\n2. two\n", ["one", "two"]),
        ("__Deliverables:__\n1) one\n2) two\n", ["one", "two"]),
        ("*Deliverables:*\n+ one\n+ two\n", ["one", "two"]),
        ("Deliverables:\n- [ ] one\n- [x] two\n", ["one", "two"]),
        ("### Deliverables\n- one\n- two\n", ["one", "two"]),
        ("### Deliverables:\n\none\n\ntwo\n", ["one", "two"]),
        ("#### **Deliverables**\n- one\n- two\n", ["one", "two"]),
        ("- **Deliverables:**\n  - one\n  - two\n", ["one", "two"]),
        ("**DELIVERABLES:** one\n\ntwo\n", ["one", "two"]),
        ("**Deliverables:**\n- Files:\n  - one\n  - two\n", ["one", "two"]),
        ("**Deliverables:**\n\n| what |\n|---|\n| one |\n| two |\n", ["one", "two"]),
    ] {
        let text = format!("## Phase 0 — a\n{deliverables}\n**Exit criteria:**\n- done\n");
        let phases = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(phases[0].deliverables, expected, "{text}");
        assert_eq!(criteria(&phases[0]), ["done"], "{text}");
    }
}

#[test]
fn wrapped_lines_are_one_item_and_marks_within_it_stay() {
    let text = "## Phase 0 — a\n**Objective:** much\nto do\n**Deliverables:** a command\nthat counts\n\
        **Acceptance criteria:**\n1. `wc -l` and **the command**\n   agree on\nevery file\n\
        2. **Tests:** pass\n";
    let phases = parse(text).unwrap();
    assert_eq!(phases[0].deliverables, ["a command that counts"]);
    let expected = ["`wc -l` and **the command** agree on every file", "**Tests:** pass"];
    assert_eq!(criteria(&phases[0]), expected);
}

#[test]
fn cells_of_a_row_are_one_item() {
    let text = "## Phase 0 — a\n### Deliverables\n| File | What |\n|---|---|\n| `a.rs` | the list |\n\
        ### Definition of done\n- x\n";
    assert_eq!(parse(text).unwrap()[0].deliverables, ["`a.rs` — the list"]);
}

#[test]
fn names_of_criteria_are_known() {
    for name in
        ["Exit criteria", "Acceptance Criteria", "Pass criteria", "Success criteria", "Done when"]
    {
        let text = format!("## Phase 0 — a\n**Deliverables:**\n- x\n\n**{name}:**\n- y\n");
        assert_eq!(criteria(&parse(&text).unwrap()[0]), ["y"], "{name}");
    }
}

#[test]
fn scopes_are_read_as_code_or_as_words() {
    for (scope, expected) in [
        ("**Scope:** `src/**` and `docs/**`", vec!["src/**", "docs/**"]),
        ("**Scope:** src/**, docs/**.", vec!["src/**", "docs/**"]),
        ("**Scope:**\n- `src/**`\n- docs/*.md", vec!["src/**", "docs/*.md"]),
        ("**Scope:** everything", vec!["**"]),
        ("### Files\n- `src/**`", vec!["src/**"]),
    ] {
        let text =
            format!("## Phase 0 — a\n{scope}\n\n**Deliverables:** x\n\n**Exit criteria:** y\n");
        assert_eq!(parse(&text).unwrap()[0].scope, expected, "{scope}");
    }
}

#[test]
fn numbers_start_at_0_or_1() {
    let body = "\n**Deliverables:** x\n\n**Exit criteria:** y\n\n";
    let numbers = |first: u32| {
        let text = format!("# Phase {first} — a{body}# PHASE {}. b{body}", first + 1);
        parse(&text).map(|phases| phases.iter().map(|phase| phase.number).collect::<Vec<_>>())
    };
    assert_eq!(numbers(0).unwrap(), [0, 1]);
    assert_eq!(numbers(1).unwrap(), [0, 1]);
    assert_eq!(numbers(2).unwrap_err().problems[0].what, Kind::Numbering { expected: 1, found: 2 });
}

#[test]
fn every_problem_is_reported_with_its_line() {
    assert_eq!(lines("# Phases\n"), [(1, Kind::NoPhase)]);
    let text = "## Phase 0 — a\n**Scope:** the source folder\n**Deliverables:**\n\n## Phase 2 — b\n\
        **Exit criteria:**\n- y\n";
    let expected = [
        (1, Kind::NoExitCriteria { number: 0 }),
        (2, Kind::NoPath),
        (3, Kind::EmptyLabel),
        (5, Kind::Numbering { expected: 1, found: 2 }),
        (5, Kind::NoDeliverables { number: 2 }),
    ];
    assert_eq!(lines(text), expected);
    let message = parse(text).unwrap_err().to_string();
    assert!(message.contains("line 2, `**Scope:** the source folder`: no path"), "{message}");
    assert_eq!(message.lines().count(), 5);
}

#[test]
fn requirements_and_proofs_are_read() {
    let text = "## Phase 1 — Fines\n**Covers:** R-7, Q-2\n**Deliverables:** fines\n\n\
        **Exit criteria:**\n1. **R-7.a** – test:\n   `fine_rope_four_days`,\n   `fine_is_capped`\n\
        2. Q-2 — command: npm run size\n3. it is documented\n";
    let phase = &parse(text).unwrap()[0];
    assert_eq!(phase.covers.iter().map(ToString::to_string).collect::<Vec<_>>(), ["R-7", "Q-2"]);
    let [fine, size, documented] = phase.exit_criteria.as_slice() else { panic!("{phase:?}") };
    assert_eq!(fine.id.map(String::from).as_deref(), Some("R-7.a"));
    let names = vec!["fine_rope_four_days".to_owned(), "fine_is_capped".to_owned()];
    assert_eq!(fine.proof, ProofType::Test { names });
    assert_eq!(size.proof, ProofType::Command { command: "npm run size".to_owned() });
    assert_eq!((documented.id, &documented.proof), (None, &ProofType::Review));
}

#[test]
fn covers_is_a_list_of_requirements_or_none() {
    let covers = |text: &str| {
        let text =
            format!("## Phase 0 — a\n{text}\n\n**Deliverables:** x\n\n**Exit criteria:** y\n");
        parse(&text).map(|phases| phases[0].covers.iter().map(ToString::to_string).collect())
    };
    let ids = |ids: &[&str]| -> Result<Vec<String>, PhasesError> {
        Ok(ids.iter().map(|id| (*id).to_owned()).collect())
    };
    assert_eq!(covers("**Covers:**\n- R-1 (lists)\n- R-2"), ids(&["R-1", "R-2"]));
    assert_eq!(covers("**Covers:** none"), ids(&[]));
    assert_eq!(covers(""), ids(&[]));
    let problems = covers("**Covers:** everything").unwrap_err().problems;
    assert_eq!((problems[0].line, &problems[0].what), (2, &Kind::NoRequirement));
}

#[test]
fn every_problem_of_a_criterion_is_reported_with_its_line() {
    let text = "## Phase 0 — a\n**Deliverables:** x\n\n**Exit criteria:**\n- R-1 — test:\n\
        - R-2 — it\n  works\n- R-3 — review\n- R-4, R-5 — person\n";
    let expected = [
        (5, Kind::Criterion(CriterionError::NoTest)),
        (6, Kind::Criterion(CriterionError::NoProof("R-2".parse().unwrap()))),
        (9, Kind::Criterion(CriterionError::SeveralRequirements)),
    ];
    assert_eq!(lines(text), expected);
}

#[test]
fn examples_in_code_blocks_are_not_read() {
    let text = format!("{TWO}\n```\n## Phase 2 — an example\n```\n");
    assert_eq!(parse(&text).unwrap().len(), 2);
}

#[test]
fn window_holds_a_phase_and_the_next() {
    let first = window(TWO, 0).unwrap();
    assert!(first.contains("## Phase 0") && first.contains("## Phase 1"));
    let second = window(TWO, 1).unwrap();
    assert!(!second.contains("## Phase 0") && !second.contains("not a phase"));
    assert_eq!(window(TWO, 2), None);
    let from_one = TWO.replace("Phase 1", "Phase 2").replace("Phase 0", "Phase 1");
    assert!(window(&from_one, 1).unwrap().starts_with("## Phase 2: Reports"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_rejected_with_lines(text in "(#{1,3} Phase [0-2]|\\*\\*Scope:\\*\\*|- |[a-z|`:é]| |\n){0,60}") {
        if let Err(error) = parse(&text) {
            let count = text.lines().count().max(1);
            prop_assert!(!error.problems.is_empty());
            prop_assert!(error.problems.iter().all(|problem| (1..=count).contains(&problem.line)));
        }
        let _ = window(&text, 1);
    }

    #[test]
    fn items_survive_any_bullet_and_wrapping(items in prop::collection::vec("[a-z]{1,8}( [a-z]{1,8}){0,4}", 1..6), bullet in "[-*+]") {
        let list: String = items.iter().map(|it| format!("{bullet} {}\n", it.replace(' ', "\n  "))).collect();
        let text = format!("## Phase 1 — a\n**Deliverables:**\n{list}\n**Exit criteria:**\n{list}");
        let phases = parse(&text).unwrap();
        prop_assert_eq!(&phases[0].deliverables, &items);
        prop_assert_eq!(criteria(&phases[0]), items);
    }
}
