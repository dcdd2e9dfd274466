//! Which parts there are, the innermost first, and what each may import.

use std::collections::BTreeSet;

use domain::questionnaire::SectionId;

use super::{
    choices::{Choices, Interface, Storage, Surface},
    entities::{Entity, split},
    names::{name, plain_words, plural, spoken, unique},
    quote::plain,
};
use crate::contracts::brief::Brief;

/// One part.
#[derive(Debug)]
pub(super) struct Layer {
    pub name: String,
    /// Globs.
    pub paths: Vec<String>,
    /// Layers further in, and what speaks to the storage.
    pub may_import: Vec<String>,
    /// What it is for and what it knows nothing about, as one line without marks.
    pub rule: String,
}

/// All layers; at least one.
pub(super) fn layers(
    brief: &Brief,
    choices: &Choices,
    entities: &[Entity],
    program: &str,
) -> Vec<Layer> {
    let mut parts = listed(brief);
    // One part alone is where a list was begun: the usual ones go on from there.
    if parts.len() < 2 {
        let usual = usual(choices, entities);
        let begun = usize::from(!parts.is_empty());
        parts.extend(usual.into_iter().skip(begun));
        parts.dedup_by(|later, earlier| later.0 == earlier.0);
    }
    let source = choices.kit.source(program);
    let mut layers: Vec<Layer> = Vec::new();
    for (name, rule) in parts {
        let mut may_import: Vec<String> = layers.iter().map(|layer| layer.name.clone()).collect();
        // Pages show what they are given: what is stored reaches them through the calls.
        if name == "pages" {
            may_import.retain(|layer| layer == "rules");
        }
        if name.split('_').any(|word| KEEPING.contains(&word)) {
            may_import.extend(package(choices));
        }
        layers.push(Layer { paths: vec![format!("{source}{name}/**")], name, may_import, rule });
    }
    // The program starts in the part that knows all others.
    let at = layers.iter().rposition(|layer| layer.name != "pages").unwrap_or(0);
    if let Some(outermost) = layers.get_mut(at) {
        outermost.paths.push(choices.kit.entry(program));
    }
    layers
}

/// Words for a part that keeps things.
const KEEPING: [&str; 7] =
    ["storage", "store", "database", "db", "persistence", "repository", "data"];

fn listed(brief: &Brief) -> Vec<(String, String)> {
    let mut taken = BTreeSet::new();
    let part = |item: &str| {
        let (title, about) = split(item);
        let words: Vec<String> = plain_words(title).into_iter().take(3).collect();
        let named = name(&words);
        let named = if named.is_empty() { "part" } else { &named };
        let rule = if about.is_empty() { title } else { about };
        (unique(named, &mut taken), plain(rule, 500))
    };
    brief.items(SectionId::ArchitecturalBoundaries, "layers").into_iter().map(part).collect()
}

fn usual(choices: &Choices, entities: &[Entity]) -> Vec<(String, String)> {
    let things: Vec<String> =
        entities.iter().take(4).map(|entity| spoken(&plural(&entity.name))).collect();
    let rules = format!(
        "Plain functions about {}: no storage, no network, no clock. The time comes in as an argument.",
        things.join(", ")
    );
    let mut parts = vec![("rules", rules)];
    if choices.storage != Storage::Nothing {
        let storage = "The only part that reads and writes what is kept; it decides nothing.";
        parts.push(("storage", storage.to_owned()));
    }
    parts.push(match choices.interface {
        Interface::Http => (
            "api",
            "Reads requests, asks the other parts, writes replies; it holds no rules of its own."
                .into(),
        ),
        Interface::Commands => (
            "commands",
            "Reads what was typed and prints what came of it; it holds no rules of its own.".into(),
        ),
        Interface::Functions => {
            ("library", "The functions that others may call, and nothing that they may not.".into())
        }
    });
    match (choices.surface, choices.interface) {
        (Surface::Pages, _) => {
            parts
                .push(("pages", "What people see; it gets all it shows through the calls.".into()));
        }
        (Surface::Windows, _) => {
            parts.push((
                "windows",
                "What people see; it shows and asks, and decides nothing.".into(),
            ));
        }
        (Surface::Terminal, Interface::Http | Interface::Functions) => {
            parts.push(("terminal", "What people see and type; it decides nothing.".into()));
        }
        _ => {}
    }
    parts.into_iter().map(|(name, rule)| (name.to_owned(), rule)).collect()
}

/// The name under which code imports what speaks to the storage.
fn package(choices: &Choices) -> Option<String> {
    let first = choices.driver()?.split(' ').next()?;
    (first != "the").then(|| first.to_owned())
}
