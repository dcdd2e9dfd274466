//! Errors of tools: for the model, or the end of the run.

use domain::failure::ErrorClass;

use super::worktree_error::WorktreeError;
use crate::store;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ToolError {
    /// Returned to the model.
    #[error("{0}")]
    ForModel(String),
    /// Ends the run.
    #[error(transparent)]
    Fatal(#[from] Fatal),
}

/// A failure that ends the run during a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fatal {
    /// The run was cancelled; the call counts as not made.
    #[error("the call was cancelled")]
    Cancelled,
    /// The tool cannot work.
    #[error("{message}")]
    Broken { error_class: ErrorClass, message: String },
}

impl ToolError {
    /// An error for the model.
    pub fn for_model(reason: impl Into<String>) -> Self {
        Self::ForModel(reason.into())
    }

    pub fn broken(error_class: ErrorClass, message: impl Into<String>) -> Self {
        Self::Fatal(Fatal::Broken { error_class, message: message.into() })
    }
}

impl From<store::Error> for ToolError {
    fn from(error: store::Error) -> Self {
        let error_class = match error.is_temporary() {
            true => ErrorClass::Transient,
            false => ErrorClass::Unknown,
        };
        Self::broken(error_class, error.to_string())
    }
}

impl From<WorktreeError> for ToolError {
    fn from(error: WorktreeError) -> Self {
        if error.is_out_of_space() {
            return Self::broken(ErrorClass::Resource, error.to_string());
        }
        Self::ForModel(error.to_string())
    }
}
