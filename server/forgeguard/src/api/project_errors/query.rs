//! Which errors of a project are wanted.

use domain::errors::Severity;
use serde::Deserialize;
use utoipa::IntoParams;

/// Which errors are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProjectErrorsQuery {
    /// Words of the message, the file or the source.
    pub q: Option<String>,
    /// Whether it is settled in the build that saw it last.
    pub resolved: Option<bool>,
    /// Whether that was done by a person who does not care about it.
    pub dismissed: Option<bool>,
    /// Whether it was settled once and came back, in any build.
    pub regression: Option<bool>,
    /// How grave.
    pub severity: Option<Severity>,
}
