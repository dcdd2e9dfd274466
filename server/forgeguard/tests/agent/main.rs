//! Runs of agents over the real store, journal, worktree and sandbox, with a scripted model.
#![cfg(test)]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod build;
mod compacts;
mod conversations;
mod ends;
mod limits;
mod model;
mod permits;
mod resumes;
mod works;
