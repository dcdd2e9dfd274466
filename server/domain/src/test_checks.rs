//! How a build checks its tests before it is sealed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The checks of a build's tests, as its project sets them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct TestChecks {
    /// Whether tests that the build added or changed must fail without its change.
    pub red_check: bool,
}

impl Default for TestChecks {
    fn default() -> Self {
        Self { red_check: true }
    }
}
