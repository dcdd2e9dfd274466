//! Whether a build added or changed a test that an exit criterion names.
//!
//! A test is found by its name in the text of the changed files. A test that is not found counts as
//! changed, so that a name that is put together at run time gains nothing.

use crate::test_files::{inline_tests_start, is_code_file, is_test_file};

/// A file that differs between two commits.
#[derive(Clone, Debug)]
pub struct ChangedFile {
    /// After the change.
    pub path: String,
    /// `None` if it is new, or not text.
    pub old: Option<String>,
    /// `None` if it is not text.
    pub new: Option<String>,
}

/// Where a test comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// It is the same in both commits.
    Unchanged,
    /// It is new or changed. A file that must be applied together with the test files, if it is
    /// defined in none of them.
    Changed { file: Option<String> },
    /// It is new or changed, in a source file that contains its tests itself.
    Inline { path: String },
}

/// Finds a test in the files that changed between two commits; `unchanged` are the texts of the
/// test files that did not.
pub fn definition(name: &str, changed: &[ChangedFile], unchanged: &[String]) -> Definition {
    if changed.is_empty() {
        return Definition::Unchanged;
    }
    let has = |text: &Option<String>, word: &str| {
        text.as_ref().is_some_and(|text| contains_word(text, word))
    };
    for word in words(name) {
        let mut of_tests =
            changed.iter().filter(|file| is_test_file(&file.path) && has(&file.new, word));
        if let Some(first) = of_tests.next() {
            let is_same = is_same(first, word) && of_tests.all(|file| is_same(file, word));
            return if is_same {
                Definition::Unchanged
            } else {
                Definition::Changed { file: None }
            };
        }
        if unchanged.iter().any(|text| contains_word(text, word)) {
            return Definition::Unchanged;
        }
        let mut others = changed.iter().filter(|file| {
            !is_test_file(&file.path) && is_code_file(&file.path) && has(&file.new, word)
        });
        if let Some(file) = others.find(|file| !is_same(file, word)) {
            let path = file.path.clone();
            return match inline_tests_start(&path, file.new.as_deref().unwrap_or_default()) {
                Some(_) => Definition::Inline { path },
                None => Definition::Changed { file: Some(path) },
            };
        }
    }
    Definition::Changed { file: None }
}

/// The name, and what remains of it without suites and parameters.
fn words(name: &str) -> Vec<&str> {
    let mut words = vec![name];
    let plain = name.split(['[', '(']).next().unwrap_or(name).trim_end();
    words.push(plain);
    for separator in ["::", " › ", " > ", "#", "/", ".", " "] {
        if let Some((_, last)) = plain.rsplit_once(separator) {
            words.push(last.trim());
        }
    }
    words.retain(|word| !word.is_empty());
    words.dedup();
    words
}

fn positions<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let (before, after) = (&text[..*at], &text[at + word.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

fn contains_word(text: &str, word: &str) -> bool {
    positions(text, word).next().is_some()
}

fn is_same(file: &ChangedFile, word: &str) -> bool {
    let (Some(old), Some(new)) = (&file.old, &file.new) else { return false };
    blocks(old, word).is_some_and(|old| Some(old) == blocks(new, word))
}

/// The lines that contain the word, each with the lines that are indented below it. If nothing is
/// indented, the whole text.
fn blocks<'a>(text: &'a str, word: &'a str) -> Option<Vec<&'a str>> {
    let mut found = Vec::new();
    for at in positions(text, word) {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[start..].lines();
        let first = lines.next().unwrap_or_default();
        let mut body: Vec<&str> = lines
            .take_while(|line| line.trim().is_empty() || indent(line) > indent(first))
            .collect();
        while body.last().is_some_and(|line| line.trim().is_empty()) {
            body.pop();
        }
        if body.is_empty() {
            return Some(text.lines().collect());
        }
        found.push(first);
        found.extend(body);
    }
    (!found.is_empty()).then_some(found)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "def test_fine():\n    assert fine(4) == 4\n";

    fn file(path: &str, old: Option<&str>, new: &str) -> ChangedFile {
        let text = |text: &str| text.to_owned();
        ChangedFile { path: path.to_owned(), old: old.map(text), new: Some(text(new)) }
    }

    fn of(name: &str, changed: &[ChangedFile]) -> Definition {
        definition(name, changed, &[])
    }

    #[test]
    fn new_and_changed_tests_are_found_by_name() {
        let changed = Definition::Changed { file: None };
        let new = [file("tests/test_fine.py", None, TEST)];
        for name in ["test_fine", "tests/test_fine.py::test_fine", "test_fine[1-2]"] {
            assert_eq!(of(name, &new), changed, "{name}");
        }
        let edited = TEST.replace("== 4", ">= 0");
        assert_eq!(of("test_fine", &[file("tests/test_fine.py", Some(TEST), &edited)]), changed);
        let js = "test('charges four days', () => {\nassert.ok(fine(4));\n});\n";
        let edited = js.replace("fine(4)", "true");
        assert_eq!(of("charges four days", &[file("a.test.js", Some(js), &edited)]), changed);
    }

    #[test]
    fn test_in_a_changed_file_is_unchanged_if_its_own_lines_are() {
        let more = format!("{TEST}\n\ndef test_other():\n    assert True\n");
        let changed = [file("tests/test_fine.py", Some(TEST), &more)];
        assert_eq!(of("test_fine", &changed), Definition::Unchanged);
        assert_eq!(of("test_other", &changed), Definition::Changed { file: None });
    }

    #[test]
    fn test_in_an_unchanged_file_is_unchanged() {
        let changed = [file("src/fine.py", Some(""), "def fine(days):\n    test_fine = days\n")];
        let unchanged = [TEST.to_owned()];
        assert_eq!(definition("test_fine", &changed, &unchanged), Definition::Unchanged);
        assert_eq!(of("test_fine", &[]), Definition::Unchanged);
    }

    #[test]
    fn script_that_prints_a_name_is_applied_as_a_test_file() {
        let changed = [file("check.sh", None, "echo 'ok 1 - fine_rope'\n")];
        let file = Some("check.sh".to_owned());
        assert_eq!(of("fine_rope", &changed), Definition::Changed { file });
    }

    #[test]
    fn name_that_is_found_nowhere_counts_as_changed() {
        let changed = [file("tests/all.js", None, "for (const n of names) test(n, run);\n")];
        assert_eq!(of("fine_rope", &changed), Definition::Changed { file: None });
        let changed = [file("README.md", None, "fine_rope\n")];
        assert_eq!(of("fine_rope", &changed), Definition::Changed { file: None });
    }

    #[test]
    fn rust_tests_beside_their_code_are_inline() {
        let text = "fn f() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn fine() {\n        f();\n    }\n}\n";
        let changed = [file("src/lib.rs", Some("fn f() {}\n"), text)];
        let path = "src/lib.rs".to_owned();
        assert_eq!(of("tests::fine", &changed), Definition::Inline { path });
    }
}
