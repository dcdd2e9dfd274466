//! The parts of contracts that a text names: endpoints, entities and layers.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use domain::{
    contract::ContractType,
    markdown_blocks::{BlockKind, blocks},
};
use globset::Glob;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;
use serde_saphyr::Spanned;

use super::syntax::yaml_options;
use crate::text::words::words;

/// What a phase and its requirements say, for matching names.
pub(super) struct NamingText<'a> {
    text: String,
    words: BTreeSet<String>,
    /// Globs of paths that the phase may change.
    scope: &'a [String],
}

impl<'a> NamingText<'a> {
    pub fn new(text: String, scope: &'a [String]) -> Self {
        let words = words(&text).into_iter().collect();
        Self { text, words, scope }
    }

    /// Whether it contains every word of a name, in any order: `finish_task` is named by "members
    /// finish their tasks".
    fn names(&self, name: &str) -> bool {
        let parts = words(name);
        !parts.is_empty() && parts.iter().all(|part| self.words.contains(part))
    }
}

/// The parts of a contract that `by` names, as they stand in it; `None` if it names none, or the
/// contract is not of a type that has such parts.
pub(super) fn excerpt(kind: ContractType, content: &str, by: &NamingText<'_>) -> Option<String> {
    let parts = match kind {
        ContractType::Physics => endpoints(content, by),
        ContractType::Schema => entities(content, by),
        ContractType::Boundaries => layers(content, by),
        _ => return None,
    };
    (!parts.is_empty()).then(|| parts.join("\n"))
}

#[derive(Deserialize)]
struct Physics {
    #[serde(default)]
    endpoints: Vec<Spanned<Endpoint>>,
    #[serde(default)]
    shapes: BTreeMap<String, Spanned<IgnoredAny>>,
}

#[derive(Deserialize)]
struct Endpoint {
    #[serde(default)]
    name: String,
    #[serde(default)]
    path: Option<String>,
}

/// The named endpoints, and the shapes that these use.
fn endpoints(content: &str, by: &NamingText<'_>) -> Vec<String> {
    let physics = serde_saphyr::from_str_with_options::<Physics>(content, yaml_options());
    let Ok(Physics { endpoints, shapes }) = physics else { return Vec::new() };
    let lines: Vec<&str> = content.lines().collect();
    let is_named = |endpoint: &Endpoint| {
        let path = endpoint.path.as_deref().filter(|path| path.len() > 1);
        by.names(&endpoint.name) || path.is_some_and(|path| by.text.contains(path))
    };
    let named = endpoints.iter().filter(|endpoint| is_named(&endpoint.value));
    let mut parts: Vec<String> = named.map(|endpoint| item(&lines, line(endpoint), "-")).collect();
    let used: BTreeSet<String> = parts.iter().flat_map(|part| names(part)).collect();
    let used = shapes.iter().filter(|(name, _)| used.contains(*name));
    let shape = |(name, shape): (&String, &Spanned<_>)| item(&lines, line(shape), name);
    let used: Vec<String> = used.map(shape).collect();
    parts.extend(used);
    parts
}

fn line<T>(spanned: &Spanned<T>) -> usize {
    usize::try_from(spanned.referenced.line()).unwrap_or(1).max(1)
}

fn names(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned)
}

/// The lines from the newest that begins with `start`, up to line `line`, counted from 1, to the next
/// one that is not indented more.
fn item(lines: &[&str], line: usize, start: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let before = &lines[..line.min(lines.len())];
    let first = before.iter().rposition(|line| line.trim_start().starts_with(start));
    let lines = &lines[first.unwrap_or_default()..];
    let outer = lines.first().map_or(0, |line| indent(line));
    let ends = |line: &str| !line.trim().is_empty() && indent(line) <= outer;
    let length =
        lines.iter().skip(1).position(|line| ends(line)).map_or(lines.len(), |place| place + 1);
    lines[..length].join("\n").trim_end().to_owned()
}

/// The sections whose headings are named. The text before the first one applies to all.
fn entities(content: &str, by: &NamingText<'_>) -> Vec<String> {
    let headings: Vec<(usize, Cow<'_, str>)> = blocks(content)
        .filter(|block| matches!(block.kind, BlockKind::Heading(level) if level > 1))
        .map(|block| (block.start, block.text))
        .collect();
    let ends = headings.iter().skip(1).map(|(start, _)| *start).chain([content.len()]);
    let sections = headings.iter().zip(ends).filter(|((_, heading), _)| by.names(heading));
    sections.map(|((start, _), end)| content[*start..end].trim_end().to_owned()).collect()
}

/// The layers that are named, or whose paths the phase names or may change.
fn layers(content: &str, by: &NamingText<'_>) -> Vec<String> {
    let Ok(boundaries) = serde_json::from_str::<Value>(content) else { return Vec::new() };
    let layers = boundaries["layers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_named = |layer: &&Value| {
        let mut paths = layer["paths"].as_array().into_iter().flatten().filter_map(Value::as_str);
        layer["name"].as_str().is_some_and(|name| by.names(name))
            || paths.any(|path| is_touched(path, by))
    };
    layers.iter().filter(is_named).map(Value::to_string).collect()
}

fn is_touched(glob: &str, by: &NamingText<'_>) -> bool {
    let folder =
        |glob: &str| glob.split(['*', '?', '[', '{']).next().unwrap_or_default().to_owned();
    let own = folder(glob);
    if own.len() > 1 && by.text.contains(&own) {
        return true;
    }
    let within = |scope: &String| {
        let matches = Glob::new(scope).is_ok_and(|scope| scope.compile_matcher().is_match(&own));
        let outer = folder(scope);
        matches || (outer.len() > 1 && (own.starts_with(&outer) || outer.starts_with(&own)))
    };
    !own.is_empty() && by.scope.iter().any(within)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHYSICS: &str = include_str!("../../../../static/templates/contracts/physics.yaml");
    const SCHEMA: &str = include_str!("../../../../static/templates/contracts/schema.md");
    const BOUNDARIES: &str = include_str!("../../../../static/templates/contracts/boundaries.json");

    fn part(kind: ContractType, content: &str, text: &str, scope: &[&str]) -> Option<String> {
        let scope: Vec<String> = scope.iter().map(|&glob| glob.to_owned()).collect();
        excerpt(kind, content, &NamingText::new(text.to_owned(), &scope))
    }

    #[test]
    fn named_endpoints_are_returned_with_their_shapes() {
        let found = part(ContractType::Physics, PHYSICS, "Members finish their tasks.", &[]);
        let found = found.unwrap();
        assert!(found.starts_with("  - name: finish_task\n    method: POST"), "{found}");
        assert!(found.contains("errors: [401, 404, 409]\n  Task: { id"), "{found}");
        assert!(!found.contains("create_task"), "{found}");
        let by_path = part(ContractType::Physics, PHYSICS, "`POST /tasks/{task}/finish`", &[]);
        assert!(by_path.unwrap().contains("finish_task"));
        for (content, text) in [(PHYSICS, "Members pay."), ("endpoints: [", "finish_task")] {
            assert_eq!(part(ContractType::Physics, content, text, &[]), None);
        }
    }

    #[test]
    fn named_entities_are_returned_as_sections() {
        let found = part(ContractType::Schema, SCHEMA, "The member pays.", &[]).unwrap();
        assert!(found.starts_with("## member") && found.contains("| email |"), "{found}");
        assert!(!found.contains("due_on"), "{found}");
        assert_eq!(part(ContractType::Schema, SCHEMA, "Nothing.", &[]), None);
    }

    #[test]
    fn layers_are_found_by_name_and_by_path() {
        for (text, scope, expected) in [
            ("Write the storage.", &[][..], Some("storage")),
            ("- `taskflow/web/page.py`", &[], Some("web")),
            ("Nothing.", &["taskflow/rules/**"], Some("rules")),
            ("Nothing.", &["docs/**"], None),
        ] {
            let found = part(ContractType::Boundaries, BOUNDARIES, text, scope);
            let layers = found.as_deref().map(|found| {
                let layers: Vec<Value> =
                    found.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
                layers.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect::<String>()
            });
            assert_eq!(layers.as_deref(), expected, "{text} {scope:?}");
        }
    }

    #[test]
    fn other_contracts_have_no_parts() {
        assert_eq!(part(ContractType::Stack, "# Stack\n## Task\n", "task", &[]), None);
    }
}
