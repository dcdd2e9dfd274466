//! What a phase has changed so far.

use domain::event::agents::FileOperation;

/// A file that the phase has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Relative to the worktree.
    pub path: String,
    pub operation: FileOperation,
    /// Lines.
    pub insertions: u32,
    pub deletions: u32,
}

/// The changes since the commit that the phase began with, uncommitted ones included.
///
/// The methods read the repository and may block: call them with `threads::run`.
pub trait PhaseChanges: Send + Sync {
    /// The changed paths.
    ///
    /// # Errors
    /// If the repository cannot be read.
    fn paths(&self) -> Result<Vec<String>, String>;

    /// The changed files; a moved one by both paths.
    ///
    /// # Errors
    /// If the repository cannot be read.
    fn files(&self) -> Result<Vec<ChangedFile>, String>;

    /// The changes of these paths as a unified diff of at most `max_bytes`. Paths that were left out
    /// are named at its end.
    ///
    /// # Errors
    /// If the repository cannot be read.
    fn diff(&self, paths: &[String], max_bytes: usize) -> Result<String, String>;

    /// The content of a path in the commit that the phase began with; `None` if it is not in it.
    ///
    /// # Errors
    /// If the repository cannot be read, or the file is too large to be restored.
    fn original(&self, path: &str) -> Result<Option<Vec<u8>>, String>;
}
