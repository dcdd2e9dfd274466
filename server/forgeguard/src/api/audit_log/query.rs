//! Which entries of the audit log are wanted.

use domain::{audit::AuditAction, ids::UserId};
use serde::Deserialize;
use utoipa::IntoParams;

/// Which entries are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// Only these.
    pub action: Option<AuditAction>,
    /// Only what this person did.
    pub actor: Option<UserId>,
}
