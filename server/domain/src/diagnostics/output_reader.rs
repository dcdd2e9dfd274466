//! A tool's output as lines that can be read: no colours, one kind of line end, and paths from the
//! project's root on.

use std::ops::Range;

use super::source_location::{self, SourceLocation};

/// Bytes of a line that are looked at.
const MAX_LINE_BYTES: usize = 2_000;
/// Bytes after which a control string that has no end is let go.
const MAX_CONTROL_BYTES: usize = 300;

/// The lines.
#[derive(Debug)]
pub struct OutputReader {
    text: String,
    lines: Vec<Range<usize>>,
    /// For each line, whether a reader has understood it.
    taken: Vec<bool>,
}

impl OutputReader {
    /// Cleans what a tool printed in the folder `root` (empty: unknown).
    pub fn new(output: &str, root: &str) -> Self {
        let text = without_root(&without_controls(output), root);
        let mut lines = Vec::new();
        let mut from = 0;
        for line in text.split('\n') {
            let end = text.floor_char_boundary(from + line.len().min(MAX_LINE_BYTES));
            lines.push(from..end);
            from += line.len() + 1;
        }
        if lines.last().is_some_and(Range::is_empty) {
            lines.pop();
        }
        let taken = vec![false; lines.len()];
        Self { text, lines, taken }
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line; an empty one behind the last.
    pub fn line(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |range| &self.text[range.clone()])
    }

    /// The lines of a range with their numbers.
    pub fn within(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        (range.start..range.end.min(self.len())).map(|at| (at, self.line(at)))
    }

    /// All lines that no reader has understood, with their numbers.
    pub fn free(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        self.within(0..self.len()).filter(|(at, _)| self.is_free(*at))
    }

    /// Whether no reader has understood this line.
    pub fn is_free(&self, at: usize) -> bool {
        self.taken.get(at) == Some(&false)
    }

    /// These lines are understood.
    pub fn take(&mut self, range: Range<usize>) {
        let end = range.end.min(self.taken.len());
        if let Some(taken) = self.taken.get_mut(range.start..end) {
            taken.fill(true);
        }
    }

    /// The location that a line begins with, and the rest of the line.
    pub fn located(&self, at: usize) -> Option<(SourceLocation, &str)> {
        source_location::leading(self.line(at))
    }

    /// The first line from `from` on, before `to`, for which `ends` holds; else `to`.
    pub fn until(&self, from: usize, to: usize, ends: impl Fn(usize, &str) -> bool) -> usize {
        self.within(from..to).find(|(at, line)| ends(*at, line)).map_or(to.min(self.len()), |e| e.0)
    }
}

/// Without colours and other controls; every kind of line end is a newline.
fn without_controls(output: &str) -> String {
    let mut clean = String::with_capacity(output.len());
    let mut characters = output.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\x1b' => skip_control(&mut characters),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => clean.push('\n'),
            '\n' | '\t' => clean.push(character),
            _ if character.is_control() => {}
            _ => clean.push(character),
        }
    }
    clean
}

fn skip_control(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let Some(kind) = characters.next_if(|c| *c != '\n') else { return };
    match kind {
        '[' => {
            for _ in 0..MAX_CONTROL_BYTES {
                match characters.next_if(|c| *c != '\n' && *c != '\x1b') {
                    Some('\x40'..='\x7e') | None => return,
                    Some(_) => {}
                }
            }
        }
        ']' => {
            for _ in 0..MAX_CONTROL_BYTES {
                match characters.next_if(|c| *c != '\n') {
                    Some('\x07' | '\x1b') | None => break,
                    Some(_) => {}
                }
            }
            characters.next_if_eq(&'\\');
        }
        '(' | ')' | '#' => {
            characters.next_if(|c| *c != '\n');
        }
        _ => {}
    }
}

/// Without the absolute path of the project's folder before paths in it.
fn without_root(text: &str, root: &str) -> String {
    let root = root.trim_end_matches('/');
    if root.len() < 2 {
        return text.to_owned();
    }
    let named = |text: &str| {
        let text = text.trim_start_matches('.');
        text.starts_with(|c: char| c.is_alphanumeric() || "_-".contains(c))
    };
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices(root) {
        let behind = &text[at + root.len()..];
        if named(behind) || clean_end(&text[from..at]).is_none() {
            continue;
        }
        clean.push_str(clean_end(&text[from..at]).unwrap_or_default());
        from = at + root.len();
        match behind.strip_prefix('/') {
            Some(path) if named(path) => from += 1,
            _ => clean.push('.'),
        }
    }
    clean.push_str(&text[from..]);
    clean
}

/// What stands before a root, without what may belong to it; `None` where a longer path ends in it.
fn clean_end(before: &str) -> Option<&str> {
    for prefix in ["file://", "/private"] {
        if let Some(rest) = before.strip_suffix(prefix) {
            return Some(rest);
        }
    }
    let part = |c: char| c.is_alphanumeric() || "_.-/\\".contains(c);
    (!before.ends_with(part)).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(output: &str) -> Vec<String> {
        let reader = OutputReader::new(output, "/work/tree");
        reader.free().map(|(_, line)| line.to_owned()).collect()
    }

    #[test]
    fn lines_have_no_colours_and_one_end() {
        let output =
            "\x1b[31mred\x1b[0m\r\n10%\r20%\r\x1b]8;;file:///x\x07link\x1b]8;;\x1b\\\x1b(B.\x08";
        assert_eq!(lines(output), ["red", "10%", "20%", "link."]);
        assert_eq!(lines("\x1b[1"), ["" as &str; 0]);
        assert_eq!(lines("\x1b]never ends\nnext"), ["", "next"]);
        assert_eq!(lines("a\n\nb\n"), ["a", "", "b"]);
    }

    #[test]
    fn paths_begin_at_the_root() {
        for (line, expected) in [
            ("/work/tree/src/a.js:1", "src/a.js:1"),
            ("at file:///work/tree/a.js:1:2", "at a.js:1:2"),
            ("in /private/work/tree/a.js", "in a.js"),
            ("('/work/tree/a.js')", "('a.js')"),
            ("in /work/tree", "in ."),
            ("it is not in /work/tree.", "it is not in .."),
            ("/work/tree.old/a.js", "/work/tree.old/a.js"),
            ("/work/tree/.config/a", ".config/a"),
            ("in /work/tree/", "in ./"),
            ("in /work/trees/a.js", "in /work/trees/a.js"),
            ("in /home/work/tree/a.js", "in /home/work/tree/a.js"),
        ] {
            assert_eq!(lines(line), [expected]);
        }
        assert_eq!(OutputReader::new("a/b", "").line(0), "a/b");
    }

    #[test]
    fn long_lines_are_looked_at_in_part() {
        let reader = OutputReader::new(&"ä".repeat(5_000), "");
        assert_eq!(reader.line(0).len(), MAX_LINE_BYTES);
        assert_eq!(reader.line(7), "");
    }
}
