//! Which path shows that a deliverable exists: one that its text names, or one that the auditor
//! names.

use crate::{
    event::phases::{CheckedDeliverable, DeliverableResult},
    state::PhaseState,
};

/// What shows a deliverable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// This path is part of the branch or of its changes.
    By(String),
    /// The text names this path, which is neither.
    Missing(String),
    /// No path is known.
    Unknown,
}

/// What shows a deliverable with this text. `shown_by` is the auditor's path; `is_present` is whether
/// a path is part of the branch or of its changes.
pub fn shown(text: &str, shown_by: Option<&str>, is_present: impl Fn(&str) -> bool) -> Shown {
    let NamedPaths { required, possible } = NamedPaths::of(text);
    let shown_by = shown_by.map(plain).filter(|path| is_present(path));
    let is_elsewhere = |path: &str| {
        shown_by.is_some_and(|shown_by| {
            shown_by.strip_suffix(path).is_some_and(|start| start.ends_with('/'))
        })
    };
    let missing = required.iter().find(|path| !is_present(path) && !is_elsewhere(path));
    if let Some(missing) = missing {
        return Shown::Missing(missing.clone());
    }
    let named = required.iter().chain(&possible).map(String::as_str);
    let found = named.into_iter().find(|path| is_present(path)).or(shown_by);
    found.map_or(Shown::Unknown, |path| Shown::By(path.to_owned()))
}

/// Which deliverables of a build are shown, by their texts and the auditor's paths. `is_present` is as
/// in [`shown`].
pub fn check_all(
    phases: &[PhaseState],
    is_present: impl Fn(&str) -> bool,
) -> Vec<CheckedDeliverable> {
    let mut checked = Vec::new();
    for phase in phases {
        for (index, text) in (1..).zip(&phase.outline.deliverables) {
            let judged = phase.deliverables.iter().find(|judged| judged.index == index);
            let shown_by = judged.and_then(|judged| judged.shown_by.as_deref());
            let (result, path) = match shown(text, shown_by, &is_present) {
                Shown::By(path) => (DeliverableResult::Shown, Some(path)),
                Shown::Missing(path) => (DeliverableResult::Missing, Some(path)),
                Shown::Unknown => (DeliverableResult::Unknown, None),
            };
            checked.push(CheckedDeliverable { phase: phase.outline.number, index, result, path });
        }
    }
    checked
}

/// Paths in the text of a deliverable.
#[derive(Debug, Default, PartialEq, Eq)]
struct NamedPaths {
    /// With a folder and a file extension.
    required: Vec<String>,
    /// Words that may be a path, such as `README.md`, or something else, such as `Node.js`.
    possible: Vec<String>,
}

impl NamedPaths {
    fn of(text: &str) -> Self {
        let mut paths = Self::default();
        let separators = |c: char| c.is_whitespace() || "`,;()[]{}<>\"'“”‘’|".contains(c);
        for word in text.split(separators).filter_map(path_like) {
            match (word.contains('/'), has_extension(word)) {
                (true, true) => paths.required.push(word.to_owned()),
                (true, false) | (false, true) => paths.possible.push(word.to_owned()),
                (false, false) => {}
            }
        }
        paths
    }
}

/// A word without punctuation around it and without a line number or test name after it; `None` for
/// URLs, routes, globs and empty words.
fn path_like(word: &str) -> Option<&str> {
    let word = word.trim_start_matches(['*', '_', ':', '!', '?']);
    let word = word.trim_end_matches(['*', '.', ':', '!', '?']);
    if word.contains("://") || word.contains('*') || word.starts_with('/') {
        return None;
    }
    let word = word.split(':').next().unwrap_or(word);
    Some(plain(word)).filter(|word| !word.is_empty())
}

fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else { return false };
    (1..=12).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        && extension.chars().any(|c| c.is_ascii_alphabetic())
}

fn plain(path: &str) -> &str {
    let path = path.trim();
    path.strip_prefix("./").unwrap_or(path).trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn with(present: &[&str], text: &str, shown_by: Option<&str>) -> Shown {
        shown(text, shown_by, |path| present.contains(&path))
    }

    #[test]
    fn deliverable_that_names_paths_needs_all_of_them() {
        let by = |path: &str| Shown::By(path.to_owned());
        let missing = |path: &str| Shown::Missing(path.to_owned());
        let files = ["src/due.js", "README.md", "packages/a/lib/x.js"];
        for (text, shown_by, expected) in [
            ("`src/due.js`: due dates", None, by("src/due.js")),
            ("./src/due.js:12 and its tests", None, by("src/due.js")),
            ("**src/due.js**.", None, by("src/due.js")),
            ("`src/due.js` and `test/due.test.js`", None, missing("test/due.test.js")),
            ("`src/due.js` and `test/due.test.js`", Some("README.md"), missing("test/due.test.js")),
            ("lib/x.js", None, missing("lib/x.js")),
            ("lib/x.js", Some("packages/a/lib/x.js"), by("packages/a/lib/x.js")),
            ("README.md names it", None, by("README.md")),
            ("CHANGELOG.md names it", None, Shown::Unknown),
            ("A page in Node.js", None, Shown::Unknown),
            ("A page in Node.js", Some("./src/due.js"), by("src/due.js")),
            ("A page in Node.js", Some("src/none.js"), Shown::Unknown),
            ("GET /api/items.json and/or https://a.example/b.html", None, Shown::Unknown),
            ("src/**/*.js", None, Shown::Unknown),
        ] {
            assert_eq!(with(&files, text, shown_by), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn only_a_present_path_shows_a_deliverable(
            text in "([a-c/.`: ]|[.]js){0,30}",
            shown_by in proptest::option::of("[a-c/.]{0,8}"),
            present in "[a-c]/[a-c].js",
        ) {
            if let Shown::By(path) = with(&[&present], &text, shown_by.as_deref()) {
                prop_assert_eq!(path, present);
            }
        }
    }
}
