//! Integration tests: escape attempts and resource exhaustion, at each level that restricts
//! commands.
//!
//! Requires `sh`, `python3`, `curl`, `git`, `cc` and `node`.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod support;

mod crash;
mod data_directory;
mod egress;
mod escapes;
mod files;
mod git;
mod leftovers;
mod limits;
mod memory;
mod network;
mod output;
mod probe;
mod processes;
mod programs;
