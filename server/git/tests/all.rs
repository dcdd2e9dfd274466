//! Tests with real repositories and the real `git` client, in one binary.

// Functions shared by tests are not seen as tests.
#![allow(clippy::unwrap_used)]

mod build_branch;
mod bundles;
mod candidates;
mod default_branch;
mod diffs;
mod exports;
mod hostile_trees;
mod hosting;
mod ignore_rules;
mod planted;
mod planted_links;
mod project;
mod repacks;
mod smart_http;
mod worktrees;
