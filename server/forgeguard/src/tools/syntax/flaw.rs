//! What is told of an error in a text.

/// Something that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// In plain words.
    pub reason: String,
}
