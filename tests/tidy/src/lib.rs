//! Project rules that the compiler does not check: layers, files, restricted calls, wording.
//!
//! A [`Rule`] checks a [`Tree`] (the files as text) and returns [`Violation`]s. `RULES` lists all
//! of them; `tests/checkout.rs` checks this checkout, and every rule has a test with a small tree
//! that violates it. Does not depend on the crates that it checks.
//!
//! - [`tree`], [`violation`]: the input and output of rules
//! - `token`, `source`, `files`, `graph`: a minimal parser of Rust imports
//! - `script`: the same for the web app
//! - `manifest`: the dependencies in `Cargo.toml` and `package.json`
//! - [`rules`]: one file per rule

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
