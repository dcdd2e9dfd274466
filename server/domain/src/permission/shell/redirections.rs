//! Redirections and here-documents.

use tree_sitter::Node;

use super::{
    reader::{KEYWORDS, Reader, children},
    text::{Quotes, Word},
};

impl Reader<'_> {
    pub(super) fn redirected(&mut self, node: Node<'_>, trailing: Vec<Node<'_>>) {
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
    pub(super) fn file_redirect<'t>(&mut self, node: Node<'t>) -> Vec<Node<'t>> {
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

    pub(super) fn here_string(&mut self, node: Node<'_>) {
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
}
