//! What every file has: a first line that says what it is, a plain name, a length one can read.

use crate::{Tree, Violation};

pub(super) const NAME: &str = "shape";

/// Beyond this a file is two files. Near 400 lines is where to start looking.
const LONGEST: usize = 700;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, text) in tree.under("", &[".rs"]) {
        if !text.starts_with("//! ") {
            let what = "begin the file with a `//!` line that says what it is";
            found.push(Violation::at(path, 1, NAME, what));
        }
        if path.ends_with("/mod.rs") {
            let what = "name the module `foo.rs` beside `foo/`, not `foo/mod.rs`";
            found.push(Violation::at(path, 1, NAME, what));
        }
    }
    for (path, text) in tree.under("", &[".rs", ".ts", ".tsx", ".mjs"]) {
        let lines = text.lines().count();
        if lines > LONGEST && !path.contains("/generated/") {
            let what = format!("{lines} lines are more than {LONGEST}: find the second file in it");
            found.push(Violation::at(path, LONGEST + 1, NAME, what));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_found_where_it_is() {
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
