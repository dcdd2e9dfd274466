//! Validation of contracts by type.

use domain::{
    contract::{ContractFormat, ContractType},
    phases::{self, PhasesError},
    questionnaire::Size,
    requirements,
};

use super::{boundaries, physics, validation_error::ValidationError};

/// Size limit of a contract, in bytes.
pub const MAX_CONTRACT: usize = 512 * 1024;

/// Phases of a mini project.
const MINI_PHASES: usize = 2;

/// Validates a contract of a project of this size.
///
/// # Errors
/// The first problem with its line.
pub fn validate_for(kind: ContractType, text: &str, size: Size) -> Result<(), ValidationError> {
    validate(kind, text)?;
    if (kind, size) == (ContractType::Phases, Size::Mini) {
        let count = phases::parse(text).map_or(0, |phases| phases.len());
        if count != MINI_PHASES {
            let reason = format!(
                "a small project has exactly {MINI_PHASES} phases, but the text has {count}"
            );
            return Err(ValidationError::at(1, reason));
        }
    }
    Ok(())
}

/// Validates a text by its type.
///
/// # Errors
/// The first problem with its line.
pub fn validate(kind: ContractType, text: &str) -> Result<(), ValidationError> {
    if text.len() > MAX_CONTRACT {
        return Err(ValidationError::at(
            1,
            format!("a contract can have at most {MAX_CONTRACT} bytes"),
        ));
    }
    if let Some(place) = text.find('\0') {
        let line = text[..place].matches('\n').count() + 1;
        return Err(ValidationError::at(line, "the text contains a NUL character"));
    }
    if text.trim().is_empty() {
        return Err(ValidationError::at(1, "the contract is empty"));
    }
    match (kind, kind.format()) {
        (ContractType::Physics, _) => physics::validate(text),
        (ContractType::Boundaries, _) => boundaries::validate(text),
        (ContractType::Phases, _) => {
            phases::parse(text).map(drop).map_err(|error| phases_error(&error))
        }
        (ContractType::Blueprint, _) => markdown(text).and_then(|()| requirements(text)),
        (_, ContractFormat::Markdown) => markdown(text),
        _ => Ok(()),
    }
}

fn markdown(text: &str) -> Result<(), ValidationError> {
    let mut in_fence = false;
    let mut body = 0;
    let mut headings = 0;
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            in_fence = !in_fence;
        }
        let hashes = line.bytes().take_while(|b| *b == b'#').count();
        let is_heading = !in_fence && (1..=6).contains(&hashes) && line[hashes..].starts_with(' ');
        headings += usize::from(is_heading);
        body += usize::from(!is_heading && !line.is_empty());
    }
    if headings == 0 {
        return Err(ValidationError::at(
            1,
            "there is no heading: begin with one such as `# Blueprint`",
        ));
    }
    if body == 0 {
        return Err(ValidationError::at(1, "no heading has any content"));
    }
    Ok(())
}

fn requirements(text: &str) -> Result<(), ValidationError> {
    let problems = requirements::parse(text).unwrap_or_default().problems;
    let Some(first) = problems.first() else { return Ok(()) };
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Err(all_problems(first.line, &lines.join("\n")))
}

fn phases_error(error: &PhasesError) -> ValidationError {
    let line = error.problems.first().map_or(1, |problem| problem.line);
    all_problems(line, &error.to_string())
}

/// All problems, at the line of the first one, which is not repeated.
fn all_problems(line: usize, text: &str) -> ValidationError {
    ValidationError::at(line, text.strip_prefix(&format!("line {line}, ")).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_has_line_and_reason() {
        use ContractType as T;
        for (kind, text, line, part) in [
            (T::Manifesto, " \n", 1, "empty"),
            (T::Blueprint, "just words", 1, "no heading"),
            (T::Blueprint, "```\n# not one\n```\n", 1, "no heading"),
            (
                T::Blueprint,
                "# B\n\n## Requirements\n\n- R-1 Fast.\n- R-1 (must, stated) Again.",
                5,
                "line 6",
            ),
            (T::Ui, "# Title\n\n## More\n", 1, "no heading has any content"),
            (T::Stack, "# a\nb\0", 2, "NUL"),
            (T::Phases, "# Phases\n", 1, "no phase found"),
            (T::Phases, "## Phase 2 — a\n", 1, "expected phase 1"),
            (T::Phases, "\n## Phase 0 — a\n", 2, "no deliverables"),
            (T::Physics, "endpoints: []", 1, "endpoint"),
            (T::Boundaries, "{}", 1, "layers"),
        ] {
            let validation_error = validate(kind, text).unwrap_err();
            assert_eq!(validation_error.line, line, "{kind}: {validation_error}");
            assert!(validation_error.reason.contains(part), "{kind}: {validation_error}");
            assert!(!validation_error.reason.starts_with("line"), "{validation_error}");
        }
        assert_eq!(validate(T::Ui, "# Title\nText.\n"), Ok(()));
        let long = format!("# a\n{}", "x".repeat(MAX_CONTRACT));
        assert!(validate(T::Ui, &long).is_err());
    }

    #[test]
    fn demo_contracts_are_valid() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../static/demo/contracts");
        for kind in ContractType::ALL {
            let file = std::path::Path::new(folder).join(kind.file_name());
            let text = std::fs::read_to_string(&file).unwrap();
            validate(kind, &text).unwrap_or_else(|validation_error| {
                panic!("{}: {validation_error}", file.display())
            });
        }
    }
}
