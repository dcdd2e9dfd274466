//! Which picture a reader asks for.

use domain::review::DiffSide;
use serde::Deserialize;
use utoipa::IntoParams;

/// Which picture.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PictureQuery {
    /// Its path on that side.
    pub path: String,
    /// Before the change, or after it.
    pub side: DiffSide,
    /// The change of one commit, instead of all since the baseline.
    pub commit: Option<String>,
}
