//! The escapes a command might try, and what a run promises, at each level that puts up walls.
//!
//! Needs `sh`, `python3`, `git` and `node` in the usual places.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

mod crash;
mod files;
mod git;
mod limits;
mod network;
mod output;
mod probe;
mod processes;
mod programs;
