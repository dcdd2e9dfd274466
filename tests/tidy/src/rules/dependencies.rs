//! Every dependency must be used, and listed in ARCHITECTURE.md with a reason.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use crate::{
    Tree, Violation,
    manifest::{self, Dependency},
    token::tokens,
};

pub(super) const NAME: &str = "dependencies";

const REASONS: &str = "ARCHITECTURE.md";
const PACKAGES: [&str; 4] = [
    "web/package.json",
    "tests/e2e/package.json",
    "tests/mcp/package.json",
    "tests/agents/fnm/package.json",
];

static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("`([^`]+)`").expect("it is a literal"));

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = unexplained(tree);
    found.extend(unused_in_workspace(tree));
    for (path, text) in tree.under("", &["/Cargo.toml"]) {
        found.extend(unused_in_crate(tree, path, text));
    }
    found
}

/// Dependencies that are not listed, and listed names that are not dependencies.
fn unexplained(tree: &Tree) -> Vec<Violation> {
    let explained = explained(tree.text(REASONS).unwrap_or_default());
    let mut named = vec![("Cargo.toml", workspace(tree))];
    named.extend(PACKAGES.map(|path| (path, manifest::package(tree.text(path).unwrap_or("{}")))));
    let mut found = Vec::new();
    for (path, dependencies) in &named {
        for dependency in dependencies.iter().filter(|dependency| !dependency.is_ours) {
            if !explained.iter().any(|(name, _)| *name == dependency.name) {
                let what =
                    format!("add `{}` with a reason to the table in {REASONS}", dependency.name);
                found.push(Violation::at(path, dependency.line, NAME, what));
            }
        }
    }
    let all: BTreeSet<&str> = named
        .iter()
        .flat_map(|(_, list)| list)
        .map(|dependency| dependency.name.as_str())
        .collect();
    for (name, line) in explained.into_iter().filter(|(name, _)| !all.contains(name)) {
        let what = format!("`{name}` is not a dependency: remove its line");
        found.push(Violation::at(REASONS, line, NAME, what));
    }
    found
}

/// Names in the first column of the tables below the heading "Dependencies".
fn explained(text: &str) -> Vec<(&str, usize)> {
    let mut names = Vec::new();
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("## ") {
            inside = line.contains("Dependencies");
        }
        let cell = line.strip_prefix('|').and_then(|row| row.split('|').next());
        if let Some(cell) = cell.filter(|_| inside) {
            let quoted = QUOTED.captures_iter(cell).filter_map(|found| found.get(1));
            names.extend(quoted.map(|name| (name.as_str(), at + 1)));
        }
    }
    names
}

fn unused_in_workspace(tree: &Tree) -> Vec<Violation> {
    let members = tree.under("", &["/Cargo.toml"]).flat_map(|(_, text)| manifest::member(text));
    let used: BTreeSet<String> = members.map(|dependency| dependency.name).collect();
    let unused = workspace(tree).into_iter().filter(|dependency| !used.contains(&dependency.name));
    unused
        .map(|dependency| {
            let what = format!("no crate uses `{}`", dependency.name);
            Violation::at("Cargo.toml", dependency.line, NAME, what)
        })
        .collect()
}

/// Dependencies of a crate whose name none of its files contains.
fn unused_in_crate(tree: &Tree, path: &str, text: &str) -> Vec<Violation> {
    let folder = path.strip_suffix("Cargo.toml").unwrap_or(path);
    let words: BTreeSet<&str> = tree
        .under(folder, &[".rs"])
        .flat_map(|(_, source)| tokens(source))
        .map(|token| token.text)
        .collect();
    let unused = manifest::member(text)
        .into_iter()
        .filter(|dependency| !words.contains(dependency.name.replace('-', "_").as_str()));
    unused
        .map(|dependency| {
            let what = format!("no file of this crate names `{}`", dependency.name);
            Violation::at(path, dependency.line, NAME, what)
        })
        .collect()
}

fn workspace(tree: &Tree) -> Vec<Dependency> {
    manifest::workspace(tree.text("Cargo.toml").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKSPACE: &str =
        "[workspace.dependencies]\na = { path = \"a\" }\nb-c = \"1\"\nd = \"1\"\n";

    fn places(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        let found = check(&Tree::of(files));
        let mut places: Vec<_> = found.into_iter().map(|at| (at.file, at.line)).collect();
        places.sort();
        places
    }

    #[test]
    fn unlisted_dependencies_and_stale_lines_are_reported() {
        let found = places(&[
            ("Cargo.toml", WORKSPACE),
            ("a/Cargo.toml", "[dependencies]\na = \"1\"\nb-c = \"1\"\nd = \"1\"\n"),
            ("a/src/lib.rs", "use a; use b_c::E; use d;"),
            (
                "web/package.json",
                "{\"dependencies\": {\"react\": \"1\"},\"devDependencies\": {\n\"vite\": \"1\"}}",
            ),
            (REASONS, "`d`\n## Dependencies\n| `b-c`, `old` | why `x` |\n| `react` | why |\n"),
        ]);
        let expected = [(REASONS, 3), ("Cargo.toml", 4), ("web/package.json", 2)];
        assert_eq!(found, expected.map(|(file, line)| (file.to_owned(), line)));
    }

    #[test]
    fn unused_dependencies_are_reported() {
        let found = places(&[
            ("Cargo.toml", WORKSPACE),
            ("a/Cargo.toml", "[dependencies]\na = \"1\"\nb-c = \"1\"\n"),
            ("a/src/lib.rs", "//! b_c\nfn a() {}"),
            (REASONS, "## Dependencies\n| `b-c` `d` | why |\n"),
        ]);
        let expected = [("Cargo.toml", 4), ("a/Cargo.toml", 3)];
        assert_eq!(found, expected.map(|(file, line)| (file.to_owned(), line)));
    }
}
