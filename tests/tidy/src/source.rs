//! Declarations and imports of one Rust file, separated into shipped code and tests.
//! tests.

use crate::token::{Token, tokens};

pub(crate) struct Source<'a> {
    /// Tokens of shipped code.
    pub(crate) shipped: Vec<Token<'a>>,
    /// Tokens below `#[cfg(test)]`.
    pub(crate) tests: Vec<Token<'a>>,
    /// `mod name;` with its line, without those for tests.
    pub(crate) children: Vec<(&'a str, usize)>,
    /// `mod name;` below `#[cfg(test)]`.
    pub(crate) test_children: Vec<&'a str>,
    /// `use` and paths in the code, without those for tests.
    pub(crate) imports: Vec<Import<'a>>,
}

/// An imported path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Import<'a> {
    /// As written, without a trailing `*` or `self`.
    pub(crate) path: Vec<&'a str>,
    pub(crate) line: usize,
    /// The name that a `use` without `*` introduces.
    pub(crate) name: Option<&'a str>,
    /// Whether a `!` follows.
    pub(crate) is_macro: bool,
}

impl<'a> Source<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        let (shipped, tests) = split(&tokens(text));
        let mut reader = Reader { tokens: &shipped, at: 0, depth: 0, inline: Vec::new() };
        let (children, imports) = reader.read();
        let test_children = declared(&tests).into_iter().map(|(name, _)| name).collect();
        Self { children, imports, test_children, shipped, tests }
    }
}

/// Separates shipped code from code below `#[cfg(test)]`.
fn split<'a>(all: &[Token<'a>]) -> (Vec<Token<'a>>, Vec<Token<'a>>) {
    let is_test = |at: usize| starts_with(&all[at..], &["#", "[", "cfg", "(", "test", ")", "]"]);
    if starts_with(all, &["#", "!", "[", "cfg", "(", "test", ")", "]"]) {
        return (Vec::new(), all.to_vec());
    }
    let (mut shipped, mut tests, mut at) = (Vec::new(), Vec::new(), 0);
    while at < all.len() {
        if is_test(at) {
            let end = at + 7 + item(&all[at + 7..]);
            tests.extend_from_slice(&all[at + 7..end]);
            at = end;
        } else {
            shipped.push(all[at]);
            at += 1;
        }
    }
    (shipped, tests)
}

/// Number of tokens of the first item, up to its `;` or closing brace.
pub(crate) fn item(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return at;
        }
        if depth == 0 && matches!(token.text, ";" | "}" | ",") {
            return at + 1;
        }
    }
    tokens.len()
}

fn declared<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, usize)> {
    let windows = tokens.windows(3).filter(|w| w[0].text == "mod" && w[2].text == ";");
    windows.map(|w| (w[1].text, w[0].line)).collect()
}

fn starts_with(tokens: &[Token<'_>], texts: &[&str]) -> bool {
    tokens.len() >= texts.len() && tokens.iter().zip(texts).all(|(token, text)| token.text == *text)
}

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    depth: usize,
    /// Brace depths of the enclosing inline modules.
    inline: Vec<usize>,
}

impl<'a> Reader<'_, 'a> {
    fn read(&mut self) -> (Vec<(&'a str, usize)>, Vec<Import<'a>>) {
        let (mut children, mut imports) = (Vec::new(), Vec::new());
        while let Some(token) = self.peek(0) {
            match token.text {
                "mod" if self.text(2) == ";" => {
                    children.push((self.text(1), token.line));
                    self.at += 3;
                }
                "mod" if self.text(2) == "{" => {
                    self.depth += 1;
                    self.inline.push(self.depth);
                    self.at += 3;
                }
                "use" => {
                    self.at += 1;
                    self.use_tree(&mut Vec::new(), &mut imports);
                }
                "crate" | "super" | "self" if self.text(1) == ":" && !self.in_visibility() => {
                    imports.push(self.path_in_code());
                }
                text => {
                    self.braces(text);
                    self.at += 1;
                }
            }
        }
        // `super` in an inline module refers to the file.
        imports.retain(|import| !import.path.is_empty());
        (children, imports)
    }

    fn braces(&mut self, text: &str) {
        if text == "{" {
            self.depth += 1;
        } else if text == "}" {
            if self.inline.last() == Some(&self.depth) {
                self.inline.pop();
            }
            self.depth = self.depth.saturating_sub(1);
        }
    }

    /// Reads one tree of a `use`; `prefix` is the path before it.
    fn use_tree(&mut self, prefix: &mut Vec<&'a str>, imports: &mut Vec<Import<'a>>) {
        let length = prefix.len();
        let line = self.peek(0).map_or(0, |token| token.line);
        let mut name = None;
        while let Some(token) = self.peek(0) {
            match token.text {
                ":" => self.at += 1,
                "{" => {
                    self.at += 1;
                    while !matches!(self.text(0), "}" | "") {
                        self.use_tree(prefix, imports);
                    }
                    self.at += 1;
                    prefix.truncate(length);
                    self.past_comma();
                    return;
                }
                "*" => {
                    self.at += 1;
                    name = None;
                    break;
                }
                "as" => {
                    name = Some(self.text(1));
                    self.at += 2;
                }
                "," | "}" | ";" => break,
                "self" if !prefix.is_empty() => {
                    name = prefix.last().copied();
                    self.at += 1;
                }
                word => {
                    prefix.push(word);
                    name = Some(word);
                    self.at += 1;
                }
            }
        }
        imports.push(Import { path: self.relative_to_file(prefix), line, name, is_macro: false });
        prefix.truncate(length);
        self.past_comma();
    }

    fn past_comma(&mut self) {
        if matches!(self.text(0), "," | ";") {
            self.at += 1;
        }
    }

    fn path_in_code(&mut self) -> Import<'a> {
        let line = self.peek(0).map_or(0, |token| token.line);
        let mut path = vec![self.text(0)];
        self.at += 1;
        while self.text(0) == ":" && self.text(1) == ":" && is_word(self.text(2)) {
            path.push(self.text(2));
            self.at += 3;
        }
        let is_macro = self.text(0) == "!";
        Import { path: self.relative_to_file(&path), line, name: None, is_macro }
    }

    /// Removes inline modules from a path with `super` or `self`; empty if it stays inside.
    fn relative_to_file(&self, path: &[&'a str]) -> Vec<&'a str> {
        let supers = path.iter().take_while(|segment| **segment == "super").count();
        match path.first() {
            Some(&"self") if !self.inline.is_empty() => Vec::new(),
            Some(&"super") if supers < self.inline.len() => Vec::new(),
            Some(&"super") if supers == self.inline.len() => {
                let mut own = vec!["self"];
                own.extend(&path[supers..]);
                own
            }
            _ => path[if supers > 0 { self.inline.len() } else { 0 }..].to_vec(),
        }
    }

    /// `pub(in crate::a)` is not an import.
    fn in_visibility(&self) -> bool {
        self.at >= 2
            && self.tokens[self.at - 1].text == "in"
            && self.tokens[self.at - 2].text == "("
    }

    fn peek(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn text(&self, ahead: usize) -> &'a str {
        self.peek(ahead).map_or("", |token| token.text)
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        Source::read(text).imports.iter().map(|import| import.path.join("::")).collect()
    }

    #[test]
    fn every_leaf_of_a_use_is_one_import() {
        let text = "use crate::{a::{B, c::*, self}, d as e};\nuse super::f;";
        assert_eq!(paths(text), ["crate::a::B", "crate::a::c", "crate::a", "crate::d", "super::f"]);
        let source = Source::read(text);
        let names: Vec<_> = source.imports.iter().map(|import| import.name).collect();
        assert_eq!(names, [Some("B"), None, Some("a"), Some("e"), Some("f")]);
        assert_eq!(source.imports[4].line, 2);
    }

    #[test]
    fn paths_in_the_code_count_and_visibilities_do_not() {
        let text = "pub(in crate::a) fn b() -> crate::c::D { super::e::f(); crate::g!() }";
        assert_eq!(paths(text), ["crate::c::D", "super::e::f", "crate::g"]);
        assert!(Source::read(text).imports[2].is_macro);
    }

    #[test]
    fn super_in_an_inline_module_is_the_file() {
        let text = "mod a { use super::b::C; use super::super::d; use self::e; } use super::f;";
        assert_eq!(paths(text), ["self::b::C", "super::d", "super::f"]);
    }

    #[test]
    fn test_code_is_separated() {
        let text = "mod a; #[cfg(test)] mod b; #[cfg(test)] use crate::c; fn d() {}
            #[cfg(test)] mod tests { use crate::e; fn f() { sleep(); } }";
        let source = Source::read(text);
        assert_eq!(source.children, [("a", 1)]);
        assert_eq!(source.test_children, ["b"]);
        assert!(source.imports.is_empty());
        assert!(source.tests.iter().any(|token| token.text == "sleep"));
        assert!(source.shipped.iter().any(|token| token.text == "d"));
    }
}
