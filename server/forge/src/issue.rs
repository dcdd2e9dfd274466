//! Issues, as all forges describe them.

/// An issue. Anyone who may write issues has written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The page for people; http or https.
    pub url: String,
    pub title: String,
    /// Markdown.
    pub body: String,
}
