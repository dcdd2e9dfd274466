//! Access of administrators to sealed builds of all users, for review.

use std::collections::HashMap;

use axum::{extract::FromRequestParts, http::request::Parts};

use super::{
    api_error::ApiError,
    app::{App, Shared},
    extract::PathParams,
    identity::{Admin, Identity},
    owned::{BuildRef, ProjectBuild, ProjectResource},
};
use crate::store::users::User;

/// A sealed build, regardless of its owner.
pub struct Reviewed {
    pub build: ProjectBuild,
    pub by: User,
}

impl Reviewed {
    /// # Errors
    /// 403 for users who are no administrators; 404 unless the build is sealed and covered by the
    /// user's credential.
    pub async fn find(
        app: &App,
        by: Identity,
        reference: Option<BuildRef>,
    ) -> Result<Self, ApiError> {
        let Admin(user) = by.clone().try_into()?;
        let missing = || ApiError::not_found("sealed build");
        let mut conn = app.db.read().await?;
        let found = ProjectBuild::find(&mut conn, reference.ok_or_else(missing)?).await?;
        // The verdict is set when the build is sealed.
        let found = found.filter(|found| found.build.verdict.is_some());
        let found = found.filter(|found| by.covers(found.project.id, Some(found.build.id)));
        Ok(Self { build: found.ok_or_else(missing)?, by: user })
    }
}

impl FromRequestParts<Shared> for Reviewed {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, ApiError> {
        let by = Identity::from_request_parts(parts, app).await?;
        let PathParams(named) =
            PathParams::<HashMap<String, String>>::from_request_parts(parts, app).await?;
        Self::find(app, by, ProjectBuild::reference(&named)).await
    }
}
