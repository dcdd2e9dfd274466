//! Diffs as they are sent to clients.

use serde::Serialize;
use utoipa::ToSchema;

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// New.
    Added,
    /// Content, mode or kind changed.
    Modified,
    /// Gone.
    Deleted,
    /// Has another path, perhaps changed too.
    Renamed,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DiffFile)]
pub struct FileChange {
    /// Where it is now; for a deleted file, where it was.
    pub path: String,
    /// Where it was, when renamed.
    pub old_path: Option<String>,
    /// What happened.
    pub status: FileStatus,
    /// Lines added; 0 when binary.
    pub insertions: usize,
    /// Lines removed; 0 when binary.
    pub deletions: usize,
    /// Not text, or too large to be treated as text.
    pub binary: bool,
}

/// One changed file with its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FileDiff {
    /// Where it is now; for a deleted file, where it was.
    pub path: String,
    /// Where it was, when renamed.
    pub old_path: Option<String>,
    /// What happened.
    pub status: FileStatus,
    /// Not text, or too large to be treated as text; then there are no hunks.
    pub binary: bool,
    /// Lines, or ends of long lines, were left out.
    pub truncated: bool,
    /// In file order.
    pub hunks: Vec<Hunk>,
}

/// Changed lines that stand together, with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DiffHunk)]
pub struct Hunk {
    /// First line in the old file, from 1; 0 when it had none.
    pub old_start: u32,
    /// First line in the new file, from 1; 0 when it has none.
    pub new_start: u32,
    /// `@@ -1,4 +1,5 @@` and perhaps the function it stands in.
    pub header: String,
    /// In the order of a unified diff.
    pub lines: Vec<Line>,
}

/// Whether a line stayed, came or went.
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

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DiffLine)]
pub struct Line {
    /// Whether it stayed, came or went.
    pub kind: LineKind,
    /// Number in the old file, from 1.
    pub old_line: Option<u32>,
    /// Number in the new file, from 1.
    pub new_line: Option<u32>,
    /// The text without its line end, in pieces. Bytes that are not UTF-8 are replaced.
    pub spans: Vec<Span>,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DiffSpan)]
pub struct Span {
    /// As in the file.
    pub text: String,
    /// Differs from the line's counterpart. Never set in lines without counterpart.
    pub changed: bool,
}
