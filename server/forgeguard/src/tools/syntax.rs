//! Syntax checks for known languages.
//!
//! - [`languages`]: the languages, and detection by name or first line
//! - [`grammar`]: code, by tree-sitter grammars
//! - [`mutations`]: small changes to code
//! - [`formats`]: JSON, YAML and TOML, by parsers

mod formats;
mod grammar;
mod languages;
mod mutations;
mod syntax_error;

pub use formats::{yaml_error, yaml_options};
pub use mutations::{Mutation, mutations};
pub use syntax_error::SyntaxError;

use grammar::Reading;
use languages::{Language, Reader};

/// Errors reported per file; later ones mostly follow from the first.
const MAX_ERRORS: usize = 5;

/// The result of a syntax check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// It parses.
    Fine,
    /// The first errors, in order.
    Broken(Vec<SyntaxError>),
    /// Errors in a language whose dialects and macros the grammar does not cover, so that a correct file
    /// can have some too.
    Doubtful(Vec<SyntaxError>),
    /// The language is not supported.
    Unknown,
}

/// Names of the supported languages.
pub fn languages() -> String {
    let names: Vec<&str> = languages::ALL.iter().map(|language| language.name).collect();
    names.join(", ")
}

/// Parses `text` in the language of its extension, or of its first line.
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
