//! Statements and commands of a shell line.

use std::{collections::VecDeque, ops::Range};

use tree_sitter::Node;

use super::{syntax, text::with_holes};

const MAX_COMMANDS: usize = 200;
/// Nesting of substitutions and subshells.
const MAX_DEPTH: usize = 16;
/// Nesting of statements and words in the syntax tree.
pub(super) const MAX_TREE_DEPTH: usize = 300;
/// Words that a shell does not run as a command.
pub(super) const KEYWORDS: [&str; 20] = [
    "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "{", "}", "esac",
    "case", "function", "for", "select", "in", "[[", "((",
];

/// The commands that a shell line runs.
#[derive(Debug, Default, PartialEq)]
pub struct Script {
    /// The words of each simple command without quotes and redirections, and with holes for
    /// expansions.
    pub commands: Vec<Vec<String>>,
    /// There may be more commands than those.
    pub is_uncertain: bool,
}

/// Reads one or more lines.
pub fn read(line: &str) -> Script {
    read_nested(line, 0)
}

pub(super) fn read_nested(source: &str, depth: usize) -> Script {
    let mut reader = Reader { source, depth, tree_depth: 0, script: Script::default() };
    match syntax::parse(source).filter(|_| depth <= MAX_DEPTH) {
        Some(tree) if !tree.root_node().has_error() => reader.children(tree.root_node()),
        _ => reader.every_word_sequence(source),
    }
    reader.script
}

pub(super) struct Reader<'a> {
    pub(super) source: &'a str,
    pub(super) depth: usize,
    pub(super) tree_depth: usize,
    pub(super) script: Script,
}

pub(super) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect::<Vec<_>>().into_iter()
}

impl<'a> Reader<'a> {
    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn uncertain(&mut self) {
        self.script.is_uncertain = true;
    }

    pub(super) fn command(&mut self, words: Vec<String>) {
        if words.is_empty() {
            return;
        }
        if self.script.commands.len() < MAX_COMMANDS {
            self.script.commands.push(words);
        } else {
            self.uncertain();
        }
    }

    /// Text that cannot be interpreted: each of its words may be the name of a command.
    pub(super) fn every_word_sequence(&mut self, text: &str) {
        self.uncertain();
        let text = text.replace("\\\n", "").replace(['\'', '"', '\\'], "");
        for segment in text.split(['\n', ';', '&', '|', '(', ')', '`', '<', '>']) {
            let words: Vec<String> = segment.split_whitespace().map(with_holes).collect();
            (0..words.len()).for_each(|start| self.command(words[start..].to_vec()));
        }
    }

    /// Statements, and the tokens between them.
    pub(super) fn children(&mut self, node: Node<'_>) {
        self.check_gaps(node);
        children(node).for_each(|child| self.statement(child, Vec::new()));
    }

    /// Checks the text between the parts of a node, which the grammar reads more generously than
    /// shells do: there are only spaces, and line breaks only between statements.
    pub(super) fn check_gaps(&mut self, node: Node<'_>) {
        let has_statements = matches!(
            node.kind(),
            "program"
                | "list"
                | "pipeline"
                | "subshell"
                | "compound_statement"
                | "if_statement"
                | "elif_clause"
                | "else_clause"
                | "while_statement"
                | "do_group"
                | "command_substitution"
                | "process_substitution"
        );
        let range = if node.kind() == "program" { 0..self.source.len() } else { node.byte_range() };
        let mut start = range.start;
        let mut are_blank = true;
        for child in children(node) {
            let may_break = has_statements || child.kind() == "do_group";
            are_blank &= self.is_gap(start..child.start_byte(), may_break)
                && (child.kind() != "comment" || self.starts_word(child.start_byte()));
            start = start.max(child.end_byte());
        }
        if !are_blank || !self.is_gap(start..range.end, has_statements) {
            self.every_word_sequence(&self.source[range]);
        }
    }

    fn is_gap(&self, range: Range<usize>, may_break: bool) -> bool {
        let gap = self.source.get(range).unwrap_or_default();
        let joined = gap.replace("\\\n", "");
        // A continued line continues its last word too.
        let splits = gap.is_empty() || !joined.is_empty();
        splits && joined.chars().all(|c| matches!(c, ' ' | '\t') || (c == '\n' && may_break))
    }

    fn starts_word(&self, at: usize) -> bool {
        let before = self.source.get(..at).unwrap_or_default();
        let ends = [' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>'];
        before.is_empty() || (before.ends_with(ends) && !before.ends_with("\\\n"))
    }

    /// A statement or a token. `trailing` are words behind a redirection, which belong to the last
    /// simple command: `rm > log -rf /`.
    pub(super) fn statement(&mut self, node: Node<'_>, trailing: Vec<Node<'_>>) {
        if self.tree_depth > MAX_TREE_DEPTH {
            return self.every_word_sequence(self.text(node));
        }
        self.tree_depth += 1;
        match node.kind() {
            "command"
            | "declaration_command"
            | "unset_command"
            | "variable_assignment"
            | "variable_assignments" => {
                self.check_gaps(node);
                self.simple_command(node, trailing);
            }
            "test_command" => self.test_command(node, trailing),
            "redirected_statement" => self.redirected(node, trailing),
            "list" | "pipeline" | "negated_command" => {
                self.check_gaps(node);
                let mut parts: Vec<Node<'_>> = children(node).collect();
                let last = parts.pop();
                parts.into_iter().for_each(|part| self.statement(part, Vec::new()));
                last.into_iter().for_each(|part| self.statement(part, trailing.clone()));
            }
            "subshell" => self.nested(node, &trailing),
            // POSIX shells read `((a))` as a subshell.
            "compound_statement" if self.text(node).starts_with("((") => {
                self.every_word_sequence(self.text(node));
            }
            "if_statement" | "elif_clause" | "else_clause" | "while_statement" | "do_group"
            | "compound_statement" => {
                self.no_more(&trailing);
                self.children(node);
            }
            "for_statement" => {
                self.no_more(&trailing);
                self.check_gaps(node);
                if node.child_by_field_name("value").is_none() {
                    self.uncertain();
                }
                for part in children(node).filter(Node::is_named) {
                    match part.kind() {
                        "do_group" => self.statement(part, Vec::new()),
                        _ => drop(self.word(part)),
                    }
                }
            }
            "comment" => {}
            _ if !node.is_named() => {}
            _ => self.every_word_sequence(self.text(node)),
        }
        self.tree_depth -= 1;
    }

    pub(super) fn no_more(&mut self, trailing: &[Node<'_>]) {
        if let (Some(first), Some(last)) = (trailing.first(), trailing.last()) {
            let text = self.source.get(first.start_byte()..last.end_byte()).unwrap_or_default();
            self.every_word_sequence(text);
        }
    }

    /// The statements of a subshell or a substitution.
    pub(super) fn nested(&mut self, node: Node<'_>, trailing: &[Node<'_>]) {
        self.no_more(trailing);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.every_word_sequence(self.text(node));
        } else {
            self.children(node);
        }
        self.depth -= 1;
    }

    fn simple_command(&mut self, node: Node<'_>, trailing: Vec<Node<'_>>) {
        let mut words = Vec::new();
        let mut parts: Vec<Node<'_>> = match node.kind() {
            "variable_assignment" => vec![node],
            _ => children(node).collect(),
        };
        parts.extend(trailing);
        let mut parts = VecDeque::from(parts);
        let mut end = None;
        while let Some(part) = parts.pop_front() {
            match part.kind() {
                "comment" => {}
                "file_redirect" => {
                    end = Some(part.end_byte());
                    for word in self.file_redirect(part).into_iter().rev() {
                        parts.push_front(word);
                    }
                }
                "herestring_redirect" => self.here_string(part),
                // `name (words)` is a function, an array or an error.
                "subshell" => {
                    self.uncertain();
                    self.nested(part, &[]);
                }
                _ => {
                    // What the grammar splits here is one word.
                    if end == Some(part.start_byte()) {
                        self.every_word_sequence(self.text(node));
                    }
                    end = Some(part.end_byte());
                    words.push(self.word(part));
                }
            }
        }
        if words.first().is_some_and(|word| KEYWORDS.contains(&word.as_str())) {
            self.every_word_sequence(self.text(node));
        }
        self.command(words);
    }

    /// `[ … ]` or `[[ … ]]`, read by a shell without `[[`, to which `&&` separates commands.
    fn test_command(&mut self, node: Node<'_>, trailing: Vec<Node<'_>>) {
        let text = self.text(node);
        let plain = text.replace("$(", "").replace("&&", "").replace("||", "");
        if plain.contains(['<', '>', '(', ';', '&', '|', '\n']) {
            return self.every_word_sequence(text);
        }
        let mut words = Vec::new();
        let mut pending: Vec<Node<'_>> = trailing.into_iter().rev().collect();
        pending.push(node);
        while let Some(part) = pending.pop() {
            match part.kind() {
                "test_command" | "binary_expression" | "unary_expression" => {
                    self.check_gaps(part);
                    pending.extend(children(part).collect::<Vec<_>>().into_iter().rev());
                }
                "&&" | "||" => self.command(std::mem::take(&mut words)),
                _ => words.push(self.word(part)),
            }
        }
        self.command(words);
    }
}
