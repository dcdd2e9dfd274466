//! Every file must have a `//!` line, a name other than `mod.rs`, and a limited length.

use crate::{Tree, Violation};

pub(super) const NAME: &str = "shape";

/// Hard limit on the lines of a file; about 400 is the recommended maximum.
const MAX_LINES: usize = 700;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, text) in tree.under("", &[".rs"]) {
        if !text.starts_with("//! ") {
            let what = "begin the file with a `//!` line that describes it";
            found.push(Violation::at(path, 1, NAME, what));
        }
        if path.ends_with("/mod.rs") {
            let what = "name the module `foo.rs` beside `foo/`, not `foo/mod.rs`";
            found.push(Violation::at(path, 1, NAME, what));
        }
    }
    for (path, text) in tree.under("", &[".rs", ".ts", ".tsx", ".mjs"]) {
        let lines = text.lines().count();
        if lines > MAX_LINES && !path.contains("/generated/") {
            let what = format!("{lines} lines exceed the limit of {MAX_LINES}: split the file");
            found.push(Violation::at(path, MAX_LINES + 1, NAME, what));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_violation_is_reported_at_its_line() {
        let long = format!("//! Long.\n{}", "x\n".repeat(700));
        let found = check(&Tree::of(&[
            ("a/src/lib.rs", "//! Fine.\n"),
            ("a/src/bare.rs", "fn x() {}\n"),
            ("a/src/long.rs", &long),
            ("a/src/old/mod.rs", "//! Old.\n"),
            ("web/src/generated/api.ts", &long),
        ]));
        let places: Vec<_> = found.iter().map(|v| (v.file.as_str(), v.line)).collect();
        assert_eq!(places, [("a/src/bare.rs", 1), ("a/src/old/mod.rs", 1), ("a/src/long.rs", 701)]);
    }
}
