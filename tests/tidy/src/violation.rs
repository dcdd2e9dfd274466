//! Violations of rules.

use std::fmt;

/// The location of a violation, and a message that says what to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Path from the root of the tree.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// The name of the rule.
    pub rule: &'static str,
    pub what: String,
}

impl Violation {
    /// A violation of `rule` at `file:line`.
    pub fn at(file: &str, line: usize, rule: &'static str, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, rule, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: [{}] {}", self.file, self.line, self.rule, self.what)
    }
}
