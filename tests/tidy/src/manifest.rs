//! Dependencies in `Cargo.toml` and `package.json`, with their lines.

use serde_json::Value;
use toml::Table;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// Whether it is a workspace crate, with a path.
    pub(crate) is_ours: bool,
    /// Whether it is a development dependency.
    pub(crate) is_for_tests: bool,
}

/// Everything below `[workspace.dependencies]`; empty if the file is invalid.
pub(crate) fn workspace(text: &str) -> Vec<Dependency> {
    let Some(table) = parse(text) else { return Vec::new() };
    let named = table.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    list(text, named, false)
}

/// `[dependencies]`, `[build-dependencies]` and `[dev-dependencies]` of one crate.
pub(crate) fn member(text: &str) -> Vec<Dependency> {
    let Some(table) = parse(text) else { return Vec::new() };
    ["dependencies", "build-dependencies", "dev-dependencies"]
        .into_iter()
        .flat_map(|section| list(text, table.get(section), section == "dev-dependencies"))
        .collect()
}

/// `dependencies`, `optionalDependencies` and `devDependencies` of a `package.json`.
pub(crate) fn package(text: &str) -> Vec<Dependency> {
    let package: Value = serde_json::from_str(text).unwrap_or_default();
    ["dependencies", "optionalDependencies", "devDependencies"]
        .into_iter()
        .filter_map(|section| Some((section, package.get(section)?.as_object()?)))
        .flat_map(|(section, named)| named.keys().map(move |name| (section, name)))
        .map(|(section, name)| Dependency {
            line: line_of(text, &format!("\"{name}\":")),
            name: name.clone(),
            is_ours: false,
            is_for_tests: section == "devDependencies",
        })
        .collect()
}

fn parse(text: &str) -> Option<Table> {
    text.parse().ok()
}

fn list(text: &str, named: Option<&toml::Value>, is_for_tests: bool) -> Vec<Dependency> {
    let named = named.and_then(toml::Value::as_table).into_iter().flatten();
    named
        .map(|(name, value)| Dependency {
            name: name.clone(),
            line: line_of(text, name),
            is_ours: value.get("path").is_some(),
            is_for_tests,
        })
        .collect()
}

/// The first line that starts with `start` as a whole name.
fn line_of(text: &str, start: &str) -> usize {
    let begins = |line: &str| {
        let rest = line.trim_start().strip_prefix(start);
        rest.is_some_and(|rest| {
            !rest.starts_with(|c: char| c.is_alphanumeric() || "-_".contains(c))
        })
    };
    text.lines().position(begins).map_or(1, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_come_with_their_lines() {
        let found = workspace("[workspace.dependencies]\na-b = \"1\"\na = { path = \"x\" }\n");
        let found: Vec<_> = found.iter().map(|d| (d.name.as_str(), d.line, d.is_ours)).collect();
        assert_eq!(found, [("a", 3, true), ("a-b", 2, false)]);
    }

    #[test]
    fn those_for_tests_are_marked() {
        let found = member("[dependencies]\na.workspace = true\n[dev-dependencies]\nb = \"1\"\n");
        let found: Vec<_> = found.iter().map(|d| (d.name.as_str(), d.is_for_tests)).collect();
        assert_eq!(found, [("a", false), ("b", true)]);
        let found =
            package("{\"dependencies\":{\"a\":\"1\"},\n\"devDependencies\":{\n\"b\":\"1\"}}");
        let found: Vec<_> = found.iter().map(|d| (d.name.as_str(), d.line)).collect();
        assert_eq!(found, [("a", 1), ("b", 3)]);
    }
}
