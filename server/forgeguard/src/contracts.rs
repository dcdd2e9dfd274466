//! Contracts: which text somebody reads, and whether an edited one fits its type.
//!
//! - [`brief`]: what the nine are written from
//! - [`draft`]: the nine written from the answers alone
//! - [`resolve`]: pinned snapshot, else the project's current version, else the neutral example
//! - [`templates`]: the neutral examples
//! - [`validate`]: what a text of each type must be
//! - [`shrinkage`]: versions that have lost most of a contract
//! - [`consistency`]: whether the nine agree with each other
//! - [`writing`]: how a model writes one
//! - [`interview`]: how a model fills the questionnaire that the nine are written from

pub mod brief;
pub mod consistency;
pub mod draft;
pub mod interview;
pub mod resolve;
pub mod shrinkage;
pub mod templates;
pub mod validate;
pub mod writing;

mod boundaries;
mod outline;
mod physics;
mod tool_call_ids;
mod validation_error;
mod words;

#[cfg(test)]
mod example_run;

pub use resolve::{of_project, of_snapshot};
pub use validate::{validate, validate_for};
pub use validation_error::ValidationError;
