//! Tests with real repositories and the real `git` client, in one binary.

#![allow(clippy::unwrap_used, reason = "functions shared by tests are not seen as tests")]

mod base_merges;
mod build_branch;
mod bundles;
mod candidates;
mod default_branch;
mod diffs;
mod exports;
mod hostile_trees;
mod hosting;
mod ignore_rules;
mod linked_objects;
mod planted;
mod planted_links;
mod project;
mod remote_servers;
mod remotes;
mod repacks;
mod smart_http;
mod user_commits;
mod worktrees;
