//! Whether the nine contracts are consistent with each other.
//!
//! Most rules compare words and can be wrong: their findings are shown and prevent nothing. Findings
//! about requirements prevent a build, as it could not prove what it must.

mod calls;
mod coverage;
mod entities;
mod finding;
mod layers;
mod placeholders;
mod reading;
mod requirements;

pub use finding::{Finding, Place, Rule};
pub use requirements::check_texts as check_requirements;

use crate::contract_set::ContractSet;
use reading::Reading;

/// All findings, in the order of the contracts and their lines.
pub fn check(set: &ContractSet) -> Vec<Finding> {
    let reading = Reading::of(set);
    let mut findings = entities::check(&reading);
    findings.extend(calls::check(&reading));
    findings.extend(coverage::check(&reading));
    findings.extend(layers::check(&reading));
    findings.extend(placeholders::check(&reading));
    findings.extend(requirements::check(&reading));
    findings.sort_by_key(|finding| finding.at);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        contract_set::ContractText,
        contracts::templates::{example, template},
    };
    use domain::contract::{ContractSource, ContractType};

    /// The neutral examples as a project's contracts, with one text changed.
    fn changed(kind: ContractType, from: &str, to: &str) -> Vec<Finding> {
        let own =
            |kind: ContractType| ContractText { source: ContractSource::Project, ..template(kind) };
        let mut texts: Vec<ContractText> = ContractType::ALL.into_iter().map(own).collect();
        let text = &mut texts[kind as usize].content;
        assert!(text.contains(from), "{kind} does not hold {from:?}");
        *text = text.replacen(from, to, 1);
        check(&ContractSet::complete(texts, template))
    }

    fn assert_found(found: &[Finding], rule: Rule, kind: ContractType, line: usize, part: &str) {
        let at = Place { contract: kind, line };
        let fits = |f: &Finding| f.rule == rule && f.at == at && f.text.contains(part);
        assert!(found.iter().any(fits), "{rule:?} at {at:?} with {part:?} is not in {found:#?}");
    }

    #[test]
    fn examples_are_consistent() {
        assert_eq!(changed(ContractType::Ui, "# UI", "# UI"), []);
    }

    #[test]
    fn project_without_contracts_has_one_finding_for_each() {
        let found = check(&ContractSet::complete(Vec::new(), template));
        assert_eq!(found.len(), 9, "{found:#?}");
        assert!(found.iter().all(|finding| finding.rule == Rule::NoPlaceholder));
    }

    #[test]
    fn conflicts_are_found_with_their_lines() {
        use ContractType::*;
        let line = |kind: ContractType, text: &str| {
            example(kind).lines().position(|line| line.contains(text)).unwrap() + 1
        };
        for (kind, from, to, rule, at, part) in [
            (
                Physics,
                "returns: Task\n",
                "returns: Invoice\n",
                Rule::EntityInSchema,
                line(Physics, "name: create_task"),
                "`Invoice`",
            ),
            (Schema, "## task", "## job", Rule::EntityInSchema, line(Physics, "  Task:"), "`Task`"),
            (
                Ui,
                "# UI\n",
                "# UI\n\nIt calls `GET /reports` once.\n",
                Rule::CallInPhysics,
                3,
                "`GET /reports`",
            ),
            (
                Blueprint,
                "# Blueprint\n",
                "# Blueprint\n\nSee DELETE /tasks/7.\n",
                Rule::CallInPhysics,
                3,
                "`DELETE /tasks/7`",
            ),
            (
                Physics,
                "name: finish_task",
                "name: archive_task",
                Rule::EndpointInPhases,
                line(Physics, "name: finish_task"),
                "`archive_task`",
            ),
            (
                Ui,
                "## All tasks",
                "## Weekly report",
                Rule::ScreenInPhases,
                line(Ui, "## All tasks"),
                "“Weekly report”",
            ),
            (
                Boundaries,
                "\"may_import\": [\"rules\"]",
                "\"may_import\": [\"rules\", \"redis\"]",
                Rule::LayerInStack,
                line(Boundaries, "[\"rules\"]"),
                "`redis`",
            ),
            (
                Stack,
                "| database | PostgreSQL 17 |",
                "| time | Clockwork 17 |",
                Rule::LayerInStack,
                line(Boundaries, "\"storage\","),
                "`storage`",
            ),
            (
                Boundaries,
                "\"may_import\": []",
                "\"may_import\": [\"web\"]",
                Rule::LayersInOrder,
                line(Boundaries, "\"rules\","),
                "rules → web → rules",
            ),
            (
                Phases,
                "`taskflow/rules/**`",
                "`other/rules/**`",
                Rule::ScopeInLayers,
                line(Phases, "**Scope:**"),
                "`other/rules/**`",
            ),
            (Manifesto, "# ", "# TODO ", Rule::NoPlaceholder, 1, "`TODO`"),
        ] {
            assert_found(&changed(kind, from, to), rule, [kind, at_of(rule, kind)][1], at, part);
        }
    }

    /// The contract of a finding, which is not always the changed one.
    fn at_of(rule: Rule, changed: ContractType) -> ContractType {
        match rule {
            Rule::EntityInSchema | Rule::EndpointInPhases => ContractType::Physics,
            Rule::LayerInStack | Rule::LayersInOrder => ContractType::Boundaries,
            _ => changed,
        }
    }
}
