//! Roles of accounts.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UserRole {
    /// May also manage accounts and settings, and review sealed builds.
    Admin,
    /// May create projects and build them.
    User,
}
