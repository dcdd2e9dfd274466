//! Specs.
#![no_main]

use domain::spec;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|markdown: &str| {
    let parsed = spec::parse(markdown);
    let lines = markdown.lines().count().max(1);
    for problem in parsed.errors.iter().chain(&parsed.warnings) {
        assert!(problem.line.is_none_or(|line| (1..=lines).contains(&line)));
    }
    for criterion in &parsed.spec.criteria {
        assert!(criterion.requirement.is_none_or(|at| at < parsed.spec.requirements.len()));
        assert!(criterion.phase.is_none_or(|at| at < parsed.spec.phases.len()));
    }
    assert!(!parsed.is_valid() || !parsed.spec.criteria.is_empty());
});
