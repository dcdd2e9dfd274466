//! Splits a shell line into its simple commands, using the Bash grammar of tree-sitter.
//!
//! Only syntax that Bash and POSIX shells read the same way is interpreted. For everything else
//! `is_uncertain` is set. If a line has a syntax error, every sequence of its words counts as a
//! command.

use std::{collections::VecDeque, ops::Range};

use tree_sitter::Node;

use super::pattern::HOLE;
use text::{Quotes, Word, is_expansion, is_pattern, is_plain_arithmetic, unquoted, with_holes};

mod syntax;
#[cfg(test)]
mod tests;
mod text;

const MAX_COMMANDS: usize = 200;
/// Nesting of substitutions and subshells.
const MAX_DEPTH: usize = 16;
/// Nesting of statements and words in the syntax tree.
const MAX_TREE_DEPTH: usize = 300;
/// Words that a shell does not run as a command.
const KEYWORDS: [&str; 20] = [
    "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "{", "}", "esac",
    "case", "function", "for", "select", "in", "[[", "((",
];

/// The commands that a shell line runs.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Script {
    /// The words of each simple command without quotes and redirections, and with holes for
    /// expansions.
    pub commands: Vec<Vec<String>>,
    /// There may be more commands than those.
    pub is_uncertain: bool,
}

/// Reads one or more lines.
pub(super) fn read(line: &str) -> Script {
    read_nested(line, 0)
}

fn read_nested(source: &str, depth: usize) -> Script {
    let mut reader = Reader { source, depth, tree_depth: 0, script: Script::default() };
    match syntax::parse(source).filter(|_| depth <= MAX_DEPTH) {
        Some(tree) if !tree.root_node().has_error() => reader.children(tree.root_node()),
        _ => reader.every_word_sequence(source),
    }
    reader.script
}

struct Reader<'a> {
    source: &'a str,
    depth: usize,
    tree_depth: usize,
    script: Script,
}

fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect::<Vec<_>>().into_iter()
}

impl<'a> Reader<'a> {
    fn text(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    fn uncertain(&mut self) {
        self.script.is_uncertain = true;
    }

    fn command(&mut self, words: Vec<String>) {
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
    fn every_word_sequence(&mut self, text: &str) {
        self.uncertain();
        let text = text.replace("\\\n", "").replace(['\'', '"', '\\'], "");
        for segment in text.split(['\n', ';', '&', '|', '(', ')', '`', '<', '>']) {
            let words: Vec<String> = segment.split_whitespace().map(with_holes).collect();
            (0..words.len()).for_each(|start| self.command(words[start..].to_vec()));
        }
    }

    /// Statements, and the tokens between them.
    fn children(&mut self, node: Node<'_>) {
        self.check_gaps(node);
        children(node).for_each(|child| self.statement(child, Vec::new()));
    }

    /// Checks the text between the parts of a node, which the grammar reads more generously than
    /// shells do: there are only spaces, and line breaks only between statements.
    fn check_gaps(&mut self, node: Node<'_>) {
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
    fn statement(&mut self, node: Node<'_>, trailing: Vec<Node<'_>>) {
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

    fn no_more(&mut self, trailing: &[Node<'_>]) {
        if let (Some(first), Some(last)) = (trailing.first(), trailing.last()) {
            let text = self.source.get(first.start_byte()..last.end_byte()).unwrap_or_default();
            self.every_word_sequence(text);
        }
    }

    /// The statements of a subshell or a substitution.
    fn nested(&mut self, node: Node<'_>, trailing: &[Node<'_>]) {
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

    fn redirected(&mut self, node: Node<'_>, trailing: Vec<Node<'_>>) {
        self.check_gaps(node);
        let (mut words, mut separate) = (Vec::new(), Vec::new());
        for part in children(node) {
            match part.kind() {
                "file_redirect" => words.extend(self.file_redirect(part)),
                "herestring_redirect" => self.here_string(part),
                "heredoc_redirect" => self.heredoc(part, &mut words, &mut separate),
                _ => {}
            }
        }
        words.extend(trailing);
        match node.child_by_field_name("body") {
            Some(body) => self.statement(body, words),
            None => {
                let words: Vec<String> = words.into_iter().map(|word| self.word(word)).collect();
                let is_keyword = |word: &String| KEYWORDS.contains(&word.as_str());
                if words.first().is_some_and(is_keyword) {
                    self.every_word_sequence(self.text(node));
                }
                self.command(words);
            }
        }
        separate.into_iter().for_each(|part| self.statement(part, Vec::new()));
    }

    /// The words behind the name of the file. They are part of the command.
    fn file_redirect<'t>(&mut self, node: Node<'t>) -> Vec<Node<'t>> {
        self.check_gaps(node);
        let mut words: Vec<Node<'t>> =
            node.children_by_field_name("destination", &mut node.walk()).collect();
        if words.windows(2).any(|pair| pair[0].end_byte() == pair[1].start_byte()) {
            self.every_word_sequence(self.text(node));
        }
        let closing = children(node).find(|child| matches!(child.kind(), "<&-" | ">&-"));
        if let Some(closing) = closing {
            // `<&-` closes the input, but `<&-a` reads from `-a`.
            let next = self.source[closing.end_byte()..].chars().next();
            if next.is_some_and(|c| !matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | ')')) {
                self.every_word_sequence(&self.source[node.start_byte()..]);
            }
        } else if !words.is_empty() {
            drop(self.word(words.remove(0)));
        }
        // To POSIX shells `a &> b c` is `a &` and then `c`.
        if self.text(node).starts_with("&>") && !words.is_empty() {
            self.every_word_sequence(self.text(node));
        }
        words
    }

    fn here_string(&mut self, node: Node<'_>) {
        self.check_gaps(node);
        let named = |child: &Node<'_>| child.is_named() && child.kind() != "file_descriptor";
        children(node).filter(named).for_each(|word| drop(self.word(word)));
    }

    /// `words` receives what follows on the line of `<<E`, `separate` the commands there.
    fn heredoc<'t>(
        &mut self,
        node: Node<'t>,
        words: &mut Vec<Node<'t>>,
        separate: &mut Vec<Node<'t>>,
    ) {
        let mut start = "";
        for part in children(node) {
            match part.kind() {
                "heredoc_start" => start = self.text(part),
                "heredoc_body" => self.heredoc_body(part, start),
                "file_redirect" => words.extend(self.file_redirect(part)),
                "herestring_redirect" => self.here_string(part),
                _ if !part.is_named() && self.text(part) != part.kind() => {
                    self.every_word_sequence(self.source);
                }
                "<<" | "<<-" | "\n" | "&&" | "||" | "file_descriptor" | "heredoc_end"
                | "comment" => {}
                _ if node
                    .children_by_field_name("argument", &mut node.walk())
                    .any(|word| word.id() == part.id()) =>
                {
                    words.push(part);
                }
                _ => separate.push(part),
            }
        }
        if !self.ends_as_shells_do(node, start) {
            self.every_word_sequence(self.text(node));
        }
    }

    /// Whether the document that the grammar found is the one that a shell finds: from the next
    /// line to the first one that is the delimiter.
    fn ends_as_shells_do(&self, node: Node<'_>, start: &str) -> bool {
        let is_indented = children(node).any(|part| part.kind() == "<<-");
        let quoted = [('\'', '\''), ('"', '"')]
            .iter()
            .find_map(|(open, close)| start.strip_prefix(*open)?.strip_suffix(*close));
        let delimiter = quoted.unwrap_or(start);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let text = self.text(node);
        if delimiter.is_empty() || !delimiter.chars().all(is_plain) {
            return false;
        }
        let Some((first, rest)) = text.split_once('\n') else { return false };
        let lines: Vec<&str> = rest.trim_end_matches('\n').split('\n').collect();
        let is_end = |line: &&str| {
            *line == delimiter || (is_indented && line.trim_start_matches('\t') == delimiter)
        };
        let after = self.source.get(node.end_byte()..).unwrap_or_default();
        !first.ends_with('\\')
            && first.matches("<<").count() == 1
            && lines.iter().position(is_end) == Some(lines.len() - 1)
            && (text.ends_with('\n') || after.is_empty() || after.starts_with('\n'))
    }

    fn heredoc_body(&mut self, node: Node<'_>, start: &str) {
        if !start.contains(['\'', '"', '\\']) {
            let mut word = Word::default();
            self.pieces(node, Quotes::Heredoc, &mut word);
        }
    }

    fn word(&mut self, node: Node<'_>) -> String {
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

    fn pieces(&mut self, node: Node<'_>, quotes: Quotes, word: &mut Word) {
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
