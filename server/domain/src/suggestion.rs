//! Suggested edits in review comments: code blocks with the language `suggestion`, which replace the
//! lines that the comment is on.

use std::ops::Range;

const LANGUAGE: &str = "suggestion";
const MIN_FENCE_LENGTH: usize = 3;

/// Lines of a file, and the text that replaces them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEdit<'a> {
    /// From 1.
    pub first_line: u32,
    /// Equal to the first for a single line.
    pub last_line: u32,
    /// Any number of lines without the last newline; empty to remove the lines.
    pub text: &'a str,
}

impl LineEdit<'_> {
    /// Whether both edits replace one of the lines.
    pub fn overlaps(&self, other: &LineEdit<'_>) -> bool {
        self.first_line <= other.last_line && other.first_line <= self.last_line
    }

    /// The range of its lines, counted from 0; `None` if there is no such range.
    fn range(&self) -> Option<Range<usize>> {
        let first = usize::try_from(self.first_line).ok()?.checked_sub(1)?;
        let end = usize::try_from(self.last_line).ok()?;
        (first < end).then_some(first..end)
    }
}

/// The first suggested edit of a comment. Empty if it suggests removing the lines.
pub fn suggestion_in(comment: &str) -> Option<String> {
    let mut lines = comment.lines();
    let fence = lines.by_ref().find_map(opening_fence)?;
    let mut suggested = Vec::new();
    for line in lines {
        let end = line.trim();
        if end.len() >= fence && end.bytes().all(|byte| byte == b'`') {
            return Some(suggested.join("\n"));
        }
        suggested.push(line);
    }
    None
}

/// The length of the fence that opens a suggestion.
fn opening_fence(line: &str) -> Option<usize> {
    let line = line.trim();
    let language = line.trim_start_matches('`');
    let length = line.len() - language.len();
    (length >= MIN_FENCE_LENGTH && language.trim() == LANGUAGE).then_some(length)
}

/// A file with these edits, which keep its line endings; `None` if two overlap, or a line does not
/// exist.
pub fn apply_suggestions(content: &str, edits: &[LineEdit<'_>]) -> Option<String> {
    let mut lines: Vec<String> = content.split_inclusive('\n').map(str::to_owned).collect();
    let mut sorted = edits.to_vec();
    sorted.sort_by_key(|edit| edit.first_line);
    if sorted.windows(2).any(|pair| pair[0].overlaps(&pair[1])) {
        return None;
    }
    for edit in sorted {
        let replaced = lines.get_mut(edit.range()?)?;
        let (last, others) = replaced.split_last_mut()?;
        let text = last.trim_end_matches('\n');
        let ending = last[text.trim_end_matches('\r').len()..].to_owned();
        let between = if ending.starts_with('\r') { "\r\n" } else { "\n" };
        *last = match edit.text {
            "" => String::new(),
            text => format!("{}{ending}", text.replace("\r\n", "\n").replace('\n', between)),
        };
        others.iter_mut().for_each(String::clear);
    }
    Some(lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestion_is_the_content_of_the_first_block() {
        let cases = [
            ("No block", None),
            ("```js\na\n```", None),
            ("Shorter:\n```suggestion\na();\n  b();\n```\nThanks", Some("a();\n  b();")),
            ("```suggestion\n```", Some("")),
            ("```suggestion\nnever closed", None),
            ("````suggestion\n```\n````", Some("```")),
            ("``` suggestion \r\na\r\n```\r\n", Some("a")),
            ("```suggestions\na\n```", None),
            ("```suggestion\na\n```\n```suggestion\nb\n```", Some("a")),
        ];
        for (comment, expected) in cases {
            assert_eq!(suggestion_in(comment).as_deref(), expected, "{comment:?}");
        }
    }

    #[test]
    fn edits_replace_lines_and_keep_line_endings() {
        let edits = |first_line, last_line, text| LineEdit { first_line, last_line, text };
        let edit = |line, text| edits(line, line, text);
        let cases = [
            ("a\nb\nc\n", vec![edit(2, "x")], Some("a\nx\nc\n")),
            ("a\nb\nc\n", vec![edit(3, "z"), edit(1, "x\ny")], Some("x\ny\nb\nz\n")),
            ("a\nb", vec![edit(2, "x\ny")], Some("a\nx\ny")),
            ("a\r\nb\r\n", vec![edit(1, "x\ny")], Some("x\r\ny\r\nb\r\n")),
            ("a\nb\nc\n", vec![edit(2, "")], Some("a\nc\n")),
            ("a\n", vec![edit(2, "x")], None),
            ("a\n", vec![edit(0, "x")], None),
            ("a\nb\n", vec![edit(1, "x"), edit(1, "y")], None),
            ("a\nb\nc\nd\n", vec![edits(2, 3, "x")], Some("a\nx\nd\n")),
            ("a\nb\nc\nd\n", vec![edits(3, 4, ""), edits(1, 2, "x\ny\nz")], Some("x\ny\nz\n")),
            ("a\r\nb\r\nc", vec![edits(2, 3, "x\ny")], Some("a\r\nx\ny")),
            ("a\nb\n", vec![edits(2, 3, "x")], None),
            ("a\nb\n", vec![edits(2, 1, "x")], None),
            ("a\nb\nc\n", vec![edits(1, 2, "x"), edits(2, 3, "y")], None),
        ];
        for (content, edits, expected) in cases {
            let found = apply_suggestions(content, &edits);
            assert_eq!(found.as_deref(), expected, "{content:?} {edits:?}");
        }
    }
}
