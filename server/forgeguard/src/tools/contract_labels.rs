//! One-line descriptions of the nine contracts.

use domain::contract::{ContractFormat, ContractType};

/// The content of a contract.
pub(super) fn about(kind: ContractType) -> &'static str {
    match kind {
        ContractType::Manifesto => "principles that guide every decision",
        ContractType::Blueprint => "what the product does, for whom, and what it does not",
        ContractType::Stack => "languages, frameworks and versions",
        ContractType::Schema => "entities, their fields and relations",
        ContractType::Physics => "the interface: every endpoint or call with its shapes",
        ContractType::Boundaries => "layers, and what may import what",
        ContractType::Ui => "screens and how they behave",
        ContractType::Phases => "the work in numbered phases; read by forge_get_phase_brief",
        ContractType::BuilderDirective => "what the builder must know beyond the others",
    }
}

/// The format of a contract.
pub(super) fn format_name(kind: ContractType) -> &'static str {
    match kind.format() {
        ContractFormat::Markdown => "Markdown",
        ContractFormat::Yaml => "YAML",
        ContractFormat::Json => "JSON",
    }
}
