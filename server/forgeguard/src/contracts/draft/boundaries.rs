//! The boundaries: layers and what each may import, as JSON.

use domain::questionnaire::SectionId;
use serde::Serialize;

use super::{design::Design, quote::plain};

/// Rules that are taken over, and characters of each.
const MOST_RULES: usize = 60;
const MOST_RULE: usize = 600;

/// In the order in which it is written.
#[derive(Serialize)]
struct Boundaries {
    layers: Vec<Layer>,
    rules: Vec<String>,
}

#[derive(Serialize)]
struct Layer {
    name: String,
    paths: Vec<String>,
    may_import: Vec<String>,
    rule: String,
}

pub(super) fn write(design: &Design<'_>) -> String {
    let layers = design.layers.iter().map(|layer| Layer {
        name: layer.name.clone(),
        paths: layer.paths.clone(),
        may_import: layer.may_import.clone(),
        rule: layer.rule.clone(),
    });
    let boundaries = Boundaries { layers: layers.collect(), rules: rules(design) };
    let json = serde_json::to_string_pretty(&boundaries);
    json.unwrap_or_else(|error| unreachable!("texts alone: {error}")) + "\n"
}

fn rules(design: &Design<'_>) -> Vec<String> {
    let said = design.said(SectionId::ArchitecturalBoundaries, "rules").unwrap_or_default();
    let mut rules: Vec<String> = said
        .lines()
        .flat_map(|line| line.split_inclusive(". "))
        .map(|rule| plain(rule, MOST_RULE))
        .filter(|rule| !rule.is_empty())
        .take(MOST_RULES)
        .collect();
    rules.push(
        "A layer imports only what stands in its `may_import`; tests may import every layer."
            .into(),
    );
    rules
}
