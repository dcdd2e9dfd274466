//! Requirements of the blueprint and the phases that implement and prove them. Blueprints without
//! ids of requirements are not checked.

use std::collections::BTreeSet;

use domain::{
    contract::{ContractSource, ContractType},
    phases,
    requirement::RequirementId,
    requirements::{self, Priority, Requirements},
};

use super::{
    finding::{Finding, Place, Rule},
    reading::Reading,
};

pub(super) fn check(reading: &Reading<'_>) -> Vec<Finding> {
    let (blueprint, phases) = (ContractType::Blueprint, ContractType::Phases);
    let is_written = |kind| reading.set.get(kind).source != ContractSource::Template;
    match is_written(blueprint) && is_written(phases) {
        true => check_texts(reading.text(blueprint), reading.text(phases)),
        false => Vec::new(),
    }
}

/// Findings about these two contracts. A phases contract that cannot be parsed is not compared.
pub fn check_texts(blueprint: &str, phases: &str) -> Vec<Finding> {
    let Some(requirements) = requirements::parse(blueprint) else { return Vec::new() };
    let finding = |rule, contract, line, see, text| {
        let (at, see) = (Place { contract, line }, see);
        Finding { rule, at, see, text }
    };
    let problems = requirements.problems.iter().map(|problem| {
        let text = format!("`{}`: {}.", problem.quoted, problem.what);
        finding(Rule::RequirementForm, ContractType::Blueprint, problem.line, None, text)
    });
    let mut findings: Vec<Finding> = problems.collect();
    let Ok(outlines) = phases::parse(phases) else { return findings };
    let covered: BTreeSet<RequirementId> =
        outlines.iter().flat_map(|phase| phase.covers.iter().copied()).collect();
    let proven: BTreeSet<RequirementId> = outlines
        .iter()
        .flat_map(|phase| phase.exit_criteria.iter().filter_map(|criterion| criterion.id))
        .collect();
    for id in covered.union(&proven).filter(|id| !requirements.defines(**id)) {
        let text = format!("{id} is not defined: add it to the blueprint, or correct the id.");
        let line = line_of(phases, *id);
        findings.push(finding(Rule::RequirementDefined, ContractType::Phases, line, None, text));
    }
    findings.extend(missing(&requirements, &covered, &proven).map(|(line, text)| {
        let see = Some(Place { contract: ContractType::Phases, line: 1 });
        finding(Rule::RequirementProven, ContractType::Blueprint, line, see, text)
    }));
    findings
}

/// The line and text of each `must` without a phase or criterion.
fn missing<'a>(
    requirements: &'a Requirements,
    covered: &'a BTreeSet<RequirementId>,
    proven: &'a BTreeSet<RequirementId>,
) -> impl Iterator<Item = (usize, String)> + 'a {
    let musts = requirements.items.iter().filter(|item| item.priority == Priority::Must);
    musts.filter_map(|item| {
        let (id, line) = (item.id, item.line);
        if !covered.iter().any(|covered| covered.requirement() == id) {
            return Some((
                line,
                format!("No phase covers {id}: add it to `**Covers:**` of a phase."),
            ));
        }
        if !proven.iter().any(|proven| proven.requirement() == id) {
            let text = format!("No exit criterion proves {id}: add one such as `{id} — test: …`.");
            return Some((line, text));
        }
        None
    })
}

/// The first line that names the id.
fn line_of(phases: &str, id: RequirementId) -> usize {
    let names = |line: &str| RequirementId::all_in(line).any(|found| found == id);
    phases.lines().position(names).map_or(1, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLUEPRINT: &str = "# B\n\n## Requirements\n\n- **R-1** (must, stated) One.\n  \
        - R-1.a Given x, when y, then z.\n- **Q-1** (should, assumed) Two.\n";

    fn phases(covers: &str, criteria: &[&str]) -> String {
        let criteria: String = criteria.iter().map(|text| format!("- {text}\n")).collect();
        format!(
            "## Phase 0 — A\n\n**Covers:** {covers}\n\n**Deliverables:**\n- x\n\n**Exit criteria:**\n{criteria}"
        )
    }

    fn found(blueprint: &str, phases: &str) -> Vec<(Rule, usize, String)> {
        let findings = check_texts(blueprint, phases);
        assert!(findings.iter().all(|finding| finding.rule.is_blocking()));
        findings.into_iter().map(|it| (it.rule, it.at.line, it.text)).collect()
    }

    #[test]
    fn covered_and_proven_requirements_have_no_findings() {
        assert_eq!(found(BLUEPRINT, &phases("R-1, Q-1", &["R-1.a — test: one"])), []);
        let without_ids = "# B\n\n## Requirements\n\n- One.\n";
        assert_eq!(found(without_ids, &phases("R-9", &["R-9 — review"])), []);
    }

    #[test]
    fn undefined_ids_are_found_with_their_line() {
        let phases = phases("R-1, R-8", &["R-1 — review", "R-1.b — test: two", "R-9 — review"]);
        let found = found(BLUEPRINT, &phases);
        let places: Vec<(Rule, usize)> =
            found.iter().map(|(rule, line, _)| (*rule, *line)).collect();
        let rule = Rule::RequirementDefined;
        assert_eq!(places, [(rule, 10), (rule, 3), (rule, 11)], "{found:?}");
    }

    #[test]
    fn must_without_phase_or_criterion_is_found() {
        let none = found(BLUEPRINT, &phases("none", &["x works"]));
        assert!(none.len() == 1 && none[0].2.contains("No phase covers R-1"), "{none:?}");
        let unproven = found(BLUEPRINT, &phases("R-1", &["x works"]));
        assert_eq!((unproven[0].0, unproven[0].1), (Rule::RequirementProven, 5));
    }

    #[test]
    fn duplicate_is_found() {
        let twice = format!("{BLUEPRINT}- **R-1** (must, stated) Again.\n");
        let found = found(&twice, &phases("R-1", &["R-1 — review"]));
        assert_eq!((found.len(), found[0].0, found[0].1), (1, Rule::RequirementForm, 8));
        assert!(found[0].2.contains("defined twice"), "{found:?}");
    }
}
