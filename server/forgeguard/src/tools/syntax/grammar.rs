//! Code, read by a grammar of tree-sitter: it goes on after an error, so several can be told.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Point};

use super::flaw::Flaw;

/// A text made to be hard to read is given up on.
const LONGEST: Duration = Duration::from_secs(3);
/// Characters of a text that are repeated in a reason.
const NEAR: usize = 40;

/// What came of reading.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// The first errors; none if all of it fits.
    Whole(Vec<Flaw>),
    /// It took too long, so nothing is known.
    GivenUp,
}

/// The first `most` errors, at most one a line.
pub(super) fn read(language: &Language, text: &str, most: usize) -> Reading {
    let mut parser = Parser::new();
    if parser.set_language(language).is_err() {
        return Reading::GivenUp;
    }
    let end = Instant::now() + LONGEST;
    let mut in_time = |_: &ParseState| match Instant::now() < end {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let mut rest = |offset: usize, _: Point| text.as_bytes().get(offset..).unwrap_or_default();
    match parser.parse_with_options(&mut rest, None, Some(options)) {
        Some(tree) => Reading::Whole(flaws(tree.root_node(), text, most)),
        None => Reading::GivenUp,
    }
}

/// Without recursion: the tree is as deep as its author wants.
fn flaws(root: Node<'_>, text: &str, most: usize) -> Vec<Flaw> {
    let mut found: Vec<Flaw> = Vec::new();
    let mut cursor = root.walk();
    while found.len() < most {
        let node = cursor.node();
        if is_flawed(node) {
            if has_flawed_child(node) && cursor.goto_first_child() {
                continue;
            }
            let flaw = flaw(node, text);
            if found.last().is_none_or(|last| last.line != flaw.line) {
                found.push(flaw);
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

fn is_flawed(node: Node<'_>) -> bool {
    node.is_missing() || node.has_error()
}

fn has_flawed_child(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(is_flawed)
}

fn flaw(node: Node<'_>, text: &str) -> Flaw {
    let Point { row, column } = node.start_position();
    let line_start = node.start_byte() - column;
    let before = text.get(line_start..node.start_byte()).unwrap_or_default();
    let near = text.get(node.byte_range()).unwrap_or_default();
    let near: String = near.lines().next().unwrap_or_default().chars().take(NEAR).collect();
    let reason = match (node.is_missing(), near.is_empty()) {
        (true, _) => format!("`{}` is missing", node.kind()),
        (false, true) => "something is missing".to_owned(),
        (false, false) => format!("unexpected `{near}`"),
    };
    Flaw { line: row + 1, column: before.chars().count() + 1, reason }
}
