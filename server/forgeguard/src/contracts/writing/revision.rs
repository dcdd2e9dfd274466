//! What a model is told about a contract that it revises.

use domain::contract::ContractType;

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
    parts.push(format!("Current text:\n{text}"));
    parts.join("\n\n")
}
