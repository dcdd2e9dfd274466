//! Types of diffs, as serialised to clients.

use serde::Serialize;
use utoipa::ToSchema;

use crate::{sha::Sha, worktree::Worktree};

/// What a commit is compared with.
#[derive(Debug, Clone, Copy)]
pub enum DiffTarget<'a> {
    Commit(Sha),
    /// A tree, such as one that is to be committed.
    Tree(Sha),
    /// The current files, including untracked ones.
    Worktree(&'a Worktree),
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    Added,
    /// Content, mode or kind changed.
    Modified,
    Deleted,
    /// Moved to another path, possibly also modified.
    Renamed,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DiffFile)]
pub struct FileChange {
    /// The new path; for a deleted file, the old one.
    pub path: String,
    /// The old path, if renamed.
    pub old_path: Option<String>,
    pub status: FileStatus,
    /// Lines added; 0 when binary.
    pub insertions: usize,
    /// Lines removed; 0 when binary.
    pub deletions: usize,
    /// Not text, or too large to be treated as text.
    pub binary: bool,
    /// Git's id of the new content, or of the old one of a deleted file; null if it was not read.
    #[schema(required)]
    pub content_id: Option<String>,
}

/// The changed files, within the limits of time and size.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DiffSummary)]
pub struct ChangedFiles {
    /// By path.
    pub files: Vec<FileChange>,
    /// The list is incomplete: some files are missing or their lines are not counted.
    pub truncated: bool,
}

/// One changed file with its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FileDiff {
    /// The new path; for a deleted file, the old one.
    pub path: String,
    /// The old path, if renamed.
    pub old_path: Option<String>,
    pub status: FileStatus,
    /// Not text, or too large to be treated as text; then there are no hunks.
    pub binary: bool,
    /// Lines, or the ends of long lines, were omitted.
    pub truncated: bool,
    /// In file order.
    pub hunks: Vec<Hunk>,
}

/// A group of changed lines with context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DiffHunk)]
pub struct Hunk {
    /// First line in the old file, from 1; 0 when it had none.
    pub old_start: u32,
    /// First line in the new file, from 1; 0 when it has none.
    pub new_start: u32,
    /// `@@ -1,4 +1,5 @@` and possibly the enclosing function.
    pub header: String,
    /// In the order of a unified diff.
    pub lines: Vec<Line>,
}

/// Whether a line is context, added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = DiffLineKind)]
pub enum LineKind {
    /// In both.
    Context,
    /// In the new file only.
    Insert,
    /// In the old file only.
    Delete,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DiffLine)]
pub struct Line {
    pub kind: LineKind,
    /// Number in the old file, from 1.
    pub old_line: Option<u32>,
    /// Number in the new file, from 1.
    pub new_line: Option<u32>,
    /// The text without its newline, in pieces. Bytes that are not UTF-8 are replaced.
    pub spans: Vec<Span>,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DiffSpan)]
pub struct Span {
    /// As in the file.
    pub text: String,
    /// Whether this piece differs from the corresponding line. Never set without one.
    pub changed: bool,
}
