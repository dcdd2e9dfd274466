//! Whether a file of a known language can be parsed.
//!
//! - [`languages`]: which languages there are, and what a file's name says about it
//! - [`grammar`]: code, by the grammars of tree-sitter
//! - [`formats`]: JSON, YAML and TOML, by the parsers that programs read them with
//! - [`flaw`]: what is told of an error

mod flaw;
mod formats;
mod grammar;
mod languages;

pub use flaw::SyntaxError;
pub use formats::{yaml_error, yaml_options};

use grammar::Reading;
use languages::{Language, Reader};

/// Errors of a file that are told; the later ones mostly follow from the first.
const MAX_ERRORS: usize = 5;

/// What can be said about a file's syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// It parses.
    Fine,
    /// It does not parse; the first errors, in order.
    Broken(Vec<SyntaxError>),
    /// The same of a language whose dialects and macros no grammar knows in full, so that a
    /// correct file can look broken too.
    Doubtful(Vec<SyntaxError>),
    /// The language is not one that can be checked here.
    Unknown,
}

/// Names of the languages that can be checked.
pub fn languages() -> String {
    let names: Vec<&str> = languages::ALL.iter().map(|language| language.name).collect();
    names.join(", ")
}

/// Parses `text` as the language that the ending of `path` tells, or else its first line.
pub fn check(path: &str, text: &str) -> Syntax {
    let Some(language) = languages::of(path, text) else { return Syntax::Unknown };
    let syntax_errors = match read(language, text) {
        Reading::Complete(syntax_errors) => syntax_errors,
        Reading::TimedOut => return Syntax::Unknown,
    };
    match (syntax_errors.is_empty(), language.dialects) {
        (true, _) => Syntax::Fine,
        (false, false) => Syntax::Broken(syntax_errors),
        (false, true) => Syntax::Doubtful(syntax_errors),
    }
}

fn read(language: &Language, text: &str) -> Reading {
    match language.reader {
        Reader::Grammar(grammar) => grammar::read(&grammar(), text, MAX_ERRORS),
        Reader::Format(first_error) => Reading::Complete(first_error(text).into_iter().collect()),
    }
}

#[cfg(test)]
mod samples;
