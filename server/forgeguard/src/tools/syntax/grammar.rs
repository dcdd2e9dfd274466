//! Syntax errors of code, found by tree-sitter grammars.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Point, Tree};

use super::syntax_error::SyntaxError;

/// For texts that are constructed to be slow to parse.
const PARSE_TIMEOUT: Duration = Duration::from_secs(3);
/// Size limit of an excerpt in a reason, in characters.
const MAX_EXCERPT_CHARS: usize = 40;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// The first errors; none if it parses.
    Complete(Vec<SyntaxError>),
    /// It took too long.
    TimedOut,
}

/// The first `limit` errors, at most one per line.
pub(super) fn read(language: &Language, text: &str, limit: usize) -> Reading {
    match parse(language, text) {
        Some(tree) => Reading::Complete(syntax_errors(tree.root_node(), text, limit)),
        None => Reading::TimedOut,
    }
}

/// `None` if it took too long.
pub(super) fn parse(language: &Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let end = Instant::now() + PARSE_TIMEOUT;
    let mut in_time = |_: &ParseState| match Instant::now() < end {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let mut rest = |offset: usize, _: Point| text.as_bytes().get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut rest, None, Some(options))
}

/// Not recursive, because the depth of the tree is not limited.
fn syntax_errors(root: Node<'_>, text: &str, limit: usize) -> Vec<SyntaxError> {
    let mut found: Vec<SyntaxError> = Vec::new();
    let mut cursor = root.walk();
    while found.len() < limit {
        let node = cursor.node();
        if has_error_at(node) {
            if has_child_with_error(node) && cursor.goto_first_child() {
                continue;
            }
            let error = syntax_error(node, text);
            if found.last().is_none_or(|last| last.line != error.line) {
                found.push(error);
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
    found
}

fn has_error_at(node: Node<'_>) -> bool {
    node.is_missing() || node.has_error()
}

fn has_child_with_error(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(has_error_at)
}

fn syntax_error(node: Node<'_>, text: &str) -> SyntaxError {
    let Point { row, column } = node.start_position();
    let line_start = node.start_byte() - column;
    let before = text.get(line_start..node.start_byte()).unwrap_or_default();
    let near = text.get(node.byte_range()).unwrap_or_default();
    let near: String =
        near.lines().next().unwrap_or_default().chars().take(MAX_EXCERPT_CHARS).collect();
    let reason = match (node.is_missing(), near.is_empty()) {
        (true, _) => format!("`{}` is missing", node.kind()),
        (false, true) => "something is missing".to_owned(),
        (false, false) => format!("unexpected `{near}`"),
    };
    SyntaxError { line: row + 1, column: before.chars().count() + 1, reason }
}
