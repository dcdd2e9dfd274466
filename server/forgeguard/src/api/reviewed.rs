//! Access of administrators to sealed builds of all users, for review.

use std::collections::HashMap;

use axum::{extract::FromRequestParts, http::request::Parts};

use super::{
    api_error::ApiError,
    app::Shared,
    extract::PathParams,
    identity::Admin,
    owned::{ProjectBuild, ProjectResource},
};
use crate::store::users::User;

/// The sealed build that the path names, regardless of its owner.
pub struct Reviewed {
    pub build: ProjectBuild,
    pub by: User,
}

impl FromRequestParts<Shared> for Reviewed {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, ApiError> {
        let Admin(by) = Admin::from_request_parts(parts, app).await?;
        let PathParams(named) =
            PathParams::<HashMap<String, String>>::from_request_parts(parts, app).await?;
        let missing = || ApiError::not_found("sealed build");
        let reference = ProjectBuild::reference(&named).ok_or_else(missing)?;
        let mut conn = app.db.read().await?;
        let build = ProjectBuild::find(&mut conn, reference).await?;
        // The verdict is set when the build is sealed.
        let build = build.filter(|found| found.build.verdict.is_some()).ok_or_else(missing)?;
        Ok(Self { build, by })
    }
}
