//! Reads the phases contract: `## Phase N — title` with objective, scope, deliverables and exit
//! criteria, as people and models write them.
//!
//! - [`labels`]: `**Deliverables:**` and the like

mod labels;

use std::{fmt, sync::LazyLock};

use regex::Regex;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use labels::ANY_PATH;
use labels::{Label, Section};

use crate::{
    criterion::{CriterionError, ExitCriterion},
    markdown_blocks::{Block, BlockKind, blocks},
    requirement::RequirementId,
};

/// One phase as a build is bound to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseOutline {
    /// From 0 without holes, also where the text counts from 1.
    pub number: u32,
    pub title: String,
    /// Globs of paths that the phase may change; [`ANY_PATH`] where the text names none. Empty in
    /// builds of earlier versions, which means any.
    pub scope: Vec<String>,
    pub deliverables: Vec<String>,
    /// The requirements that it implements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>, example = json!(["R-7", "Q-2"]))]
    pub covers: Vec<RequirementId>,
    pub exit_criteria: Vec<ExitCriterion>,
}

impl PhaseOutline {
    /// Whether there are paths that the phase may not change.
    pub fn is_scoped(&self) -> bool {
        !self.scope.is_empty() && !self.scope.iter().any(|glob| glob == ANY_PATH)
    }
}

/// A phase with what only its readers need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedPhase {
    pub outline: PhaseOutline,
    /// The text after the label, in one line; empty if there is none.
    pub objective: String,
}

/// Why a phases contract cannot be used: everything that is wrong with it, in the order of lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PhasesError {
    /// At least one.
    pub problems: Vec<PhaseProblem>,
}

impl fmt::Display for PhasesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            let separator = if at == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

/// One thing that is wrong with a phases contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseProblem {
    /// From 1.
    pub line: usize,
    /// The line as it stands in the text; empty for the text as a whole.
    pub quoted: String,
    pub what: PhaseProblemKind,
}

impl fmt::Display for PhaseProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.quoted.as_str() {
            "" => write!(f, "{}", self.what),
            quoted => write!(f, "line {}, `{quoted}`: {}", self.line, self.what),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhaseProblemKind {
    #[error("no phase found: write at least one heading such as `## Phase 0 — Foundations`")]
    NoPhase,
    #[error(
        "expected phase {expected}, found phase {found}; number phases from 0 or 1, without gaps"
    )]
    Numbering { expected: u32, found: u32 },
    #[error("phase {number} lists no deliverables: add `**Deliverables:**` and a list")]
    NoDeliverables { number: u32 },
    #[error("phase {number} lists no exit criteria: add `**Exit criteria:**` and a list")]
    NoExitCriteria { number: u32 },
    #[error("nothing was found under this label: write a list with at least one item")]
    EmptyLabel,
    #[error("no path was found: list globs such as `src/**`, or `**` for any path")]
    NoPath,
    #[error("no requirement was found: list ids such as R-7, Q-2, or write `none`")]
    NoRequirement,
    #[error(transparent)]
    Criterion(#[from] CriterionError),
}

/// All phases of a phases contract, in order.
pub fn parse(markdown: &str) -> Result<Vec<PhaseOutline>, PhasesError> {
    Ok(describe(markdown)?.into_iter().map(|phase| phase.outline).collect())
}

/// Like [`parse`], with the objectives.
pub fn describe(markdown: &str) -> Result<Vec<DescribedPhase>, PhasesError> {
    let mut reading = Reading { lines: markdown.lines().collect(), ..Reading::default() };
    for block in blocks(markdown) {
        reading.take(&block);
    }
    reading.finish()
}

/// The text of the phase at position `number`, from 0, and the one after it, as they stand in the
/// contract.
pub fn window(markdown: &str, number: u32) -> Option<String> {
    let texts = texts(markdown);
    let texts: Vec<&str> = texts.into_iter().skip(number as usize).take(2).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n") + "\n")
}

/// The text of each phase, as it stands in the contract.
pub fn texts(markdown: &str) -> Vec<&str> {
    let mut phase_level = None;
    // Where sections of phases begin, and other sections of the same or a higher level.
    let mut starts: Vec<(usize, bool)> = Vec::new();
    for block in blocks(markdown) {
        let BlockKind::Heading(level) = block.kind else { continue };
        if heading(&block.text).is_some() {
            phase_level.get_or_insert(level);
            starts.push((block.start, true));
        } else if phase_level.is_some_and(|phase_level| level <= phase_level) {
            starts.push((block.start, false));
        }
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([markdown.len()]);
    let phases = starts.iter().zip(ends).filter(|((_, is_phase), _)| *is_phase);
    phases.map(|((start, _), end)| markdown[*start..end].trim_end()).collect()
}

/// The number and title of `Phase N — title`; other punctuation or none serves as well.
fn heading(text: &str) -> Option<(u32, String)> {
    static HEADING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^\W*phase\s+(\d{1,4})\b[\s—–:.)\-*_]*(.*?)[*_\s]*$")
            .expect("it is a literal")
    });
    let found = HEADING.captures(text)?;
    Some((found[1].parse().ok()?, found[2].to_owned()))
}

#[derive(Default)]
struct Reading<'a> {
    lines: Vec<&'a str>,
    phases: Vec<ReadPhase>,
    /// The level of the headings of phases.
    level: u8,
    /// Whether the text that follows belongs to the newest phase.
    inside: bool,
    problems: Vec<PhaseProblem>,
}

/// A phase as far as it was read.
struct ReadPhase {
    line: usize,
    /// As in the text.
    number: u32,
    title: String,
    labels: Vec<ReadLabel>,
}

struct ReadLabel {
    section: Section,
    line: usize,
    items: Vec<ReadItem>,
}

struct ReadItem {
    line: usize,
    text: String,
}

impl Reading<'_> {
    fn take(&mut self, block: &Block<'_>) {
        if let BlockKind::Heading(level) = block.kind {
            return self.take_heading(level, block);
        }
        let Some(phase) = self.phases.last_mut().filter(|_| self.inside) else { return };
        let lines = (block.line..).zip(block.text.lines());
        match block.kind {
            BlockKind::Paragraph => {
                for (at, (line, text)) in lines.enumerate() {
                    match labels::in_paragraph(text.trim()) {
                        Some(label) => phase.open(&label, line),
                        // Wrapped lines continue an item, and so does the text after a label.
                        None => phase.add(text.trim(), line, at == 0),
                    }
                }
            }
            BlockKind::Item { has_children } => {
                for (at, (line, text)) in lines.enumerate() {
                    // Markdown counts a line without indentation right after an item to the item.
                    let label = match at {
                        0 => labels::in_item(text),
                        _ if text.starts_with(char::is_whitespace) => None,
                        _ => labels::in_paragraph(text),
                    };
                    match label {
                        Some(label) => phase.open(&label, line),
                        // A heading of the items below it.
                        None if has_children && block.text.ends_with(':') => {}
                        None => phase.add(text.trim(), line, at == 0),
                    }
                }
            }
            BlockKind::Row => phase.add(&block.text, block.line, true),
            BlockKind::Heading(_) | BlockKind::Code { .. } => {}
        }
    }

    fn take_heading(&mut self, level: u8, block: &Block<'_>) {
        if let Some((number, title)) = heading(&block.text) {
            if self.phases.is_empty() {
                self.level = level;
            }
            let expected = match self.phases.last() {
                Some(last) => last.number + 1,
                None => number.min(1),
            };
            if number != expected {
                self.report(block.line, PhaseProblemKind::Numbering { expected, found: number });
            }
            self.phases.push(ReadPhase { line: block.line, number, title, labels: Vec::new() });
            self.inside = true;
        } else if level <= self.level {
            self.inside = false;
        } else if let Some(phase) = self.phases.last_mut().filter(|_| self.inside) {
            phase.open(&labels::of_heading(&block.text), block.line);
        }
    }

    fn report(&mut self, line: usize, what: PhaseProblemKind) {
        let quoted = self.lines.get(line - 1).map_or("", |line| line.trim()).to_owned();
        self.problems.push(PhaseProblem { line, quoted, what });
    }

    fn finish(mut self) -> Result<Vec<DescribedPhase>, PhasesError> {
        if self.phases.is_empty() {
            let what = PhaseProblemKind::NoPhase;
            self.problems.push(PhaseProblem { line: 1, quoted: String::new(), what });
        }
        let mut described = Vec::new();
        for (number, phase) in (0..).zip(std::mem::take(&mut self.phases)) {
            let objective = phase.objective();
            described.push(DescribedPhase { outline: self.outline(number, phase), objective });
        }
        if self.problems.is_empty() {
            return Ok(described);
        }
        self.problems.sort_by_key(|problem| problem.line);
        Err(PhasesError { problems: self.problems })
    }

    fn outline(&mut self, number: u32, phase: ReadPhase) -> PhaseOutline {
        let ReadPhase { line, number: shown, title, labels } = phase;
        for (section, missing) in [
            (Section::Deliverables, PhaseProblemKind::NoDeliverables { number: shown }),
            (Section::ExitCriteria, PhaseProblemKind::NoExitCriteria { number: shown }),
        ] {
            if !labels.iter().any(|label| label.section == section) {
                self.report(line, missing);
            }
        }
        let mut outline = PhaseOutline {
            number,
            title,
            scope: Vec::new(),
            deliverables: Vec::new(),
            covers: Vec::new(),
            exit_criteria: Vec::new(),
        };
        for label in labels {
            self.read_section(label, &mut outline);
        }
        if outline.scope.is_empty() {
            outline.scope.push(ANY_PATH.to_owned());
        }
        outline
    }

    fn read_section(&mut self, label: ReadLabel, outline: &mut PhaseOutline) {
        let ReadLabel { section, line, items } = label;
        let texts = || items.iter().map(|item| item.text.as_str());
        match section {
            Section::Scope => {
                let paths: Vec<String> = texts().flat_map(labels::paths).collect();
                self.report_if(paths.is_empty(), line, PhaseProblemKind::NoPath);
                outline.scope.extend(paths);
            }
            Section::Covers => {
                let ids: Vec<RequirementId> = texts().flat_map(RequirementId::all_in).collect();
                let is_missing = ids.is_empty() && !texts().any(labels::is_none);
                self.report_if(is_missing, line, PhaseProblemKind::NoRequirement);
                outline.covers.extend(ids);
            }
            Section::Deliverables => {
                self.report_if(items.is_empty(), line, PhaseProblemKind::EmptyLabel);
                outline.deliverables.extend(items.into_iter().map(|item| item.text));
            }
            Section::ExitCriteria => {
                self.report_if(items.is_empty(), line, PhaseProblemKind::EmptyLabel);
                for item in items {
                    match ExitCriterion::parse(&item.text) {
                        Ok(criterion) => outline.exit_criteria.push(criterion),
                        Err(error) => self.report(item.line, error.into()),
                    }
                }
            }
            Section::Objective | Section::Other => {}
        }
    }

    fn report_if(&mut self, is_wrong: bool, line: usize, what: PhaseProblemKind) {
        if is_wrong {
            self.report(line, what);
        }
    }
}

impl ReadPhase {
    fn objective(&self) -> String {
        let mut labels = self.labels.iter().filter(|label| label.section == Section::Objective);
        labels
            .find_map(|label| label.items.first())
            .map(|item| item.text.clone())
            .unwrap_or_default()
    }

    fn open(&mut self, label: &Label<'_>, line: usize) {
        let text = label.rest.trim();
        let first = (!text.is_empty()).then(|| ReadItem { line, text: text.to_owned() });
        let items = first.into_iter().collect();
        self.labels.push(ReadLabel { section: label.section, line, items });
    }

    /// Adds an item to the open section, or text to its newest item.
    fn add(&mut self, text: &str, line: usize, is_new: bool) {
        let Some(label) = self.labels.last_mut() else { return };
        match label.items.last_mut().filter(|_| !is_new) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(text);
            }
            None => label.items.push(ReadItem { line, text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests;
