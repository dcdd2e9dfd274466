//! The import graph of the web app.

use std::sync::LazyLock;

use regex::Regex;

use crate::{Tree, graph::Graph};

/// The folder of the web app's sources.
pub(crate) const ROOT: &str = "web/src/";

static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:\bfrom|\bimport)\s*\(?\s*["']((?:\.|@/)[^"']*)["']"#).expect("it is a literal")
});

/// Imports below [`ROOT`], including type imports.
pub(crate) fn imports(tree: &Tree) -> Graph<'_> {
    let mut graph = Graph::default();
    for (path, text) in tree.under(ROOT, &[".ts", ".tsx"]) {
        for (at, line) in text.lines().enumerate() {
            for found in IMPORT.captures_iter(line) {
                if let Some(target) = resolve(tree, path, &found[1]) {
                    graph.add(path, target, at + 1);
                }
            }
        }
    }
    graph
}

/// Resolves `name`, imported in `from`, to a file.
fn resolve<'a>(tree: &'a Tree, from: &str, name: &str) -> Option<&'a str> {
    let full = path_of(from, name);
    let spellings =
        ["", ".ts", ".tsx", "/index.ts", "/index.tsx"].map(|end| format!("{full}{end}"));
    tree.under(ROOT, &[".ts", ".tsx"])
        .map(|(path, _)| path)
        .find(|path| spellings.iter().any(|spelling| spelling == path))
}

/// The path of `name`, imported in `from`.
pub(crate) fn path_of(from: &str, name: &str) -> String {
    match name.strip_prefix("@/") {
        Some(inner) => format!("{ROOT}{inner}"),
        None => join(from.rsplit_once('/').map_or("", |(folder, _)| folder), name),
    }
}

fn join(folder: &str, name: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in name.split('/') {
        match part {
            "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_resolved_like_the_bundler_does() {
        let tree = Tree::of(&[
            (
                "web/src/app/a.tsx",
                "import {\n B,\n} from \"@/lib/b\";\nconst c = import('../lib/c');",
            ),
            ("web/src/lib/b.ts", "export * from './d';\nimport x from 'react';"),
            ("web/src/lib/c.tsx", ""),
            ("web/src/lib/d/index.ts", ""),
        ]);
        let graph = imports(&tree);
        let found: Vec<_> = graph.edges().map(|edge| (edge.from, edge.to, edge.line)).collect();
        assert_eq!(
            found,
            [
                ("web/src/app/a.tsx", "web/src/lib/b.ts", 3),
                ("web/src/app/a.tsx", "web/src/lib/c.tsx", 4),
                ("web/src/lib/b.ts", "web/src/lib/d/index.ts", 1),
            ]
        );
    }
}
