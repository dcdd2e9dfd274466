//! What of a build's changes a reader asks for.

use serde::Deserialize;
use utoipa::IntoParams;

/// What is compared.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DiffQuery {
    /// One commit of the branch against the one before it, instead of all since the baseline.
    pub commit: Option<String>,
    /// One file with its lines, instead of the list of files.
    pub path: Option<String>,
}
