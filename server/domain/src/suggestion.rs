//! Suggested edits in review comments: code blocks with the language `suggestion`, which replace the
//! line that the comment is on.

const LANGUAGE: &str = "suggestion";
const MIN_FENCE_LENGTH: usize = 3;

/// A line of a file, and the text that replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEdit<'a> {
    /// From 1.
    pub line: u32,
    /// Any number of lines without the last newline; empty to remove the line.
    pub text: &'a str,
}

/// The first suggested edit of a comment. Empty if it suggests removing the line.
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

/// A file with these edits, which keep its line endings; `None` if two are on the same line, or a
/// line does not exist.
pub fn apply_suggestions(content: &str, edits: &[LineEdit<'_>]) -> Option<String> {
    let mut lines: Vec<String> = content.split_inclusive('\n').map(str::to_owned).collect();
    let mut sorted = edits.to_vec();
    sorted.sort_by_key(|edit| edit.line);
    if sorted.windows(2).any(|pair| pair[0].line == pair[1].line) {
        return None;
    }
    for edit in sorted {
        let line = lines.get_mut(usize::try_from(edit.line).ok()?.checked_sub(1)?)?;
        let text = line.trim_end_matches('\n');
        let ending = line[text.trim_end_matches('\r').len()..].to_owned();
        let between = if ending.starts_with('\r') { "\r\n" } else { "\n" };
        *line = match edit.text {
            "" => String::new(),
            text => format!("{}{ending}", text.replace("\r\n", "\n").replace('\n', between)),
        };
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
        let edit = |line, text| LineEdit { line, text };
        let cases = [
            ("a\nb\nc\n", vec![edit(2, "x")], Some("a\nx\nc\n")),
            ("a\nb\nc\n", vec![edit(3, "z"), edit(1, "x\ny")], Some("x\ny\nb\nz\n")),
            ("a\nb", vec![edit(2, "x\ny")], Some("a\nx\ny")),
            ("a\r\nb\r\n", vec![edit(1, "x\ny")], Some("x\r\ny\r\nb\r\n")),
            ("a\nb\nc\n", vec![edit(2, "")], Some("a\nc\n")),
            ("a\n", vec![edit(2, "x")], None),
            ("a\n", vec![edit(0, "x")], None),
            ("a\nb\n", vec![edit(1, "x"), edit(1, "y")], None),
        ];
        for (content, edits, expected) in cases {
            let found = apply_suggestions(content, &edits);
            assert_eq!(found.as_deref(), expected, "{content:?} {edits:?}");
        }
    }
}
