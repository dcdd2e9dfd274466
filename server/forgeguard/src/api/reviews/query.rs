//! Which part of the queue is wanted.

use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// Which part of the queue is wanted.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewState {
    /// What nobody has decided about.
    Open,
    /// What somebody has decided about.
    Decided,
    /// Both.
    #[default]
    All,
}

/// Which part of the queue is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReviewQuery {
    /// `all` if not said.
    #[param(inline)]
    pub state: Option<ReviewState>,
}
