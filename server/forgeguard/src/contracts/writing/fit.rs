//! Validation of a submission.

use domain::{
    contract::{ContractFormat, ContractType},
    phases,
};

use super::material::Material;
use crate::contracts::{boundaries, physics, templates, validate::validate_for};

/// Size limit of a generated contract, in characters.
const MAX_CHARS: usize = 200_000;

/// Validates a text by its type and the project's size, and checks that it is not another contract.
///
/// # Errors
/// The first problem, for its author.
pub fn fits(kind: ContractType, text: &str, material: &Material) -> Result<(), String> {
    let length = text.chars().count();
    if length > MAX_CHARS {
        return Err(format!("it has {length} characters; a contract can have at most {MAX_CHARS}"));
    }
    is_not_another(kind, text, material)?;
    validate_for(kind, text, material.brief.size)
        .map_err(|validation_error| validation_error.to_string())
}

fn is_not_another(kind: ContractType, text: &str, material: &Material) -> Result<(), String> {
    let other = |other: &ContractType| *other != kind;
    let same = |of: &str| of.trim() == text.trim();
    if let Some((other, _)) =
        material.texts.iter().find(|(of, known)| other(of) && same(known.as_str()))
    {
        return Err(format!("this is the {other} contract again; write the {kind} contract"));
    }
    let size = material.brief.size;
    let is_example = |of| same(templates::example(of)) || same(templates::example_for(of, size));
    if ContractType::ALL.into_iter().any(is_example) {
        return Err(
            "this is the example for another product; write the contract of this project".into()
        );
    }
    if kind.format() != ContractFormat::Markdown {
        return Ok(());
    }
    let mistaken = if physics::validate(text).is_ok() {
        Some(ContractType::Physics)
    } else if boundaries::validate(text).is_ok() {
        Some(ContractType::Boundaries)
    } else if !matches!(kind, ContractType::Phases | ContractType::BuilderDirective)
        && phases::parse(text).is_ok()
    {
        Some(ContractType::Phases)
    } else {
        None
    };
    match mistaken {
        Some(other) => {
            Err(format!("this looks like a {other} contract; write the {kind} contract"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::brief::Brief;
    use domain::questionnaire::Size;

    fn material(size: Size) -> Material {
        let brief = Brief { name: "P".into(), size, answers: Default::default() };
        let texts = [(ContractType::Stack, "# Stack\n\nGo.\n".to_owned())];
        Material { texts: texts.into(), ..Material::of(brief) }
    }

    #[test]
    fn rejection_names_the_reason() {
        let phases = |count: usize| {
            let phase = |n| {
                format!(
                    "## Phase {n} — Part {n}\n\n**Deliverables:** x\n\n**Exit criteria:** y\n\n"
                )
            };
            (0..count).map(phase).collect::<String>()
        };
        let physics = "endpoints:\n  - {name: a, method: GET, path: /a}\n";
        let boundaries =
            "{\"layers\": [{\"name\": \"a\", \"paths\": [\"a/**\"], \"may_import\": []}]}";
        let example = templates::example(ContractType::Ui);
        for (kind, text, expected) in [
            (ContractType::Ui, "# Stack\n\nGo.", "stack contract again"),
            (ContractType::Ui, physics, "looks like a physics"),
            (ContractType::Manifesto, boundaries, "looks like a boundaries"),
            (ContractType::Blueprint, &phases(1), "looks like a phases"),
            (ContractType::Ui, example, "the example for another product"),
            (ContractType::Schema, "  ", "empty"),
            (ContractType::Physics, "# Markdown", ""),
            (ContractType::Phases, &phases(3), "exactly 2 phases, but the text has 3"),
            (ContractType::Manifesto, &"x".repeat(MAX_CHARS + 1), "at most 200000"),
        ] {
            let refused = fits(kind, text, &material(Size::Mini)).unwrap_err();
            assert!(refused.contains(expected), "{kind}: {refused}");
        }
        assert_eq!(fits(ContractType::Phases, &phases(2), &material(Size::Mini)), Ok(()));
        assert_eq!(fits(ContractType::Phases, &phases(3), &material(Size::Full)), Ok(()));
        assert_eq!(fits(ContractType::Stack, "# Stack\n\nGo.", &material(Size::Full)), Ok(()));
    }
}
