//! The text of words: quotes, wildcards and expansions.

use crate::permission::pattern::HOLE;

#[derive(Clone, Copy)]
pub(super) enum Quotes {
    None,
    Double,
    Heredoc,
}

#[derive(Default)]
pub(super) struct Word {
    pub(super) text: String,
    has_brace: bool,
    /// It has a brace expansion.
    pub(super) is_several: bool,
}

impl Word {
    pub(super) fn unquoted(&mut self, c: char) {
        self.has_brace |= c == '{';
        let separates = c == ',' || (c == '.' && self.text.ends_with('.'));
        self.is_several |= self.has_brace && separates;
        self.text.push(c);
    }
}

pub(super) fn is_expansion(next: char) -> bool {
    next.is_ascii_alphanumeric()
        || matches!(next, '_' | '(' | '{' | '@' | '*' | '#' | '?' | '$' | '!' | '-')
}

pub(super) fn unquoted<'t>(text: &'t str, quote: &str) -> &'t str {
    text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)).unwrap_or_default()
}

/// Whether a `[` before this character starts a wildcard. Alone it is a command.
pub(super) fn is_pattern(next: Option<char>) -> bool {
    !matches!(next, None | Some(' ' | '\t' | '\n' | '['))
}

/// `$((1 + 2))`, and not `$((a) | (b))`, which is a substitution with subshells.
pub(super) fn is_plain_arithmetic(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("$((").and_then(|rest| rest.strip_suffix("))")) else {
        return false;
    };
    let mut open = 0_i32;
    let is_balanced = inner.chars().all(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open >= 0
    });
    is_balanced
        && open == 0
        && !inner.contains(['`', '\'', '"', '\\', '\n', ';'])
        && !inner.contains("$(")
}

/// A word without the structure of its expansions and wildcards.
pub(super) fn with_holes(word: &str) -> String {
    if word.contains('{') && (word.contains(',') || word.contains("..")) {
        return HOLE.to_string();
    }
    let mut pieces = word.split('$');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        text.push(if piece.is_empty() { '$' } else { HOLE });
        text.push_str(rest);
    }
    let is_test = matches!(word, "[" | "[[");
    text.chars()
        .map(|c| if matches!(c, '*' | '?') || (c == '[' && !is_test) { HOLE } else { c })
        .collect()
}
