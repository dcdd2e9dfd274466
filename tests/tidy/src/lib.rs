//! The rules of the house that no compiler checks: floors, files, words that may not be used.
//!
//! A [`Rule`] looks at a [`Tree`] (the files as text) and returns [`Violation`]s. `RULES` has them
//! all; `tests/house.rs` holds the real tree against each, and every rule carries a test on a
//! small made-up tree that breaks it. Knows none of the crates it looks at.
//!
//! - [`tree`], [`violation`]: what rules read and write
//! - `token`, `source`, `files`, `graph`: enough of Rust to see who imports whom
//! - `script`: the same for the web app
//! - `manifest`: the dependencies in `Cargo.toml` and `package.json`
//! - [`rules`]: one file a rule

pub mod rules;
pub mod tree;
pub mod violation;

mod files;
mod graph;
mod manifest;
mod script;
mod source;
mod token;

pub use rules::{RULES, Rule};
pub use tree::Tree;
pub use violation::Violation;
