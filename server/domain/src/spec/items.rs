//! Labels, priorities and titles in the text of items and headings.

use std::sync::LazyLock;

use regex::Regex;

use crate::requirements::Priority;

/// Texts of one line are shortened to this, in characters.
const MAX_TEXT: usize = 300;

/// Nesting of lists and quotes.
const MAX_DEPTH: usize = 100;

/// In one line, without checkboxes and emoji at its start, shortened.
pub(super) fn one_line(text: &str) -> String {
    const MARKS: &str = "✅❌☐☑✓✔✗✘⬜🔲⚠️🟢🔴🟡⭐🎯🚀📝•·\u{fe0f}";
    let mut words = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    let is_mark = |c: char| c.is_whitespace() || (!c.is_ascii() && MARKS.contains(c));
    let text = words.trim_start_matches(is_mark);
    let text = ["[ ] ", "[x] ", "[X] "].iter().find_map(|it| text.strip_prefix(it)).unwrap_or(text);
    let text = text.trim_start_matches(is_mark).trim();
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Splits `**Name:** rest`, with the colon inside or outside, or missing at the end.
pub(super) fn emphasised(line: &str) -> Option<(&str, &str)> {
    let marker = ["***", "**", "__", "*", "_"].into_iter().find(|it| line.starts_with(it))?;
    let (name, rest) = line[marker.len()..].split_once(marker)?;
    let (name, rest) = (name.trim(), rest.trim_start());
    if let Some(name) = name.strip_suffix([':', '：']) {
        return Some((name, rest));
    }
    match rest {
        "" => Some((name, "")),
        rest => Some((name, rest.strip_prefix([':', '：'])?.trim_start())),
    }
}

/// The label that an item or heading begins with, and the text after it: `FR-001`, `AC-2`, `US1`,
/// `Requirement 3`, `User Story 1`, `1.2`.
pub(super) fn label(text: &str) -> Option<(String, String)> {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^[*_`\[(]*((?:[A-Z]{1,5}[-_]?\d{1,4}(?:[.-]\d{1,3}){0,2})|(?i:requirement|user story|story|feature|criterion|scenario|anforderung|exigence|requisito|требование|需求|要件)\s*\d+(?:\.\d+)?)[\])*_`]*\s*(?:[:：.)|—–-]+|\(|\*\*|$|\s)[*_`]*\s*(.*)$",
        )
        .expect("it is a literal")
    });
    let found = LABEL.captures(text)?;
    if !is_label(&found[1], text, found.get(1)?.end()) {
        return None;
    }
    let rest = found[2].trim_matches(['*', '_']).trim();
    let opened = text[..found.get(2)?.start()].trim_end().ends_with('(');
    let rest = if opened { format!("({rest}") } else { rest.to_owned() };
    Some((normal_label(&found[1]), rest))
}

/// Whether letters with a number are a label, and not a name such as UTF-8: they are well known, set off
/// from the text, or followed by a colon.
fn is_label(label: &str, text: &str, end: usize) -> bool {
    const KNOWN: [&str; 14] =
        ["FR", "NFR", "US", "AC", "SC", "REQ", "R", "UC", "TC", "Q", "BR", "GR", "EC", "PC"];
    let letters: String = label.chars().take_while(char::is_ascii_uppercase).collect();
    let after = text[end..].trim_start_matches(['*', '_', '`', ']', ')']);
    let is_word =
        label.contains(' ') || letters.is_empty() || label.starts_with(|c: char| c.is_lowercase());
    is_word
        || KNOWN.contains(&letters.as_str())
        || (label.contains('-')
            && (text.starts_with(['*', '[', '`']) || after.starts_with([':', '：'])))
}

/// `Requirement 3` and `User Story 3` as `3` and `US3`.
fn normal_label(label: &str) -> String {
    let lower = label.to_lowercase();
    let number: String = lower.chars().skip_while(|c| !c.is_ascii_digit()).collect();
    if lower.contains("story") {
        format!("US{number}")
    } else if label.contains(' ') || !label.is_ascii() {
        number
    } else {
        label.to_owned()
    }
}

/// All labels in a text that requirements can have: `FR-1`, `NFR-2`, `US3`, `R-7`.
pub(super) fn labels_in(text: &str) -> impl Iterator<Item = String> {
    static LABELS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:[A-Z]{1,5}-\d{1,4}(?:\.\d{1,3})?|US-?\d{1,3})\b")
            .expect("it is a literal")
    });
    LABELS.find_iter(text).map(|found| found.as_str().to_owned())
}

/// Numbers of requirements in `_Requirements: 1.1, 2.3_`.
pub(super) fn requirement_references(text: &str) -> Vec<String> {
    let text = text.trim_matches(['_', '*', ' ']);
    let lower = text.to_lowercase();
    let after = ["requirements:", "requirement:"].iter().find(|it| lower.starts_with(*it));
    let Some(after) = after.and_then(|it| text.get(it.len()..)) else { return Vec::new() };
    let parts = after.split([',', ';', ' ', '_', '*']).map(str::trim);
    let is_number = |part: &&str| part.starts_with(|c: char| c.is_ascii_digit());
    parts.filter(is_number).map(|part| part.trim_end_matches('.').to_owned()).collect()
}

/// The priority that a text states; `must` if it states none.
pub(super) fn priority(text: &str) -> Priority {
    static OPTIONAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)\b(?:priority:?\s*\**\s*(?:P[2-9]|low|medium|should|could)|\(P[2-9]\)|\[P[2-9]\]|nice[- ]to[- ]have|optional(?:ly)?|if time permits|could have|should have|stretch goal)\b|^\W*(?:should|could|may)\b\W*:|[(\[]P[2-9][)\]]|[(\[](?:should|could|may|optional)[)\],]",
        )
        .expect("it is a literal")
    });
    static SHOULD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b(?:SHOULD|MAY|should|could)\b").expect("it is a literal"));
    static MUST: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)\b(?:must|shall|required)\b").expect("it is a literal"));
    let is_should = OPTIONAL.is_match(text) || (SHOULD.is_match(text) && !MUST.is_match(text));
    if is_should { Priority::Should } else { Priority::Must }
}

/// A step of a plan without the numbers and marks of task lists: `T001 [P] [US1]`, `2.1`.
pub(super) fn step(text: &str) -> String {
    static MARKS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\**(?:T\d{1,4}|\d{1,3}(?:\.\d{1,3})*\.?)\**:?\s+(?:\[P\]\s*)?(?:\[[A-Z]{1,3}\d{1,3}\]\s*)?")
            .expect("it is a literal")
    });
    let text = one_line(text);
    MARKS.replace(&text, "").into_owned()
}

/// The labels in brackets of a task: `US1` in `T012 [P] [US1] …`.
pub(super) fn story_of(text: &str) -> Option<String> {
    static STORY: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\[(US\d{1,3})\]").expect("it is a literal"));
    STORY.captures(text).map(|found| found[1].to_owned())
}

/// The first line that is nested more deeply than a person would write.
pub(super) fn too_deep(markdown: &str) -> Option<usize> {
    markdown.lines().position(|line| depth(line) > MAX_DEPTH).map(|at| at + 1)
}

/// Quotes and lists that a line opens or is indented for.
fn depth(line: &str) -> usize {
    let mut half_depths = 0;
    let mut bytes = line.bytes().peekable();
    while let Some(byte) = bytes.next() {
        half_depths += match byte {
            b' ' => 1,
            b'\t' => 4,
            b'>' => 2,
            b'-' | b'+' | b'*' | b'.' | b')'
                if bytes.peek().is_none_or(|next| matches!(next, b' ' | b'\t')) =>
            {
                2
            }
            b'0'..=b'9' => 0,
            _ => break,
        };
    }
    half_depths / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_split_from_the_text() {
        for (text, label_, rest) in [
            ("**FR-001**: System MUST sort", "FR-001", "System MUST sort"),
            ("FR-1: Reading", "FR-1", "Reading"),
            ("Requirement 3: Sorting", "3", "Sorting"),
            ("User Story 1 - Sort (Priority: P1)", "US1", "Sort (Priority: P1)"),
            ("AC-2 it sorts", "AC-2", "it sorts"),
            ("Requirement 4", "4", ""),
            ("R-7 (must, stated) It sorts", "R-7", "(must, stated) It sorts"),
        ] {
            let found = label(text);
            assert_eq!(found, Some((label_.to_owned(), rest.to_owned())), "{text}");
        }
        assert_eq!(label("It sorts"), None);
        for name in ["HTTP 200 is returned", "UTF-8 is used", "SHA256 is used", "(P2) Sort"] {
            assert_eq!(label(name), None, "{name}");
        }
    }

    #[test]
    fn priorities_are_recognised() {
        for (text, priority_) in [
            ("System MUST sort", Priority::Must),
            ("It sorts", Priority::Must),
            ("System SHOULD sort", Priority::Should),
            ("Sort (Priority: P1)", Priority::Must),
            ("Sort (Priority: P3)", Priority::Should),
            ("(should) Sort", Priority::Should),
            ("Nice to have: sorting", Priority::Should),
            ("Should: sort by date", Priority::Should),
            ("It should sort, and must be fast", Priority::Must),
        ] {
            assert_eq!(priority(text), priority_, "{text}");
        }
    }

    #[test]
    fn steps_lose_the_marks_of_task_lists() {
        for (text, expected) in [
            ("T012 [P] [US1] Create the model in src/a.py", "Create the model in src/a.py"),
            ("2.1 Write it", "Write it"),
            ("[x] 3. Write it", "Write it"),
            ("✅ Write it", "Write it"),
        ] {
            assert_eq!(step(text), expected);
        }
        assert_eq!(requirement_references("_Requirements: 1.1, 2.3_"), ["1.1", "2.3"]);
    }

    #[test]
    fn deep_nesting_is_found() {
        assert_eq!(too_deep("- a\n    - b\n"), None);
        assert_eq!(too_deep(&format!("a\n{}x", "> ".repeat(1000))), Some(2));
        assert_eq!(too_deep(&format!("{}x", ">".repeat(1000))), Some(1));
    }
}
