//! Access to projects and what belongs to them. Owners may do everything, viewers only read; for
//! all other users the resource does not exist.

use std::collections::HashMap;

use axum::{extract::FromRequestParts, http::request::Parts};
use domain::ids::{BuildId, GenerationId, ProjectId, UserId};

use serde::Serialize;
use utoipa::ToSchema;

use super::{api_error::ApiError, app::Shared, extract::PathParams, identity::Identity};
use crate::store::{
    self, Conn, builds::Build, generations::Generation, project_viewers, projects::Project,
};

/// The resource that the path names. 404 without access; viewers get a 403 for all methods except
/// GET.
pub struct Owned<T> {
    pub resource: T,
    pub role: ProjectRole,
    pub by: Identity,
}

/// The access of a user to a project and what belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProjectRole {
    Owner,
    Viewer,
}

#[derive(Clone, Debug)]
pub struct ProjectBuild {
    pub build: Build,
    pub project: Project,
}

#[derive(Clone, Debug)]
pub struct ProjectGeneration {
    pub generation: Generation,
    pub project: Project,
}

/// Whether a resource exists, and what the user may do with it.
#[derive(Debug)]
pub enum Access<T> {
    /// The user has access to it.
    Granted(T, ProjectRole),
    /// The user has no access to it.
    Forbidden,
    Missing,
}

/// A resource that belongs to a project.
pub trait ProjectResource: Sized + Send {
    type Id: std::str::FromStr + Send;
    /// Its name in error messages.
    const NAME: &'static str;
    /// Its path parameter.
    const PARAMETER: &'static str;
    fn find(
        conn: &mut Conn,
        id: Self::Id,
    ) -> impl Future<Output = store::Result<Option<Self>>> + Send;
    fn project(&self) -> &Project;
}

/// Finds a resource and the user's access to it.
pub async fn look_up<T: ProjectResource>(
    conn: &mut Conn,
    user: UserId,
    id: T::Id,
) -> store::Result<Access<T>> {
    let Some(resource) = T::find(conn, id).await? else { return Ok(Access::Missing) };
    let project = resource.project();
    Ok(if project.owner_id == user {
        Access::Granted(resource, ProjectRole::Owner)
    } else if project_viewers::contains(conn, project.id, user).await? {
        Access::Granted(resource, ProjectRole::Viewer)
    } else {
        Access::Forbidden
    })
}

impl ProjectResource for Project {
    type Id = ProjectId;
    const NAME: &'static str = "project";
    const PARAMETER: &'static str = "project";

    async fn find(conn: &mut Conn, id: ProjectId) -> store::Result<Option<Self>> {
        store::projects::get(conn, id).await
    }

    fn project(&self) -> &Project {
        self
    }
}

impl ProjectResource for ProjectBuild {
    type Id = BuildId;
    const NAME: &'static str = "build";
    const PARAMETER: &'static str = "build";

    async fn find(conn: &mut Conn, id: BuildId) -> store::Result<Option<Self>> {
        let Some(build) = store::builds::get(conn, id).await? else { return Ok(None) };
        let project = store::projects::get(conn, build.project_id).await?;
        Ok(project.map(|project| Self { build, project }))
    }

    fn project(&self) -> &Project {
        &self.project
    }
}

impl ProjectResource for ProjectGeneration {
    type Id = GenerationId;
    const NAME: &'static str = "generation";
    const PARAMETER: &'static str = "generation";

    async fn find(conn: &mut Conn, id: GenerationId) -> store::Result<Option<Self>> {
        let Some(generation) = store::generations::get(conn, id).await? else { return Ok(None) };
        let project = store::projects::get(conn, generation.project_id).await?;
        Ok(project.map(|project| Self { generation, project }))
    }

    fn project(&self) -> &Project {
        &self.project
    }
}

impl<T: ProjectResource> FromRequestParts<Shared> for Owned<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, ApiError> {
        let by = Identity::from_request_parts(parts, app).await?;
        let PathParams(named) =
            PathParams::<HashMap<String, String>>::from_request_parts(parts, app).await?;
        let missing = || ApiError::not_found(T::NAME);
        let id = named.get(T::PARAMETER).and_then(|text| text.parse().ok()).ok_or_else(missing)?;
        let mut conn = app.db.read().await?;
        match look_up::<T>(&mut conn, by.user.id, id).await? {
            Access::Granted(_, ProjectRole::Viewer) if !parts.method.is_safe() => {
                Err(ApiError::forbidden("Only the owner of this project can change it."))
            }
            Access::Granted(resource, role) => Ok(Self { resource, role, by }),
            Access::Forbidden | Access::Missing => Err(missing()),
        }
    }
}
