//! The input for revising a contract.

use domain::{contract::ContractType, requirement::RequirementKind, requirements};

use super::material::Material;

/// The requested change, the findings that concern the contract, and its current text.
pub(super) fn summary(kind: ContractType, material: &Material) -> String {
    let mut parts = Vec::new();
    if let Some(note) = &material.note {
        parts.push(format!("Requested change:\n{note}"));
    }
    let findings = material.findings.iter().filter(|finding| {
        finding.at.contract == kind || finding.see.is_some_and(|see| see.contract == kind)
    });
    let findings: Vec<String> = findings
        .map(|finding| {
            let at = finding.at;
            format!("- {}, line {}: {}", at.contract, at.line, finding.text)
        })
        .collect();
    if !findings.is_empty() {
        parts.push(format!("Findings:\n{}", findings.join("\n")));
    }
    let text = material.texts.get(&kind).map_or("", String::as_str);
    parts.extend(ids_in_use(kind, text));
    parts.push(format!("Current text:\n{text}"));
    parts.join("\n\n")
}

/// The ids of requirements, and the first unused ones.
fn ids_in_use(kind: ContractType, text: &str) -> Option<String> {
    if kind != ContractType::Blueprint {
        return None;
    }
    let requirements = requirements::parse(text)?;
    let ids: Vec<String> = requirements.ids().map(String::from).collect();
    let next = |kind| {
        let numbers = requirements.ids().filter(|id| id.kind == kind).map(|id| id.number);
        numbers.max().unwrap_or(0) + 1
    };
    let (r, q) = (next(RequirementKind::Functional), next(RequirementKind::Quality));
    Some(format!(
        "Ids in use, which keep their meaning: {}. New requirements start at R-{r} and Q-{q}; ids of \
         removed ones are not used again.",
        ids.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::templates::example;

    #[test]
    fn ids_of_requirements_are_listed_with_the_next_ones() {
        let ids = ids_in_use(ContractType::Blueprint, example(ContractType::Blueprint)).unwrap();
        assert!(ids.contains("R-2, R-2.a, R-3") && ids.contains("start at R-5 and Q-2"), "{ids}");
        assert_eq!(ids_in_use(ContractType::Ui, "# Ui"), None);
    }
}
