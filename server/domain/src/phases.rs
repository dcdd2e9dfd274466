//! Reads the phases contract: `## Phase N — title` with objective, scope, deliverables, exit criteria.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One phase as a build is bound to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseOutline {
    /// From 0 without holes.
    pub number: u32,
    /// A few words.
    pub title: String,
    /// Globs of paths that the phase may change; empty means any.
    pub scope: Vec<String>,
    /// What it leaves behind.
    pub deliverables: Vec<String>,
    /// What must be true at its end.
    pub exit_criteria: Vec<String>,
}

/// Why a phases contract cannot be used, with the line where it shows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhasesError {
    /// There is no phase heading at all.
    #[error("no phase found: write at least one heading such as `## Phase 0 — Foundations`")]
    None,
    /// Numbers must start at 0 and have no holes.
    #[error(
        "line {line}: expected phase {expected}, found phase {found}; phases count from 0 without holes"
    )]
    Numbering {
        /// From 1.
        line: usize,
        /// The number that should stand there.
        expected: u32,
        /// The number that stands there.
        found: u32,
    },
    /// A phase must say what it delivers.
    #[error("line {line}: phase {number} lists no deliverables")]
    NoDeliverables {
        /// Of the phase's heading, from 1.
        line: usize,
        /// The phase.
        number: u32,
    },
}

/// The sections of a phase, by their bold labels.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Other,
    Deliverables,
    ExitCriteria,
}

/// All phases of a phases contract, in order.
pub fn parse(markdown: &str) -> Result<Vec<PhaseOutline>, PhasesError> {
    let mut phases: Vec<(usize, PhaseOutline)> = Vec::new();
    let mut section = Section::Other;
    for (index, line) in markdown.lines().enumerate() {
        let line = line.trim_end();
        if let Some((found, title)) = heading(line) {
            let expected = phases.len() as u32;
            if found != expected {
                return Err(PhasesError::Numbering { line: index + 1, expected, found });
            }
            section = Section::Other;
            phases.push((
                index + 1,
                PhaseOutline {
                    number: found,
                    title,
                    scope: Vec::new(),
                    deliverables: Vec::new(),
                    exit_criteria: Vec::new(),
                },
            ));
        } else if let Some((_, phase)) = phases.last_mut() {
            section = read_line(line.trim_start(), section, phase);
        }
    }
    if phases.is_empty() {
        return Err(PhasesError::None);
    }
    if let Some((line, phase)) = phases.iter().find(|(_, phase)| phase.deliverables.is_empty()) {
        return Err(PhasesError::NoDeliverables { line: *line, number: phase.number });
    }
    Ok(phases.into_iter().map(|(_, phase)| phase).collect())
}

/// The text of phase `number` and the one after it, as they stand in the contract.
pub fn window(markdown: &str, number: u32) -> Option<String> {
    let mut kept = String::new();
    let mut inside = false;
    for line in markdown.lines() {
        if let Some((found, _)) = heading(line) {
            inside = found == number || found == number.saturating_add(1);
        } else if line.starts_with("# ") || line.starts_with("## ") {
            inside = false;
        }
        if inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    let starts_with_it = kept.lines().next().and_then(heading).is_some_and(|(n, _)| n == number);
    starts_with_it.then_some(kept)
}

/// Reads `## Phase N — title`; a colon or a plain hyphen serves as well as the dash.
fn heading(line: &str) -> Option<(u32, String)> {
    let rest = line.strip_prefix("## Phase ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let title = rest[digits..].trim_start_matches([' ', '—', '–', '-', ':']).trim();
    Some((number, title.to_owned()))
}

fn read_line(line: &str, section: Section, phase: &mut PhaseOutline) -> Section {
    if let Some((label, rest)) = labelled(line) {
        return match label.to_ascii_lowercase().as_str() {
            "deliverables" => Section::Deliverables,
            "exit criteria" => Section::ExitCriteria,
            "scope" => {
                phase.scope = rest.split('`').skip(1).step_by(2).map(str::to_owned).collect();
                Section::Other
            }
            _ => Section::Other,
        };
    }
    if let Some(item) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        let item = item.trim().to_owned();
        match section {
            Section::Deliverables => phase.deliverables.push(item),
            Section::ExitCriteria => phase.exit_criteria.push(item),
            Section::Other => {}
        }
    }
    section
}

/// Splits `**Label:** rest`, with the colon inside or outside the bold.
fn labelled(line: &str) -> Option<(&str, &str)> {
    let (label, rest) = line.strip_prefix("**")?.split_once("**")?;
    Some((label.trim().trim_end_matches(':'), rest.trim_start_matches(':').trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "# Phases\n\n## Phase 0 — Lists\n**Objective:** keep lists.\n\
        **Scope:** `src/**`, `test/**`\n**Deliverables:**\n- a list\n- a test\n\
        **Exit criteria:**\n- tests pass (`node --test`)\n\n## Phase 1: Reports\n\
        **Deliverables:**\n* a report\n\n## Notes\n- not a phase\n";

    #[test]
    fn reads_what_a_build_is_bound_to() {
        let phases = parse(TWO).unwrap();
        assert_eq!(phases.len(), 2);
        assert_eq!(phases[0].title, "Lists");
        assert_eq!(phases[0].scope, ["src/**", "test/**"]);
        assert_eq!(phases[0].deliverables, ["a list", "a test"]);
        assert_eq!(phases[0].exit_criteria, ["tests pass (`node --test`)"]);
        assert_eq!((phases[1].number, phases[1].title.as_str()), (1, "Reports"));
    }

    #[test]
    fn names_the_line_of_what_does_not_fit() {
        assert_eq!(parse("# Phases\n"), Err(PhasesError::None));
        let hole = "## Phase 0 — a\n**Deliverables:**\n- x\n## Phase 2 — b\n";
        let expected = PhasesError::Numbering { line: 4, expected: 1, found: 2 };
        assert_eq!(parse(hole), Err(expected));
        let empty = "\n## Phase 0 — a\n**Objective:** x\n";
        assert_eq!(parse(empty), Err(PhasesError::NoDeliverables { line: 2, number: 0 }));
    }

    #[test]
    fn a_window_holds_a_phase_and_the_next() {
        let first = window(TWO, 0).unwrap();
        assert!(first.contains("## Phase 0") && first.contains("## Phase 1"));
        let second = window(TWO, 1).unwrap();
        assert!(!second.contains("## Phase 0") && !second.contains("not a phase"));
        assert_eq!(window(TWO, 2), None);
    }
}
