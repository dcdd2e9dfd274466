//! Access to projects and what belongs to them. Owners may do everything, viewers only read; for
//! all other users the resource does not exist.

use std::collections::HashMap;

use axum::{extract::FromRequestParts, http::request::Parts};
use domain::ids::{BuildId, GenerationId, ProjectId};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::ApiError,
    app::{App, Shared},
    extract::PathParams,
    identity::Identity,
};
use crate::store::{
    self, Conn, builds::Build, generations::Generation, project_viewers, projects::Project,
};

pub const ARCHIVED: &str =
    "This project is archived and read-only. Unarchive it in its settings to change it.";

/// The resource that the path names. 404 without access; viewers get a 403 for all methods except
/// GET, and owners a 409 while the project is archived.
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

/// A project that may be archived, for the requests that such a project accepts.
pub struct AnyProject(pub Project);

/// A project in a path: its id or its slug.
#[derive(Clone, Debug)]
pub enum ProjectRef {
    Id(ProjectId),
    Slug(String),
}

/// A build in a path: its id, or its number after its project.
#[derive(Clone, Debug)]
pub enum BuildRef {
    Id(BuildId),
    IdIn(ProjectRef, BuildId),
    Number(ProjectRef, u32),
}

type PathValues = HashMap<String, String>;

/// A resource that belongs to a project.
pub trait ProjectResource: Sized + Send {
    /// What names it in a path.
    type Ref: Send;
    /// Its name in error messages.
    const NAME: &'static str;
    /// Whether requests may change it while the project is archived.
    const IS_WRITABLE_IF_ARCHIVED: bool = false;
    fn reference(path: &PathValues) -> Option<Self::Ref>;
    fn find(
        conn: &mut Conn,
        reference: Self::Ref,
    ) -> impl Future<Output = store::Result<Option<Self>>> + Send;
    fn project(&self) -> &Project;
    /// The build that it is or belongs to, if any.
    fn build_id(&self) -> Option<BuildId> {
        None
    }
}

/// Finds a resource and the user's access to it, which a forge key may limit to a project or build.
pub async fn look_up<T: ProjectResource>(
    conn: &mut Conn,
    by: &Identity,
    reference: T::Ref,
) -> store::Result<Access<T>> {
    let Some(resource) = T::find(conn, reference).await? else { return Ok(Access::Missing) };
    let (project, user) = (resource.project(), by.user.id);
    Ok(if !by.covers(project.id, resource.build_id()) {
        Access::Forbidden
    } else if project.owner_id == user {
        Access::Granted(resource, ProjectRole::Owner)
    } else if project_viewers::contains(conn, project.id, user).await? {
        Access::Granted(resource, ProjectRole::Viewer)
    } else {
        Access::Forbidden
    })
}

impl From<&str> for ProjectRef {
    fn from(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::Slug(text.to_owned()), Self::Id)
    }
}

impl ProjectResource for Project {
    type Ref = ProjectRef;
    const NAME: &'static str = "project";

    fn reference(path: &PathValues) -> Option<ProjectRef> {
        path.get("project").map(|text| text.as_str().into())
    }

    async fn find(conn: &mut Conn, reference: ProjectRef) -> store::Result<Option<Self>> {
        match reference {
            ProjectRef::Id(id) => store::projects::get(conn, id).await,
            ProjectRef::Slug(slug) => store::projects::by_slug(conn, &slug).await,
        }
    }

    fn project(&self) -> &Project {
        self
    }
}

impl ProjectResource for AnyProject {
    type Ref = ProjectRef;
    const NAME: &'static str = Project::NAME;
    const IS_WRITABLE_IF_ARCHIVED: bool = true;

    fn reference(path: &PathValues) -> Option<ProjectRef> {
        Project::reference(path)
    }

    async fn find(conn: &mut Conn, reference: ProjectRef) -> store::Result<Option<Self>> {
        Ok(Project::find(conn, reference).await?.map(Self))
    }

    fn project(&self) -> &Project {
        &self.0
    }
}

impl ProjectResource for ProjectBuild {
    type Ref = BuildRef;
    const NAME: &'static str = "build";

    fn reference(path: &PathValues) -> Option<BuildRef> {
        let build = path.get("build")?;
        match (build.parse(), Project::reference(path)) {
            (Ok(id), None) => Some(BuildRef::Id(id)),
            (Ok(id), Some(project)) => Some(BuildRef::IdIn(project, id)),
            (Err(_), Some(project)) => Some(BuildRef::Number(project, build.parse().ok()?)),
            (Err(_), None) => None,
        }
    }

    async fn find(conn: &mut Conn, reference: BuildRef) -> store::Result<Option<Self>> {
        let (project, build) = match reference {
            BuildRef::Id(id) => {
                let found = store::builds::get_with_project(conn, id).await?;
                return Ok(found.map(|(build, project)| Self { build, project }));
            }
            BuildRef::IdIn(project, id) => {
                (Project::find(conn, project).await?, store::builds::get(conn, id).await?)
            }
            BuildRef::Number(project, number) => {
                let Some(project) = Project::find(conn, project).await? else { return Ok(None) };
                let build = store::builds::by_number(conn, project.id, number).await?;
                (Some(project), build)
            }
        };
        let found = project.zip(build).map(|(project, build)| Self { build, project });
        Ok(found.filter(|found| found.build.project_id == found.project.id))
    }

    fn project(&self) -> &Project {
        &self.project
    }

    fn build_id(&self) -> Option<BuildId> {
        Some(self.build.id)
    }
}

impl ProjectResource for ProjectGeneration {
    type Ref = GenerationId;
    const NAME: &'static str = "generation";

    fn reference(path: &PathValues) -> Option<GenerationId> {
        path.get("generation")?.parse().ok()
    }

    async fn find(conn: &mut Conn, id: GenerationId) -> store::Result<Option<Self>> {
        let Some(generation) = store::generations::get(conn, id).await? else { return Ok(None) };
        let project = store::projects::get(conn, generation.project_id).await?;
        Ok(project.map(|project| Self { generation, project }))
    }

    fn project(&self) -> &Project {
        &self.project
    }
}

/// The resource that `reference` names, for a user who reads or changes it.
pub async fn authorize<T: ProjectResource>(
    app: &App,
    by: Identity,
    reference: T::Ref,
    changes: bool,
) -> Result<Owned<T>, ApiError> {
    let mut conn = app.db.read().await?;
    match look_up::<T>(&mut conn, &by, reference).await? {
        Access::Granted(resource, _)
            if changes
                && resource.build_id().is_none()
                && by.key().is_some_and(|key| key.build().is_some()) =>
        {
            Err(ApiError::forbidden("This forge key is bound to a build and changes nothing else."))
        }
        Access::Granted(_, ProjectRole::Viewer) if changes => {
            Err(ApiError::forbidden("Only the owner of this project can change it."))
        }
        Access::Granted(resource, _)
            if changes
                && resource.project().archived_at.is_some()
                && !T::IS_WRITABLE_IF_ARCHIVED =>
        {
            Err(ApiError::conflict(ARCHIVED))
        }
        Access::Granted(resource, role) => Ok(Owned { resource, role, by }),
        Access::Forbidden | Access::Missing => Err(ApiError::not_found(T::NAME)),
    }
}

impl<T: ProjectResource> FromRequestParts<Shared> for Owned<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, ApiError> {
        let by = Identity::from_request_parts(parts, app).await?;
        let PathParams(named) = PathParams::<PathValues>::from_request_parts(parts, app).await?;
        let reference = T::reference(&named).ok_or_else(|| ApiError::not_found(T::NAME))?;
        authorize(app, by, reference, !parts.method.is_safe()).await
    }
}
