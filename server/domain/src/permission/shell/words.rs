//! The words of a command, with holes for expansions.

use std::ops::Range;

use tree_sitter::Node;

use super::{
    reader::{MAX_TREE_DEPTH, Reader, children, read_nested},
    text::{Quotes, Word, is_expansion, is_pattern, is_plain_arithmetic, unquoted},
};
use crate::permission::pattern::HOLE;

impl Reader<'_> {
    pub(super) fn word(&mut self, node: Node<'_>) -> String {
        let mut word = Word::default();
        self.piece(node, &mut word);
        // `{a,b}` is several words, which are not worked out.
        if word.is_several { HOLE.to_string() } else { word.text }
    }

    /// Adds the value of a node, which may be a part of a word.
    fn piece(&mut self, node: Node<'_>, word: &mut Word) {
        if self.tree_depth > MAX_TREE_DEPTH {
            return self.every_word_sequence(self.text(node));
        }
        self.tree_depth += 1;
        let text = self.text(node);
        match node.kind() {
            "string" => {
                let inner = node.start_byte() + 1..node.end_byte() - 1;
                self.pieces_within(node, inner, Quotes::Double, word);
            }
            "raw_string" => word.text.push_str(unquoted(text, "'")),
            "command_substitution" if text.starts_with('`') => self.backticks(text, word),
            "command_substitution" | "process_substitution" => {
                self.nested(node, &[]);
                word.text.push(HOLE);
            }
            "simple_expansion" => {
                word.text.push(HOLE);
                if !text.chars().skip(1).all(is_expansion) {
                    self.every_word_sequence(text);
                }
            }
            "expansion" => {
                word.text.push(HOLE);
                let inner = text.strip_prefix("${").and_then(|inner| inner.strip_suffix('}'));
                let special = ['$', '`', '\'', '"', '\\', '{', '}', '\n', '(', '<', '>'];
                if inner.is_none_or(|inner| inner.contains(special)) {
                    self.every_word_sequence(text);
                }
            }
            "arithmetic_expansion" => {
                word.text.push(HOLE);
                if !is_plain_arithmetic(text) {
                    self.every_word_sequence(text);
                }
            }
            // Shells disagree about `$'…'` and `$"…"`.
            "ansi_c_string" | "translated_string" => {
                word.text.push(HOLE);
                self.every_word_sequence(text);
            }
            "variable_assignment" => {
                if text.contains(['(', '[']) && !text.contains("$(") {
                    self.uncertain();
                }
                self.pieces(node, Quotes::None, word);
            }
            "command_name"
            | "concatenation"
            | "number"
            | "word"
            | "variable_name"
            | "brace_expression"
            | "test_operator"
            | "special_variable_name" => {
                self.pieces(node, Quotes::None, word);
            }
            _ if node.child_count() == 0 && !node.is_named() => {
                self.literal(node.byte_range(), Quotes::None, word)
            }
            _ => {
                word.text.push(HOLE);
                self.every_word_sequence(text);
            }
        }
        self.tree_depth -= 1;
    }

    pub(super) fn pieces(&mut self, node: Node<'_>, quotes: Quotes, word: &mut Word) {
        self.pieces_within(node, node.byte_range(), quotes, word);
    }

    /// The literal text of a node and, between it, its children that are more than text.
    fn pieces_within(
        &mut self,
        node: Node<'_>,
        range: Range<usize>,
        quotes: Quotes,
        word: &mut Word,
    ) {
        let mut end = range.start;
        let is_text = |child: &Node<'_>| {
            matches!(child.kind(), "string_content" | "heredoc_content") || !child.is_named()
        };
        for child in children(node).filter(|child| !is_text(child)) {
            self.literal(end..child.start_byte(), quotes, word);
            self.piece(child, word);
            end = child.end_byte();
        }
        self.literal(end..range.end, quotes, word);
    }

    /// Text without expansions. An expansion here is one that the grammar has missed.
    fn literal(&mut self, range: Range<usize>, quotes: Quotes, word: &mut Word) {
        let following = self.source.get(range.end..).and_then(|rest| rest.chars().next());
        let text = self.source.get(range).unwrap_or_default();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, quotes) {
                ('\\', Quotes::None) => match chars.next() {
                    Some('\n') => {}
                    Some(escaped) => word.text.push(escaped),
                    None => self.uncertain(),
                },
                ('\\', _) if matches!(chars.peek(), Some('$' | '`' | '"' | '\\' | '\n')) => {
                    word.text.extend(chars.next().filter(|escaped| *escaped != '\n'));
                }
                ('`', _) => self.every_word_sequence(text),
                ('$', _) if chars.peek().is_some_and(|next| is_expansion(*next)) => {
                    self.every_word_sequence(text);
                }
                ('$', Quotes::None) if matches!(following, Some('\'' | '"')) => {
                    word.text.push(HOLE);
                    self.uncertain();
                }
                (
                    ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' | '\'' | '"',
                    Quotes::None,
                ) => {
                    self.every_word_sequence(text);
                }
                ('*' | '?', Quotes::None) => word.text.push(HOLE),
                ('[', Quotes::None) if is_pattern(chars.peek().copied().or(following)) => {
                    word.text.push(HOLE);
                }
                (c, Quotes::None) => word.unquoted(c),
                (c, _) => word.text.push(c),
            }
        }
    }

    fn backticks(&mut self, text: &str, word: &mut Word) {
        let mut inner = String::new();
        let mut chars = unquoted(text, "`").chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if matches!(chars.peek(), Some('$' | '`' | '\\')) => {
                    inner.extend(chars.next())
                }
                // The grammar ends the substitution later than shells do.
                '`' => self.every_word_sequence(text),
                c => inner.push(c),
            }
        }
        let nested = read_nested(&inner, self.depth + 1);
        self.script.is_uncertain |= nested.is_uncertain;
        nested.commands.into_iter().for_each(|words| self.command(words));
        word.text.push(HOLE);
    }
}
