//! Checks that each endpoint and each screen has a phase that builds it.

use domain::contract::ContractType;

use super::{
    finding::{Finding, Place, Rule},
    reading::Reading,
};
use crate::{
    contracts::{
        outline::{Block, Part},
        physics::Endpoint,
    },
    text::words::{is_same_verb, is_verb, words},
};

/// Headings of a UI contract that apply to all screens.
const NO_SCREEN: [&str; 30] = [
    "rule",
    "general",
    "style",
    "accessibility",
    "principle",
    "layout",
    "note",
    "error",
    "overview",
    "navigation",
    "colour",
    "color",
    "theme",
    "typography",
    "component",
    "state",
    "behaviour",
    "behavior",
    "language",
    "tone",
    "form",
    "responsive",
    "keyboard",
    "look",
    "design",
    "flow",
    "guideline",
    "convention",
    "output",
    "message",
];

/// Words that do not identify a screen.
const FILLING: [&str; 10] =
    ["the", "a", "an", "of", "and", "for", "page", "screen", "view", "command"];

pub(super) fn check(reading: &Reading<'_>) -> Vec<Finding> {
    let lines: Vec<Vec<String>> =
        reading.outline(ContractType::Phases).iter().map(|block| words(&block.text)).collect();
    let phases = reading.text(ContractType::Phases);
    let see = Some(Place { contract: ContractType::Phases, line: 1 });
    let mut findings = Vec::new();
    for (endpoint, line) in reading.physics.iter().flat_map(|physics| physics.endpoints()) {
        if !is_named(endpoint, phases) && !lines.iter().any(|line| mentions(line, &endpoint.name)) {
            findings.push(Finding {
                rule: Rule::EndpointInPhases,
                at: Place { contract: ContractType::Physics, line },
                see,
                text: format!("No phase builds the endpoint `{}`.", endpoint.name),
            });
        }
    }
    for screen in reading.outline(ContractType::Ui).iter().filter(|block| is_screen(block)) {
        let title: Vec<String> = words(&screen.text)
            .into_iter()
            .filter(|word| !FILLING.contains(&word.as_str()))
            .collect();
        if !lines.iter().any(|line| title.iter().all(|word| line.contains(word))) {
            findings.push(Finding {
                rule: Rule::ScreenInPhases,
                at: Place { contract: ContractType::Ui, line: screen.line },
                see,
                text: format!("No phase builds the screen “{}”.", screen.text.trim()),
            });
        }
    }
    findings
}

fn is_screen(block: &Block) -> bool {
    block.part == Part::Heading(2)
        && !words(&block.text).iter().any(|word| NO_SCREEN.contains(&word.as_str()))
}

fn is_named(endpoint: &Endpoint, phases: &str) -> bool {
    let command = endpoint.call.as_deref().map(|call| {
        let fixed = call.split_whitespace().take_while(|word| !word.starts_with('-'));
        let fixed = fixed.take_while(|word| word.chars().any(char::is_lowercase));
        fixed.collect::<Vec<_>>().join(" ")
    });
    let method = endpoint.method.as_deref().unwrap_or_default();
    let path = endpoint.path.as_deref().map(|path| format!("{method} {path}"));
    let is_name = endpoint.name.contains('_') && phases.contains(&endpoint.name);
    is_name
        || command.is_some_and(|command| !command.is_empty() && phases.contains(&command))
        || path.is_some_and(|path| phases.contains(&path))
}

/// Whether a line mentions an endpoint: its resource and its action.
fn mentions(line: &[String], name: &str) -> bool {
    let (deeds, things): (Vec<String>, Vec<String>) =
        words(name).into_iter().partition(|word| is_verb(word));
    let deed_is_told = deeds.iter().all(|deed| line.iter().any(|word| is_same_verb(word, deed)));
    !things.is_empty() && deed_is_told && things.iter().all(|thing| line.contains(thing))
}
