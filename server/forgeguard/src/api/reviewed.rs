//! What administrators may see of other people's builds: those that are sealed, to review them.

use std::collections::HashMap;

use axum::{extract::FromRequestParts, http::request::Parts};

use super::{
    app::Shared,
    extract::Params,
    identity::Admin,
    owned::{Ownable, ProjectBuild},
    problem::Problem,
};
use crate::store::users::User;

/// The sealed build that the path names, whoever owns it, and the administrator who asks.
pub struct Reviewed {
    /// The build and its project.
    pub build: ProjectBuild,
    /// Who asks.
    pub by: User,
}

impl FromRequestParts<Shared> for Reviewed {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        let Admin(by) = Admin::from_request_parts(parts, app).await?;
        let Params(named) =
            Params::<HashMap<String, String>>::from_request_parts(parts, app).await?;
        let missing = || Problem::not_found("sealed build");
        let id = named.get(ProjectBuild::PARAMETER).and_then(|text| text.parse().ok());
        let mut conn = app.db.read().await?;
        let build = ProjectBuild::find(&mut conn, id.ok_or_else(missing)?).await?;
        // A verdict is there once the seal is.
        let build = build.filter(|found| found.build.verdict.is_some()).ok_or_else(missing)?;
        Ok(Self { build, by })
    }
}
