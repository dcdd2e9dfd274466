//! What a text must be to stand as a contract of its type.

use domain::{
    contract::{ContractFormat, ContractType},
    phases::{self, PhasesError},
    questionnaire::Size,
};

use super::{boundaries, misfit::Misfit, physics};

/// Bytes of the longest contract.
pub const MAX_CONTRACT: usize = 512 * 1024;

/// Phases of a mini project (design, "Contracts").
const MINI_PHASES: usize = 2;

/// Checks a text against its type, as a contract of a project of this size.
///
/// # Errors
/// The first thing that does not fit, with its line.
pub fn validate_for(kind: ContractType, text: &str, size: Size) -> Result<(), Misfit> {
    validate(kind, text)?;
    if (kind, size) == (ContractType::Phases, Size::Mini) {
        let count = phases::parse(text).map_or(0, |phases| phases.len());
        if count != MINI_PHASES {
            let reason = format!(
                "this is a small project: it has exactly {MINI_PHASES} phases, and the text has {count}"
            );
            return Err(Misfit::at(1, reason));
        }
    }
    Ok(())
}

/// Checks a text against its type.
///
/// # Errors
/// The first thing that does not fit, with its line.
pub fn validate(kind: ContractType, text: &str) -> Result<(), Misfit> {
    if text.len() > MAX_CONTRACT {
        return Err(Misfit::at(1, format!("a contract can have at most {MAX_CONTRACT} bytes")));
    }
    if let Some(place) = text.find('\0') {
        let line = text[..place].matches('\n').count() + 1;
        return Err(Misfit::at(line, "there is a NUL character"));
    }
    if text.trim().is_empty() {
        return Err(Misfit::at(1, "the contract is empty"));
    }
    match (kind, kind.format()) {
        (ContractType::Physics, _) => physics::validate(text),
        (ContractType::Boundaries, _) => boundaries::validate(text),
        (ContractType::Phases, _) => {
            phases::parse(text).map(drop).map_err(|error| phases_misfit(&error))
        }
        (_, ContractFormat::Markdown) => markdown(text),
        _ => Ok(()),
    }
}

fn markdown(text: &str) -> Result<(), Misfit> {
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
        return Err(Misfit::at(1, "there is no heading: begin with one such as `# Blueprint`"));
    }
    if body == 0 {
        return Err(Misfit::at(1, "there is nothing under its headings"));
    }
    Ok(())
}

/// The line stands in the error's own words too; it is told once.
fn phases_misfit(error: &PhasesError) -> Misfit {
    let line = match error {
        PhasesError::None => 1,
        PhasesError::Numbering { line, .. } | PhasesError::NoDeliverables { line, .. } => *line,
    };
    let text = error.to_string();
    let reason = text.strip_prefix(&format!("line {line}: ")).unwrap_or(&text);
    Misfit::at(line, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_line_and_reason() {
        use ContractType as T;
        for (kind, text, line, part) in [
            (T::Manifesto, " \n", 1, "empty"),
            (T::Blueprint, "just words", 1, "no heading"),
            (T::Blueprint, "```\n# not one\n```\n", 1, "no heading"),
            (T::Ui, "# Title\n\n## More\n", 1, "nothing under"),
            (T::Stack, "# a\nb\0", 2, "NUL"),
            (T::Phases, "# Phases\n", 1, "no phase found"),
            (T::Phases, "## Phase 1 — a\n", 1, "expected phase 0"),
            (T::Phases, "\n## Phase 0 — a\n", 2, "no deliverables"),
            (T::Physics, "endpoints: []", 1, "endpoint"),
            (T::Boundaries, "{}", 1, "layers"),
        ] {
            let misfit = validate(kind, text).unwrap_err();
            assert_eq!(misfit.line, line, "{kind}: {misfit}");
            assert!(misfit.reason.contains(part), "{kind}: {misfit}");
            assert!(!misfit.reason.starts_with("line"), "{misfit}");
        }
        assert_eq!(validate(T::Ui, "# Title\nText.\n"), Ok(()));
        let long = format!("# a\n{}", "x".repeat(MAX_CONTRACT));
        assert!(validate(T::Ui, &long).is_err());
    }

    #[test]
    fn the_contracts_of_the_demo_fit() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../static/demo/contracts");
        for kind in ContractType::ALL {
            let file = std::path::Path::new(folder).join(kind.file_name());
            let text = std::fs::read_to_string(&file).unwrap();
            validate(kind, &text).unwrap_or_else(|misfit| panic!("{}: {misfit}", file.display()));
        }
    }
}
