//! An auditor's judgement of a phase, from its tool call or from the markers in its text.
//!
//! - [`submission`]: the judgement as it was submitted
//! - [`citation`]: places in files that support a statement
//! - [`read_lines`]: lines that the auditor's run was shown
//! - [`weakened_tests`]: which weakened tests a judgement clears
//! - [`check`]: what is missing in a judgement, and what follows from it

pub mod check;
pub mod citation;
pub mod read_lines;
pub mod submission;
mod weakened_tests;

pub use check::{Judgement, SignOffCheck};
pub use citation::Citation;
pub use read_lines::ReadLines;
pub use submission::{
    AnsweredFinding, CriterionLine, DeliverableLine, JustifiedWeakening, SignOff,
};
