//! Word-level differences between removed and added lines.

use similar::{ChangeTag, TextDiff};

use super::types::Span;

/// Below this similarity, lines are shown as rewritten, without marked words.
const MIN_SIMILARITY_RATIO: f32 = 0.4;
/// Limits the time of one comparison.
const MAX_WORDS: usize = 4_000;
const LINE_END: &str = "\n";

/// The spans of each old and each new line.
pub(crate) fn compare(old: &[&str], new: &[&str]) -> (Vec<Vec<Span>>, Vec<Vec<Span>>) {
    let (old_words, new_words) = (words_of(old), words_of(new));
    let plain = |lines: &[&str]| lines.iter().map(|line| whole(line)).collect();
    if old.is_empty() || new.is_empty() || old_words.len() + new_words.len() > MAX_WORDS {
        return (plain(old), plain(new));
    }
    let diff = TextDiff::configure().diff_slices(&old_words, &new_words);
    if diff.ratio() < MIN_SIMILARITY_RATIO {
        return (plain(old), plain(new));
    }
    let (mut before, mut after) = (Lines::new(), Lines::new());
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => {
                before.push(change.value(), false);
                after.push(change.value(), false);
            }
            ChangeTag::Delete => before.push(change.value(), true),
            ChangeTag::Insert => after.push(change.value(), true),
        }
    }
    (before.0, after.0)
}

/// A line without marked words.
pub(crate) fn whole(line: &str) -> Vec<Span> {
    match line {
        "" => Vec::new(),
        _ => vec![Span { text: line.to_owned(), changed: false }],
    }
}

struct Lines(Vec<Vec<Span>>);

impl Lines {
    fn new() -> Self {
        Lines(vec![Vec::new()])
    }

    fn push(&mut self, word: &str, changed: bool) {
        if word == LINE_END {
            self.0.push(Vec::new());
            return;
        }
        let Some(line) = self.0.last_mut() else { return };
        match line.last_mut() {
            Some(span) if span.changed == changed => span.text.push_str(word),
            _ => line.push(Span { text: word.to_owned(), changed }),
        }
    }
}

/// Identifiers and numbers, runs of blanks, single other characters, and line ends between lines.
fn words_of<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut words = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            words.push(LINE_END);
        }
        let mut start = 0;
        let mut last = None;
        for (position, character) in line.char_indices() {
            let kind = kind_of(character);
            if position > start && (last != Some(kind) || kind == Kind::Other) {
                words.push(&line[start..position]);
                start = position;
            }
            last = Some(kind);
        }
        if start < line.len() {
            words.push(&line[start..]);
        }
    }
    words
}

#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Word,
    Blank,
    Other,
}

fn kind_of(character: char) -> Kind {
    match character {
        c if c.is_alphanumeric() || c == '_' => Kind::Word,
        c if c.is_whitespace() => Kind::Blank,
        _ => Kind::Other,
    }
}
