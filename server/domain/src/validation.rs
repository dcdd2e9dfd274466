//! The error for an invalid field in a request.

use std::fmt;

/// A field and the reason why its value is invalid, for display.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct ValidationError {
    /// The path of the field, such as `gates[0].name`.
    pub field: String,
    pub reason: String,
}

impl ValidationError {
    pub fn new(field: impl fmt::Display, reason: impl Into<String>) -> Self {
        Self { field: field.to_string(), reason: reason.into() }
    }
}
