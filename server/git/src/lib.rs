//! Repositories, build branches, worktrees, commits, diffs and smart HTTP.
//!
//! The main types, in the order in which a build uses them:
//! - [`HostedRepository`]: the bare repository of a project, which users clone over HTTP
//!   ("origin").
//! - [`WorkingClone`]: a bare clone of origin to which the worktrees of builds belong.
//! - [`BuildBranchName`]: the only branch names that can be moved.
//! - [`BuildBranch`]: the only type that commits and pushes. It cannot move a default branch.
//! - [`Worktree`]: the files of one build; opened through the clone, never through its `.git` file.
//! - [`WorkingClone::export`]: a clean checkout of a commit in a separate directory.
//! - [`diff_files`] and [`diff_file`]: changes, down to words; [`find_lines`]: positions of lines
//!   after a change.
//! - [`write_bundle`] and [`Bundle`]: writing and reading a branch as one file.
//! - [`SealedBranch`]: verification of a build's branch and its objects.
//! - [`http`], [`push`] and [`pack`]: `git clone`, `git fetch` and `git push` for users.
//! - [`remote`]: listing, fetching and pushing to repositories on other servers.
//! - [`repack`]: combining many small objects and packs.
//!
//! Does not depend on builds or tables. Everything except [`http`], [`remote`],
//! [`repack::Repack::run`] and [`LocalRepository::push`] blocks: call it outside async threads. All
//! handles contain only paths, are cheap to clone, and open repositories on demand.
//!
//! Repositories are opened with an empty configuration, so config files, attributes and hooks have
//! no effect, and objects are copied or linked between origin and clone without remotes or refspecs.
//! Files of worktrees are accessed through `rootdir` and never by libgit2, so links are not followed.
//! This crate does not read the clock.

#![allow(
    clippy::disallowed_methods,
    reason = "smart HTTP, remotes, pushes, repacking and copies of history run the `git` command"
)]

mod base_merge;
mod branch;
mod bundle;
mod candidate;
mod checkout;
mod clone;
mod content;
mod diff;
mod error;
mod export;
mod guard;
mod history;
mod hosted;
pub mod http;
mod ignore_rules;
mod index_entry;
mod integrity;
mod linked_objects;
mod local;
mod local_push;
mod message;
mod name;
pub mod pack;
mod packed_copy;
mod parallel;
mod path;
pub mod program;
pub mod push;
mod push_report;
mod pushed_commits;
mod record;
pub mod remote;
mod remote_branches;
mod removal;
pub mod repack;
mod repository;
mod rescue;
mod scan;
mod sha;
mod special_names;
mod staging;
mod submodules;
mod transfer;
mod user_commit;
mod wire;
mod worktree;

pub use base_merge::{BaseConflict, BaseMerge};
pub use branch::{BuildBranch, CommitRequest};
pub use bundle::{Bundle, write_bundle};
pub use candidate::{CandidateTree, ChangedPath};
pub use clone::{Baseline, WorkingClone};
pub use content::{EntryKind, FileContent, TreeEntry};
pub use diff::{
    ChangedFiles, FileChange, FileDiff, FileStatus, Hunk, Line, LineKind, MAX_LINES, Span,
};
pub use diff::{
    DiffTarget, diff_file, diff_file_ignoring_whitespace, diff_files, diff_texts, find_lines,
    read_side,
};
pub use error::{GitError, Place};
pub use history::{AuthorKind, Commit};
pub use hosted::{FirstCommit, HostedRepository, NewFile};
pub use ignore_rules::IgnoreRules;
pub use integrity::SealedBranch;
pub use local::LocalRepository;
pub use local_push::PushTarget;
pub use message::{BOT_EMAIL, BOT_NAME, TITLE_PREFIX};
pub use name::{BuildBranchName, is_users_branch};
pub use path::RepoPath;
pub use pushed_commits::Arrival;
pub use remote_branches::{Followed, RepositoryFindings};
pub use rescue::Rescue;
pub use sha::{BadSha, Sha};
pub use user_commit::UserCommit;
pub use worktree::Worktree;
