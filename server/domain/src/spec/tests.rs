//! Specs in the formats that are supported.

use proptest::prelude::*;

use super::*;
use crate::{criterion::ProofType, requirements::Priority};

const SPEC: &str = "# Sorted lists

## Overview
Lists are sorted by name.

## Requirements
- **FR-1**: System MUST sort by name
- **FR-2**: System SHOULD sort by date

## Technical Design
### Files to create
- `src/sort.rs`
### Files to modify
- `src/lib.rs`: export it

```rust
fn sort() {}
```

## Pass Criteria
1. FR-1: `cargo test` passes
2. The README explains it

## Implementation Plan
### Phase 1: Sorting
- write `sort`
### Phase 2: Dates
- sort by date

## Test Command
```bash
# everything
cargo test --all
```
";

fn errors(text: &str) -> Vec<(Option<usize>, String)> {
    parse(text).errors.into_iter().map(|it| (it.line, it.text)).collect()
}

#[test]
fn parts_of_a_spec_are_read() {
    let parsed = parse(SPEC);
    assert_eq!((parsed.errors, parsed.warnings), (vec![], vec![]));
    let spec = parsed.spec;
    assert_eq!((spec.title.as_str(), spec.format), ("Sorted lists", SpecFormat::Sections));
    assert_eq!(spec.overview, "Lists are sorted by name.");
    let requirements: Vec<_> =
        spec.requirements.iter().map(|it| (it.label.as_deref(), it.priority, it.line)).collect();
    let expected = [(Some("FR-1"), Priority::Must, 7), (Some("FR-2"), Priority::Should, 8)];
    assert_eq!(requirements, expected);
    assert_eq!(spec.criteria[0].requirement, Some(0));
    let command = ProofType::Command { command: "cargo test".to_owned() };
    assert_eq!((&spec.criteria[0].proof, spec.criteria[0].line), (&command, 21));
    assert_eq!((spec.criteria[1].requirement, &spec.criteria[1].proof), (None, &ProofType::Review));
    assert!(spec.design.contains("```rust\nfn sort() {}\n```"), "{}", spec.design);
    let files: Vec<_> = spec.files.iter().map(|it| (it.path.as_str(), it.action)).collect();
    let expected = [("src/sort.rs", FileAction::Create), ("src/lib.rs", FileAction::Modify)];
    assert_eq!(files, expected);
    let phases: Vec<&str> = spec.phases.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(phases, ["Sorting", "Dates"]);
    assert_eq!(spec.test_command.as_deref(), Some("cargo test --all"));
    let missing =
        [MissingSection::TddPlan, MissingSection::Dependencies, MissingSection::FileScope];
    assert_eq!(parsed.missing, missing);
}

#[test]
fn criteria_of_spec_kit_belong_to_stories_and_their_phases() {
    let text = "# Feature Specification: Sorting\n\n## User Scenarios & Testing *(mandatory)*\n\n\
        ### User Story 1 - Sort by name (Priority: P1)\n\nA reader sorts.\n\n\
        **Acceptance Scenarios**:\n\n1. **Given** a list, **When** it is opened, **Then** it is sorted\n\n\
        ### User Story 2 - Sort by date (Priority: P2)\n\n**Acceptance Scenarios**:\n\n\
        1. **Given** dates, **When** sorted, **Then** newest first\n\n## Requirements\n\n\
        - **FR-001**: System MUST sort\n\n## Success Criteria\n\n### Measurable Outcomes\n\n\
        - **SC-001**: 1,000 rows in 1 s\n\n# Tasks: Sorting\n\n## Phase 1: Setup\n\n\
        - [ ] T001 Create the module\n\n## Phase 2: User Story 1 - Sort by name\n\n\
        - [ ] T002 [P] [US1] Sort in src/sort.py\n";
    let parsed = parse(text);
    assert_eq!(parsed.errors, []);
    let spec = parsed.spec;
    assert_eq!((spec.title.as_str(), spec.format), ("Sorting", SpecFormat::SpecKit));
    let labels: Vec<_> = spec.requirements.iter().map(|it| it.label.as_deref().unwrap()).collect();
    assert_eq!(labels, ["US1", "US2", "FR-001"]);
    let places: Vec<_> = spec.criteria.iter().map(|it| (it.requirement, it.phase)).collect();
    assert_eq!(places, [(Some(0), Some(1)), (Some(1), None), (None, None)]);
    assert_eq!(spec.phases[1].steps, ["Sort in src/sort.py"]);
}

#[test]
fn criteria_of_kiro_belong_to_the_tasks_that_refer_to_them() {
    let text = "# Requirements Document\n\n## Introduction\n\nSorting.\n\n## Requirements\n\n\
        ### Requirement 1: Names\n\n**User Story:** As a reader, I want order, so that I find names.\n\n\
        #### Acceptance Criteria\n\n1. WHEN a list opens THE SYSTEM SHALL sort it\n\
        2. IF it is empty THEN THE SYSTEM SHALL say so\n\n# Design Document\n\n## Overview\n\nA sort.\n\n\
        # Implementation Plan\n\n- [ ] 1. Write the sort\n  - [ ] 1.1 Compare names\n    - _Requirements: 1.1_\n\
        - [ ] 2. Empty lists\n  - [ ] 2.1 Show a text\n  - _Requirements: 1.2_\n";
    let parsed = parse(text);
    assert_eq!(parsed.errors, []);
    let spec = parsed.spec;
    assert_eq!(spec.format, SpecFormat::Kiro);
    assert!(spec.requirements[0].text.starts_with("Names: As a reader"), "{:?}", spec.requirements);
    let places: Vec<_> = spec.criteria.iter().map(|it| (it.requirement, it.phase)).collect();
    assert_eq!(places, [(Some(0), Some(0)), (Some(0), Some(1))]);
    let titles: Vec<&str> = spec.phases.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["Write the sort", "Empty lists"]);
    assert_eq!(spec.overview, "Sorting.");
    assert!(spec.design.contains("A sort."));
}

#[test]
fn all_errors_are_reported_at_once() {
    let found = errors("# A\n\n## Overview\ntext\n");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].1.contains("no pass criteria") && found[1].1.contains("nothing to do"));
    let found = errors("## Pass Criteria\n\n## Files to create\n- `../a.rs`\n- `/etc/b.rs`\n");
    let lines: Vec<_> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [Some(1), Some(4), Some(5)], "{found:?}");
    assert_eq!(errors("a\n\0").first().map(|(line, _)| *line), Some(Some(2)));
    assert!(errors("").len() == 2);
}

#[test]
fn code_and_comments_are_not_read() {
    let text = format!("{SPEC}\n```md\n## Pass Criteria\n- not one\n```\n<!--\n- not one\n-->\n");
    assert_eq!(parse(&text).spec.criteria.len(), 2);
}

proptest! {
    #[test]
    fn any_text_is_read_or_rejected(text in "(#{1,4} |Pass Criteria|Requirements|Phase [0-9]: |Implementation Plan|\\*\\*Goal:\\*\\*|FR-[0-9]: |- |  |1\\. |```(bash)?|`cargo test`|`src/a.rs`|\\| |[a-z|`:é✅\r]| |\n){0,80}") {
        let parsed = parse(&text);
        let count = text.lines().count().max(1);
        for problem in parsed.errors.iter().chain(&parsed.warnings) {
            prop_assert!(problem.line.is_none_or(|line| (1..=count).contains(&line)));
        }
        for criterion in &parsed.spec.criteria {
            prop_assert!(criterion.requirement.is_none_or(|at| at < parsed.spec.requirements.len()));
            prop_assert!(criterion.phase.is_none_or(|at| at < parsed.spec.phases.len()));
        }
        prop_assert_eq!(parsed.is_valid(), parsed.errors.is_empty());
    }

    #[test]
    fn arbitrary_characters_cause_no_panic(text in "\\PC*") {
        parse(&text);
    }

    #[test]
    fn line_endings_do_not_matter(at in 0..SPEC.len()) {
        let end = (at..=SPEC.len()).find(|end| SPEC.is_char_boundary(*end)).unwrap_or(0);
        let unix = parse(&SPEC[..end]);
        let windows = parse(&SPEC[..end].replace('\n', "\r\n"));
        prop_assert_eq!(unix.spec.requirements, windows.spec.requirements);
        prop_assert_eq!(unix.spec.criteria, windows.spec.criteria);
        prop_assert_eq!(unix.spec.phases, windows.spec.phases);
        prop_assert_eq!(unix.errors, windows.errors);
    }
}
