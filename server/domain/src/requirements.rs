//! Reads the requirements of the blueprint: `- **R-7** (must, stated) …` with scenarios
//! `- R-7.a Given … when … then …`, below a heading such as `## Requirements`.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    markdown_blocks::{Block, BlockKind, blocks},
    requirement::RequirementId,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = RequirementPriority)]
pub enum Priority {
    Must,
    Should,
}

/// Where a requirement comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = RequirementSource)]
pub enum Source {
    /// An answer, an uploaded document, or a user's edit.
    Stated,
    /// The writer of the blueprint.
    Assumed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Requirement {
    #[schema(value_type = String, example = "R-7")]
    pub id: RequirementId,
    pub priority: Priority,
    pub source: Source,
    pub text: String,
    /// In the blueprint, from 1.
    pub line: usize,
    pub scenarios: Vec<Scenario>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RequirementScenario)]
pub struct Scenario {
    #[schema(value_type = String, example = "R-7.a")]
    pub id: RequirementId,
    /// Given, when and then.
    pub text: String,
    /// In the blueprint, from 1.
    pub line: usize,
}

/// The requirements of a blueprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// In the order of the text.
    pub items: Vec<Requirement>,
    /// All errors, in the order of lines.
    pub problems: Vec<RequirementProblem>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, `{quoted}`: {what}")]
pub struct RequirementProblem {
    /// From 1.
    pub line: usize,
    /// The line as it stands in the text.
    pub quoted: String,
    pub what: RequirementProblemKind,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequirementProblemKind {
    #[error("begin a requirement with its id, as in `**R-1** (must, stated) …`")]
    NoId,
    #[error("{0} has no priority: write (must, stated) or (should, stated) after the id")]
    NoPriority(RequirementId),
    #[error("{0} has no source: write (must, stated) or (must, assumed) after the id")]
    NoSource(RequirementId),
    #[error("{0} has no text")]
    NoText(RequirementId),
    #[error("{0} is defined twice: give each requirement and scenario a unique id")]
    Duplicate(RequirementId),
    #[error("{0} is not below its requirement {parent}", parent = .0.requirement())]
    Misplaced(RequirementId),
    #[error("{0} is not a scenario: write Given …, when …, then …")]
    NoScenario(RequirementId),
}

impl Requirements {
    /// Whether a requirement or scenario with this id exists.
    pub fn defines(&self, id: RequirementId) -> bool {
        self.ids().any(|defined| defined == id)
    }

    /// The ids of requirements and scenarios, in order.
    pub fn ids(&self) -> impl Iterator<Item = RequirementId> {
        self.items.iter().flat_map(|item| {
            let scenarios = item.scenarios.iter().map(|scenario| scenario.id);
            std::iter::once(item.id).chain(scenarios)
        })
    }
}

/// The requirements of a blueprint; `None` if it has no section in which items have ids.
pub fn parse(blueprint: &str) -> Option<Requirements> {
    let blocks: Vec<Block<'_>> = blocks(blueprint).collect();
    let section = section(&blocks);
    if !section.iter().any(|block| id_of(&block.text).is_some()) {
        return None;
    }
    let mut reading = Reading { lines: blueprint.lines().collect(), ..Reading::default() };
    for block in section {
        reading.take(block);
    }
    reading.found.problems.sort_by_key(|problem| problem.line);
    Some(reading.found)
}

/// The blocks below headings such as `Requirements` and `Quality requirements`.
fn section<'b, 'a>(blocks: &'b [Block<'a>]) -> Vec<&'b Block<'a>> {
    let mut inside: Option<u8> = None;
    let mut found = Vec::new();
    for block in blocks {
        match (block.kind, inside) {
            (BlockKind::Heading(level), Some(outer)) if level > outer => {}
            (BlockKind::Heading(level), _) => inside = is_section(&block.text).then_some(level),
            (_, Some(_)) => found.push(block),
            (_, None) => {}
        }
    }
    found
}

fn is_section(heading: &str) -> bool {
    let last = heading.split_whitespace().next_back().unwrap_or_default();
    last.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case("requirements")
}

/// The id that an item begins with, and the text after it.
fn id_of(text: &str) -> Option<(RequirementId, &str)> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || "*_`[(".contains(c));
    let (id, length) = RequirementId::at_start(text)?;
    Some((id, text[length..].trim_start_matches(|c: char| "*_`])".contains(c))))
}

#[derive(Default)]
struct Reading<'a> {
    lines: Vec<&'a str>,
    found: Requirements,
    ids: BTreeSet<RequirementId>,
}

impl Reading<'_> {
    fn take(&mut self, block: &Block<'_>) {
        let Some((id, rest)) = id_of(&block.text) else {
            if matches!(block.kind, BlockKind::Item { has_children: false } | BlockKind::Row) {
                self.report(block.line, RequirementProblemKind::NoId);
            }
            return;
        };
        let line = block.line;
        if !self.ids.insert(id) {
            return self.report(line, RequirementProblemKind::Duplicate(id));
        }
        let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
        match id.scenario {
            None => self.requirement(id, &rest, line),
            Some(_) => self.scenario(id, without_punctuation(&rest), line),
        }
    }

    fn requirement(&mut self, id: RequirementId, rest: &str, line: usize) {
        let (words, text) = attributes(rest);
        let has = |word: &str| words.iter().any(|found| found == word);
        let priority = match (has("must"), has("should")) {
            (true, false) => Some(Priority::Must),
            (false, true) => Some(Priority::Should),
            _ => None,
        };
        let source = match (has("stated"), has("assumed")) {
            (true, false) => Some(Source::Stated),
            (false, true) => Some(Source::Assumed),
            _ => None,
        };
        if priority.is_none() {
            self.report(line, RequirementProblemKind::NoPriority(id));
        }
        if source.is_none() {
            self.report(line, RequirementProblemKind::NoSource(id));
        }
        if text.is_empty() {
            self.report(line, RequirementProblemKind::NoText(id));
        }
        // Kept despite errors, so that they do not make references to it an error as well.
        self.found.items.push(Requirement {
            id,
            priority: priority.unwrap_or(Priority::Must),
            source: source.unwrap_or(Source::Assumed),
            text: text.to_owned(),
            line,
            scenarios: Vec::new(),
        });
    }

    fn scenario(&mut self, id: RequirementId, text: &str, line: usize) {
        let lower = text.to_lowercase();
        let has = |word: &str| lower.split(|c: char| !c.is_alphabetic()).any(|part| part == word);
        if !(has("when") && has("then")) {
            self.report(line, RequirementProblemKind::NoScenario(id));
        }
        let parent = self.found.items.last_mut().filter(|parent| parent.id == id.requirement());
        match parent {
            Some(parent) => parent.scenarios.push(Scenario { id, text: text.to_owned(), line }),
            None => self.report(line, RequirementProblemKind::Misplaced(id)),
        }
    }

    fn report(&mut self, line: usize, what: RequirementProblemKind) {
        let quoted = self.lines.get(line - 1).map_or("", |line| line.trim()).to_owned();
        self.found.problems.push(RequirementProblem { line, quoted, what });
    }
}

/// Splits `(must, stated) text`, `[must/stated]: text` and `must — stated — text` into the words and
/// the text.
fn attributes(rest: &str) -> (Vec<String>, &str) {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        let word = "(?:must|should|stated|assumed)";
        let gap = r"[\s,;/|*_·—–-]*";
        let pattern =
            format!(r"(?i)^[\s:.,—–|*_-]*[(\[]?{gap}({word}(?:{gap}{word})?)\b{gap}[)\]]?");
        Regex::new(&pattern).expect("it is a literal")
    });
    let Some(found) = WORDS.captures(rest) else { return (Vec::new(), without_punctuation(rest)) };
    let words = found[1].split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let words = words.map(str::to_lowercase).collect();
    (words, without_punctuation(&rest[found[0].len()..]))
}

/// The text without what separates it from the words before it; all of it if nothing else is there.
fn without_punctuation(text: &str) -> &str {
    let text = text.trim();
    match text.trim_start_matches(|c: char| c.is_whitespace() || ":.,;—–-|*_)]".contains(c)) {
        "" => text,
        rest => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLUEPRINT: &str = "# Blueprint

## Requirements

- **R-7** (must, stated) When a loan is returned late, the service charges
  1 € a day, at most 20 € an item.
  - R-7.a Given a rope due 1 May, when it is returned 5 May,
    then the fine is 4 €.
1. Q-2 [should / stated]: A page is at most 100 KB.
2. R-12 — must — assumed — Bookings reach 30 days ahead.

## Success

- A loan is returned.
";

    #[test]
    fn requirements_are_read_as_people_write_them() {
        let found = parse(BLUEPRINT).unwrap();
        assert_eq!(found.problems, []);
        let items: Vec<_> = found
            .items
            .iter()
            .map(|item| {
                (item.id.to_string(), item.priority, item.source, item.text.as_str(), item.line)
            })
            .collect();
        use {Priority::*, Source::*};
        let fine =
            "When a loan is returned late, the service charges 1 € a day, at most 20 € an item.";
        assert_eq!(
            items,
            [
                ("R-7".into(), Must, Stated, fine, 5),
                ("Q-2".into(), Should, Stated, "A page is at most 100 KB.", 9),
                ("R-12".into(), Must, Assumed, "Bookings reach 30 days ahead.", 10),
            ]
        );
        let scenario = &found.items[0].scenarios[0];
        assert_eq!((scenario.id.to_string(), scenario.line), ("R-7.a".into(), 7));
        assert!(scenario.text.starts_with("Given a rope") && scenario.text.ends_with("4 €."));
        assert!(
            found.defines("R-7.a".parse().unwrap()) && !found.defines("R-7.b".parse().unwrap())
        );
    }

    #[test]
    fn rows_and_several_sections_are_read() {
        let table = "## Functional requirements\n\n| id | p | s | text |\n|---|---|---|---|\n\
            | R-1 | must | stated | It counts. |\n\n### More\n\n**R-2** (should, assumed): It adds.\n\n\
            ## Quality requirements\n- Q-1 (must, stated) Fast.\n\n## Other\n- no\n";
        let found = parse(table).unwrap();
        assert_eq!(found.problems, []);
        let texts: Vec<&str> = found.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(texts, ["It counts.", "It adds.", "Fast."]);
    }

    #[test]
    fn sections_without_ids_are_not_requirements() {
        assert_eq!(parse("# B\n\n## Requirements\n\n- It counts.\n"), None);
        assert_eq!(parse("# B\n\n- R-1 (must, stated) It counts.\n"), None);
    }

    #[test]
    fn all_problems_are_reported_with_their_lines() {
        let text = "## Requirements\n- R-1 (stated) One.\n- R-2 (must) Two.\n- R-3 (must, stated)\n\
            - R-1 (must, stated) Again.\n- No id.\n- R-4 (must, stated) Four.\n  - R-5.a Given, when, then.\n\
            \x20 - R-4.a It works.\n- R-6 (must or should, stated) Six.\n";
        let found: Vec<String> =
            parse(text).unwrap().problems.iter().map(ToString::to_string).collect();
        let expected = [
            "line 2, `- R-1 (stated) One.`: R-1 has no priority",
            "line 3, `- R-2 (must) Two.`: R-2 has no source",
            "line 4, `- R-3 (must, stated)`: R-3 has no text",
            "line 5, `- R-1 (must, stated) Again.`: R-1 is defined twice",
            "line 6, `- No id.`: begin a requirement with its id",
            "line 8, `- R-5.a Given, when, then.`: R-5.a is not below its requirement R-5",
            "line 9, `- R-4.a It works.`: R-4.a is not a scenario",
            "line 10, `- R-6 (must or should, stated) Six.`: R-6 has no source",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
