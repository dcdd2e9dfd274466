//! The neutral example of each contract, for another product called TaskFlow.

use domain::{
    contract::{ContractSource, ContractType},
    questionnaire::Size,
};

use crate::contract_set::ContractText;

macro_rules! example {
    ($file:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../static/templates/contracts/",
            $file
        ))
    };
}

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

/// The example for a project of this size: a mini project has exactly two phases.
pub fn example_for(kind: ContractType, size: Size) -> &'static str {
    match (kind, size) {
        (ContractType::Phases, Size::Mini) => example!("phases_mini.md"),
        _ => example(kind),
    }
}

/// The example as a contract text.
pub fn template(kind: ContractType) -> ContractText {
    ContractText {
        kind,
        version: 0,
        source: ContractSource::Template,
        content: example(kind).to_owned(),
        updated_at: None,
    }
}

/// Terms of this service that must not occur in examples.
#[cfg(test)]
pub(super) const OURS: [&str; 15] = [
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        contract_set::ContractSet,
        contracts::{consistency, validate::validate},
    };

    const SIZES: [Size; 2] = [Size::Full, Size::Mini];

    #[test]
    fn every_example_is_valid_and_does_not_mention_this_product() {
        for (kind, size) in ContractType::ALL.into_iter().flat_map(|kind| SIZES.map(|s| (kind, s)))
        {
            let text = example_for(kind, size);
            validate(kind, text)
                .unwrap_or_else(|validation_error| panic!("{kind}: {validation_error}"));
            assert!(text.len() < 3_000, "{kind} is short");
            let lower = text.to_lowercase();
            for word in OURS {
                assert!(!lower.contains(word), "{kind} holds `{word}`");
            }
        }
    }

    #[test]
    fn examples_of_each_size_are_consistent() {
        for size in SIZES {
            let own = |kind| ContractText {
                source: ContractSource::Project,
                content: example_for(kind, size).to_owned(),
                ..template(kind)
            };
            let set = ContractSet::complete(ContractType::ALL.map(own).into(), template);
            assert_eq!(consistency::check(&set), [], "{size:?}");
        }
    }

    #[test]
    fn mini_project_has_two_phases() {
        let phases = |size| domain::phases::parse(example_for(ContractType::Phases, size)).unwrap();
        assert_eq!([phases(Size::Full).len(), phases(Size::Mini).len()], [3, 2]);
    }
}
