//! Why a tool did nothing: something for the agent to read, or the end of its run.

use domain::failure::ErrorClass;

use super::worktree_error::WorktreeError;
use crate::store;

/// Why a tool did nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ToolError {
    /// Returned to the model.
    #[error("{0}")]
    ForModel(String),
    /// The run cannot go on.
    #[error(transparent)]
    Fatal(#[from] Fatal),
}

/// What ends a run in the middle of a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fatal {
    /// The run was cancelled; the call counts as not made.
    #[error("the call was cancelled")]
    Cancelled,
    /// Something under the tool does not work.
    #[error("{message}")]
    Broken {
        /// What kind of failure.
        error_class: ErrorClass,
        /// In plain words.
        message: String,
    },
}

impl ToolError {
    /// An error that the agent reads.
    pub fn for_model(reason: impl Into<String>) -> Self {
        Self::ForModel(reason.into())
    }

    /// An error that ends the run.
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
