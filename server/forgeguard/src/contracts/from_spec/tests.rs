//! Contracts of specs are valid and consistent.

use domain::{contract::gap_count, phases, requirements, spec};
use proptest::prelude::*;

use super::*;
use crate::contracts::{consistency::check_requirements, validate};

/// Whether a build could start with these contracts.
#[track_caller]
fn assert_valid(text: &str) -> SpecContracts {
    let parsed = spec::parse(text);
    assert_eq!(parsed.errors, [], "{text}");
    let contracts = contracts(&parsed.spec, text);
    for (kind, content) in contracts.texts() {
        assert_eq!(validate(kind, content), Ok(()), "{kind} of {text}:\n{content}");
        assert_eq!(gap_count(content), 0, "{kind} of {text}");
    }
    let findings = check_requirements(&contracts.blueprint, &contracts.phases);
    assert_eq!(findings, [], "{}\n{}", contracts.blueprint, contracts.phases);
    if let Some(gate) = &contracts.gate {
        assert_eq!(gate.validate(), Ok(()));
    }
    let read = phases::parse(&contracts.phases).unwrap();
    assert_eq!(read.len(), parsed.spec.phases.len().max(1));
    let criteria: usize = read.iter().map(|phase| phase.exit_criteria.len()).sum();
    assert!(criteria >= parsed.spec.criteria.len());
    contracts
}

#[test]
fn criteria_become_requirements_with_proofs() {
    let contracts = assert_valid(
        "# Fines\n\n## Requirements\n- **FR-1**: System MUST charge late loans\n- **R-7** (should, stated) It is fast\n\n\
         ## Pass Criteria\n- FR-1: test `fine_rope` passes\n- `make size` passes\n- [TODO: the page] explains it\n\n\
         ## Implementation Plan\n### Phase 1: Rules\n- write `src/fines.rs`\n### Phase 2: Page\n- **Deliverables:** show it\n\n\
         ## Files to create\n- `src/fines.rs`\n- `src/page.rs`\n\n## File Scope\n- `src/**`\n\n\
         ## Test Command\n`cargo test`\n\n## TDD Plan\nTests come first.\n",
    );
    let blueprint = requirements::parse(&contracts.blueprint).unwrap();
    let items: Vec<_> =
        blueprint.items.iter().map(|it| (it.id.to_string(), it.text.as_str())).collect();
    let expected = [
        ("R-1".to_owned(), "FR-1: System MUST charge late loans"),
        ("R-7".to_owned(), "It is fast"),
        ("R-2".to_owned(), "`make size` passes"),
        ("R-3".to_owned(), "[Open: the page] explains it"),
    ];
    assert_eq!(items, expected);
    let read = phases::parse(&contracts.phases).unwrap();
    assert_eq!((read[0].covers.len(), read[1].covers.len()), (0, 4));
    assert_eq!(read[0].scope, ["src/**"]);
    assert_eq!(
        read[1].deliverables,
        ["Deliverables: show it".replace(':', " –"), "`src/page.rs` (new)".to_owned()]
    );
    let proofs: Vec<_> = read[1].exit_criteria.iter().map(|it| it.proof.clone()).collect();
    assert_eq!(proofs[0], ProofType::Test { names: vec!["fine_rope".to_owned()] });
    assert_eq!(proofs[1], ProofType::Command { command: "make size".to_owned() });
    assert_eq!(proofs[2..], [ProofType::Review, ProofType::Review]);
    assert_eq!(
        contracts.gate.map(|gate| (gate.command, gate.required)),
        Some(("cargo test".to_owned(), true))
    );
    assert!(contracts.needs_red_check && contracts.builder_directive.contains("Tests come first."));
}

#[test]
fn scenarios_keep_their_letters() {
    let contracts = assert_valid(
        "# Requirements Document\n\n## Requirements\n\n### Requirement 1: Sort\n\n#### Acceptance Criteria\n\n\
         1. WHEN a list opens, THEN the system SHALL sort it\n2. The system SHALL be fast\n",
    );
    assert!(contracts.blueprint.contains("  - R-1.a WHEN a list opens"), "{}", contracts.blueprint);
    assert!(contracts.phases.contains("- R-1.a — WHEN"), "{}", contracts.phases);
}

#[test]
fn specs_of_the_corpus_make_valid_contracts() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus/specs");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "md") {
            let text = std::fs::read_to_string(&path).unwrap();
            if spec::parse(&text).is_valid() {
                assert_valid(&text);
                count += 1;
            }
        }
    }
    assert!(count > 30, "{count}");
}

#[test]
fn the_largest_specs_make_valid_contracts() {
    let item = |at: usize| format!("- 長い{}文 {at}\n", "要件".repeat(150));
    let many = |count: usize| (0..count).map(item).collect::<String>();
    let text = format!(
        "# A\n## Requirements\n{}## Pass Criteria\n{}## Plan\n### Phase 1: a\n{}",
        many(150),
        many(150),
        many(1000)
    );
    assert_valid(&text);
}

proptest! {
    #[test]
    fn any_valid_spec_makes_valid_contracts(
        title in "\\PC{0,20}",
        requirements in prop::collection::vec("\\PC{1,40}|[#>*_`|=+:.0-9-]{1,6} ?[a-z]{1,5}", 0..4),
        criteria in prop::collection::vec("\\PC{1,40}|`cargo test [a-z]` passes|test: [a-z]{1,5}|R-[0-9], R-2 [a-z]|\\*\\*Scope:\\*\\* [a-z]", 1..5),
        steps in prop::collection::vec("\\PC{1,40}|\\*\\*Exit criteria:\\*\\* [a-z]|Scope: [a-z]|[#>*_`|=+:.0-9<-]{1,6} ?[a-z]{1,5}", 0..5),
    ) {
        let list = |items: &[String]| items.iter().map(|it| format!("- {it}\n")).collect::<String>();
        let text = format!(
            "# {title}\n\n## Requirements\n{}- It works\n\n## Pass Criteria\n{}- It is done\n\n## Plan\n### Phase 1: {title}\n{}",
            list(&requirements), list(&criteria), list(&steps),
        );
        if spec::parse(&text).is_valid() {
            assert_valid(&text);
        }
    }
}
