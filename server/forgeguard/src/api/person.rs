//! Somebody, as others see them.

use domain::ids::UserId;
use serde::Serialize;
use utoipa::ToSchema;

/// A person as others see them.
#[derive(Debug, Serialize, ToSchema)]
pub struct Person {
    /// Their id.
    pub id: UserId,
    /// What they are called.
    pub name: String,
}
