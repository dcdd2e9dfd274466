//! Repositories, build branches, worktrees, commits, diffs and smart HTTP.
//!
//! The parts, in the order a build meets them:
//! - [`HostedRepository`]: the bare repository of a project, which people clone over HTTP ("origin").
//! - [`WorkingClone`]: a bare clone of origin from which the worktrees of builds hang.
//! - [`BuildBranchName`]: the only kind of branch name that can be moved.
//! - [`BuildBranch`]: the only type which commits and pushes. It refuses every way to a default branch.
//! - [`Worktree`]: the files of one build; opened through the clone, never through its `.git` file.
//! - [`diff_files`] and [`diff_file`]: what changed, down to words; [`find_lines`]: where lines are afterwards.
//! - [`write_bundle`] and [`Bundle`]: a branch as one file, and that file read again.
//! - [`http`] and [`push`]: `git clone`, `git fetch` and `git push` for people.
//!
//! Knows nothing about builds or tables. Everything but [`http`] blocks: call it off the async
//! threads. All handles are plain paths, cheap to clone, and open what they need when they need it.
//!
//! Repositories are opened with an empty configuration, so nothing that stands in a config file,
//! an attributes file or a hooks directory has any effect, and objects travel between origin and
//! clone without remotes or refspecs. Nothing in this crate reads the clock.

#![allow(clippy::disallowed_methods, reason = "smart HTTP is the `git` command")]

mod arrival;
mod beneath;
mod branch;
mod bundle;
mod clone;
mod content;
mod diff;
mod error;
mod guard;
mod history;
mod hosted;
pub mod http;
mod message;
mod name;
mod path;
pub mod push;
mod removal;
mod repository;
mod rescue;
mod rule_files;
mod sha;
mod staging;
mod transfer;
mod wire;
mod worktree;

pub use arrival::Arrival;
pub use branch::{BuildBranch, CommitRequest};
pub use bundle::{Bundle, write_bundle};
pub use clone::{Baseline, WorkingClone};
pub use content::{EntryKind, FileContent, TreeEntry};
pub use diff::{DiffTarget, diff_file, diff_files, diff_texts, find_lines, read_side};
pub use diff::{FileChange, FileDiff, FileStatus, Hunk, Line, LineKind, MAX_LINES, Span};
pub use error::{GitError, Place};
pub use history::{AuthorKind, Commit};
pub use hosted::{HostedRepository, NewFile};
pub use message::{BOT_EMAIL, BOT_NAME, TITLE_PREFIX};
pub use name::BuildBranchName;
pub use path::RepoPath;
pub use rescue::Rescue;
pub use sha::{BadSha, Sha};
pub use worktree::Worktree;
