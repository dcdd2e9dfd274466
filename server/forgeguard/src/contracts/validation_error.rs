//! Validation errors of contracts.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ValidationError {
    /// From 1.
    pub line: usize,
    /// In plain words.
    pub reason: String,
}

impl ValidationError {
    /// A reason with its line.
    pub fn at(line: usize, reason: impl Into<String>) -> Self {
        Self { line: line.max(1), reason: reason.into() }
    }
}
