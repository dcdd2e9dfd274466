//! Which questions of all builds are wanted.

use serde::Deserialize;
use utoipa::IntoParams;

use crate::api::clarification::ClarificationStatus;

/// Which questions are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ClarificationsQuery {
    /// Only those that are there in their life.
    pub state: Option<ClarificationStatus>,
}
