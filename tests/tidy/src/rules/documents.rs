//! Documents must name only existing files and folders.

use std::sync::LazyLock;

use regex::Regex;

use crate::{Tree, Violation};

pub(super) const NAME: &str = "documents";

const DOCUMENTS: [&str; 3] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Folders whose contents are checked; others are created at run time.
const OURS: [&str; 6] =
    ["server/", "web/src/", "web/dev/", "tests/", "migrations/", "static/demo/"];

static PATH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"`([\w./-]+/[\w./-]*)`").expect("it is a literal"));

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for document in DOCUMENTS {
        for (at, line) in tree.text(document).unwrap_or_default().lines().enumerate() {
            for path in PATH.captures_iter(line).filter_map(|found| found.get(1)) {
                let path = path.as_str();
                let is_ours = OURS.iter().any(|folder| path.starts_with(folder));
                let is_made = ["shots", "report"].iter().any(|made| path.contains(made));
                if is_ours && !is_made && !tree.has(path) {
                    let what = format!("names `{path}`, which does not exist");
                    found.push(Violation::at(document, at + 1, NAME, what));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_file_is_reported() {
        let found = check(&Tree::of(&[
            (
                "README.md",
                "`server/a/src/lib.rs` and `server/a/`\nand `server/a/src/gone.rs`, `POST /api/x`",
            ),
            ("server/a/src/lib.rs", ""),
        ]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].line, 2);
    }
}
