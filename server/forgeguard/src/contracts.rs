//! Contracts: resolution, validation, consistency, and generation by a model.
//!
//! - [`brief`]: the answers that contracts are written from
//! - [`draft`]: drafts made from the answers without a model
//! - [`resolve`]: the version of a build, else the project's current version, else the example
//! - [`from_spec`], [`spec_report`]: contracts from a spec, and what was read in it
//! - [`templates`]: the neutral examples
//! - [`validate`]: validation of each type
//! - [`shrinkage`]: versions that have lost most of a contract
//! - [`consistency`]: inconsistencies between the nine
//! - [`writing`]: the conversation in which a model writes one
//! - [`interview`]: the conversation in which a model fills in the questionnaire

pub mod brief;
pub mod consistency;
pub mod draft;
pub mod from_spec;
pub mod interview;
pub mod resolve;
pub mod shrinkage;
pub mod spec_report;
pub mod templates;
pub mod tool_call_ids;
pub mod validate;
pub mod writing;

mod boundaries;
mod outline;
mod physics;
mod validation_error;

#[cfg(test)]
mod example_run;

pub use resolve::{of_project, of_snapshot};
pub use validate::{validate, validate_for};
pub use validation_error::ValidationError;
