//! A neutral example of each contract: another product, "TaskFlow", that shows the form.

use domain::contract::{ContractSource, ContractType};

use crate::tools::ContractText;

macro_rules! example {
    ($file:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../static/templates/contracts/",
            $file
        ))
    };
}

/// The example's text.
pub fn example(kind: ContractType) -> &'static str {
    match kind {
        ContractType::Manifesto => example!("manifesto.md"),
        ContractType::Blueprint => example!("blueprint.md"),
        ContractType::Stack => example!("stack.md"),
        ContractType::Schema => example!("schema.md"),
        ContractType::Physics => example!("physics.yaml"),
        ContractType::Boundaries => example!("boundaries.json"),
        ContractType::Ui => example!("ui.md"),
        ContractType::Phases => example!("phases.md"),
        ContractType::BuilderDirective => example!("builder_directive.md"),
    }
}

/// The example, marked as one.
pub fn template(kind: ContractType) -> ContractText {
    ContractText {
        kind,
        version: 0,
        source: ContractSource::Template,
        content: example(kind).to_owned(),
        updated_at: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::validate::validate;

    #[test]
    fn every_example_fits_its_type_and_says_nothing_of_us() {
        for kind in ContractType::ALL {
            let text = example(kind);
            validate(kind, text).unwrap_or_else(|misfit| panic!("{kind}: {misfit}"));
            assert!(text.len() < 3_000, "{kind} is short");
            let lower = text.to_lowercase();
            let ours = [
                "forge",
                "sandbox",
                "worktree",
                "scout",
                "auditor",
                "fixer",
                "clarification",
                "scratchpad",
                "journal",
                "certified",
                "axum",
                "sqlx",
                "askama",
                "rust",
                "mcp",
            ];
            for word in ours {
                assert!(!lower.contains(word), "{kind} holds `{word}`");
            }
        }
    }
}
