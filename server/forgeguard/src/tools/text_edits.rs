//! Replaces texts in a file: all of the edits of a call, or none.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::{head, words::words};

/// Places that an error lists.
const MAX_PLACES: usize = 5;
/// Lines that an error shows around the nearest one.
const SHOWN_LINES: usize = 3;
/// Size limit of a shown line, in bytes.
const MAX_LINE: usize = 160;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    /// The text to replace, exactly as in the file, with enough context to occur once.
    pub old_text: String,
    pub new_text: String,
    #[serde(default)]
    pub replace_all: bool,
}

/// The result of edits.
#[derive(Debug, PartialEq)]
pub(super) enum EditOutcome {
    To { text: String, places: usize },
    Already,
    Not(String),
}

/// Applies the edits in their order. `resumed`: the same call was started before a crash and may
/// have made them.
pub(super) fn apply(text: &str, edits: &[Edit], resumed: bool) -> EditOutcome {
    match edits {
        [] => EditOutcome::Not("`edits` is empty".into()),
        [edit] => one(text, edit, resumed),
        edits if resumed => apply_resumed(text, edits),
        edits => apply_all(text, edits),
    }
}

fn apply_all(text: &str, edits: &[Edit]) -> EditOutcome {
    let (mut edited, mut all_places) = (text.to_owned(), 0);
    for (at, edit) in edits.iter().enumerate() {
        match one(&edited, edit, false) {
            EditOutcome::To { text, places } => {
                edited = text;
                all_places += places;
            }
            EditOutcome::Already => {}
            EditOutcome::Not(reason) => {
                let number = at + 1;
                let reason = format!("edit {number}: {reason}\nNone of the edits was made.");
                return EditOutcome::Not(reason);
            }
        }
    }
    EditOutcome::To { text: edited, places: all_places }
}

/// A file is written at once, so either all edits were made or none. They are made only if none of
/// the new texts is there.
fn apply_resumed(text: &str, edits: &[Edit]) -> EditOutcome {
    if edits.iter().all(|edit| one(text, edit, true) == EditOutcome::Already) {
        return EditOutcome::Already;
    }
    let is_there = |edit: &Edit| !edit.new_text.is_empty() && text.contains(&edit.new_text);
    if edits.iter().any(is_there) {
        return EditOutcome::Not(
            "this call was interrupted by a restart, and some of its edits may have been made; \
             read the file again"
                .into(),
        );
    }
    apply_all(text, edits)
}

/// If `resumed`, old text within new text is not replaced again, and old text may be absent.
fn one(text: &str, edit: &Edit, resumed: bool) -> EditOutcome {
    let Edit { old_text: old, new_text: new, replace_all } = edit;
    if old.is_empty() {
        return EditOutcome::Not("old_text is empty; use write_file for a new file".into());
    }
    if old == new {
        return EditOutcome::Not("old_text and new_text are the same".into());
    }
    let places = text.matches(old.as_str()).count();
    match places {
        0 if resumed && text.contains(new.as_str()) => EditOutcome::Already,
        0 => EditOutcome::Not(format!("old_text does not occur; {}", nearest(text, old))),
        _ if resumed && only_inside(text, old, new) => EditOutcome::Already,
        1 => EditOutcome::To { text: text.replacen(old.as_str(), new, 1), places },
        _ if *replace_all => EditOutcome::To { text: text.replace(old.as_str(), new), places },
        _ => EditOutcome::Not(format!(
            "old_text occurs {places} times; include more of the text around it, or set \
             replace_all. It occurs here:{}",
            occurrences(text, old)
        )),
    }
}

/// Whether `old` occurs only within occurrences of `new`.
fn only_inside(text: &str, old: &str, new: &str) -> bool {
    new.contains(old) && !text.split(new).any(|piece| piece.contains(old)) && text.contains(new)
}

/// The first lines in which `old` begins.
fn occurrences(text: &str, old: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let number = |(start, _): (usize, &str)| text[..start].matches('\n').count();
    let places = text.match_indices(old).take(MAX_PLACES);
    places.map(|place| shown(&lines, number(place))).collect()
}

/// The lines that are most like `old`, or the advice to read the file.
fn nearest(text: &str, old: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let wanted = old.lines().find(|line| !line.trim().is_empty()).map(words).unwrap_or_default();
    let shared = |line: &str| {
        let found = words(line);
        let count = wanted.iter().filter(|word| found.contains(word)).count();
        // Of 100, where both have the same words.
        100 * count / found.len().max(wanted.len()).max(1)
    };
    let best = lines.iter().enumerate().map(|(at, line)| (shared(line), std::cmp::Reverse(at)));
    match best.max() {
        Some((likeness, std::cmp::Reverse(at))) if likeness >= 40 => {
            let end = lines.len().min(at + old.lines().count().clamp(1, SHOWN_LINES) + 1);
            let near: String = (at.saturating_sub(1)..end).map(|at| shown(&lines, at)).collect();
            format!("the nearest lines are:{near}")
        }
        _ => "read the file again".to_owned(),
    }
}

/// A line with its number, on a line of its own.
fn shown(lines: &[&str], at: usize) -> String {
    format!("\n{}: {}", at + 1, head(lines.get(at).unwrap_or(&""), MAX_LINE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edit(old_text: &str, new_text: &str, replace_all: bool) -> Edit {
        let (old_text, new_text) = (old_text.to_owned(), new_text.to_owned());
        Edit { old_text, new_text, replace_all }
    }

    fn to(text: &str, places: usize) -> EditOutcome {
        EditOutcome::To { text: text.into(), places }
    }

    fn refusal(text: &str, edits: &[Edit], resumed: bool) -> String {
        match apply(text, edits, resumed) {
            EditOutcome::Not(reason) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn edit_replaces_the_exact_text() {
        for (text, old, new, all, expected) in [
            ("a b c", "b", "x", false, to("a x c", 1)),
            ("b b", "b", "x", true, to("x x", 2)),
            ("a b", "b", "", false, to("a ", 1)),
        ] {
            assert_eq!(apply(text, &[edit(old, new, all)], false), expected, "{text} {old}");
        }
        for (text, old, new, reason) in [
            ("b b", "b", "x", "occurs 2 times"),
            ("a", "b", "x", "does not occur"),
            ("a x c", "b", "x", "does not occur"),
            ("a", "b", "", "does not occur"),
            ("a", "", "x", "is empty"),
            ("a", "a", "a", "are the same"),
        ] {
            let said = refusal(text, &[edit(old, new, false)], false);
            assert!(said.contains(reason), "{said}");
        }
        assert!(refusal("a", &[], false).contains("`edits` is empty"));
    }

    #[test]
    fn several_edits_are_all_made_or_none() {
        let (first, second) = (edit("a", "x", false), edit("x b", "y", false));
        assert_eq!(apply("a b", &[first.clone(), second], false), to("y", 2));
        let said = refusal("a b", &[first, edit("c", "d", false)], false);
        assert!(said.starts_with("edit 2: ") && said.contains("None of the edits"), "{said}");
    }

    #[test]
    fn error_shows_the_nearest_lines_with_numbers() {
        let text = "fn one() {\n    let due = day + 14;\n    due\n}\n";
        let said = refusal(text, &[edit("let due = day + 7;", "", false)], false);
        assert!(
            said.ends_with("are:\n1: fn one() {\n2:     let due = day + 14;\n3:     due"),
            "{said}"
        );
        let said = refusal("a\nb\na\n", &[edit("a", "c", false)], false);
        assert!(said.ends_with("here:\n1: a\n3: a"), "{said}");
        let said = refusal(text, &[edit("other", "c", false)], false);
        assert!(said.ends_with("read the file again"), "{said}");
    }

    #[test]
    fn resumed_edits_are_not_made_twice() {
        let edits = [
            edit("import x;", "import x;\nimport y;", false),
            edit("import y;", "import z;", false),
        ];
        let EditOutcome::To { text, .. } = apply("import x;\n", &edits, false) else { panic!() };
        assert_eq!(text, "import x;\nimport z;\n");
        assert!(refusal(&text, &edits, true).contains("interrupted by a restart"));
        assert_eq!(apply("import x;\n", &edits, true), to(&text, 2));
        let apart = [edit("a", "b", false), edit("c", "d", false)];
        assert_eq!(apply("b d", &apart, true), EditOutcome::Already);
    }

    proptest! {
        #[test]
        fn edit_that_was_made_is_not_repeated(
            text in "[abc\n]{0,12}", old in "[abc]{1,3}", new in "[abcx]{0,4}", all: bool
        ) {
            let edits = [edit(&old, &new, all)];
            if let EditOutcome::To { text, .. } = apply(&text, &edits, false)
                && (new.contains(&old) || !text.contains(&old))
                && !text.replace(&new, "\n").contains(&old)
            {
                prop_assert_eq!(apply(&text, &edits, true), EditOutcome::Already);
            }
        }
    }
}
