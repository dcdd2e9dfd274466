//! Tests with real repositories and the real `git` client, in one binary.

// Functions shared by tests are not seen as tests.
#![allow(clippy::unwrap_used)]

mod build_branch;
mod bundles;
mod default_branch;
mod diffs;
mod hosting;
mod planted;
mod project;
mod smart_http;
mod worktrees;
