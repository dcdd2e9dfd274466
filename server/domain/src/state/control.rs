//! What users have requested of phases and gates, until it is done.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    event::{
        control::{PhaseRetryRequested, PhaseSkipRequested},
        life::Actor,
    },
    gate::GateDefinition,
};

/// What happens to the current phase next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhaseRequest {
    Retry(PhaseRetryRequested),
    Skip(PhaseSkipRequested),
}

/// Gates that run because a user requested it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateRequest {
    pub by: Actor,
    /// Gates that have run, by name.
    pub finished: Vec<String>,
}

/// A gate that was changed in the project's settings while the build was paused or blocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedGate {
    /// Who resumed the build with the newest change.
    pub by: Actor,
    /// Before the first change; `None` if it was added.
    pub original: Option<GateDefinition>,
}

/// Why a phase is not part of the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkippedPhase {
    pub by: Actor,
    pub reason: String,
}
