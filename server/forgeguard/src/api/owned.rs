//! What is not yours does not exist: the one place that decides what a person may see and change.
//! Whom an owner lets look sees all of a project and changes nothing.

use std::collections::HashMap;

use axum::{extract::FromRequestParts, http::request::Parts};
use domain::ids::{BuildId, GenerationId, ProjectId, UserId};

use serde::Serialize;
use utoipa::ToSchema;

use super::{app::Shared, extract::Params, identity::Identity, problem::Problem};
use crate::store::{
    self, Conn, builds::Build, generations::Generation, project_viewers, projects::Project,
};

/// Something that the path names and that belongs to whoever asks; who may look at it can GET it,
/// and is told who can do the rest. Anything else is a 404.
pub struct Owned<T> {
    /// The thing.
    pub thing: T,
    /// What whoever asks may do with it.
    pub role: ProjectRole,
    /// Who asks.
    pub by: Identity,
}

/// What somebody may do with a project and with all that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProjectRole {
    /// Everything.
    Owner,
    /// Look at it.
    Viewer,
}

/// A build together with its project.
#[derive(Clone, Debug)]
pub struct ProjectBuild {
    /// The build.
    pub build: Build,
    /// Its project.
    pub project: Project,
}

/// A generation together with its project.
#[derive(Clone, Debug)]
pub struct ProjectGeneration {
    /// The generation.
    pub generation: Generation,
    /// Its project.
    pub project: Project,
}

/// Whether something is there, and what whoever asks may do with it.
#[derive(Debug)]
pub enum Access<T> {
    /// It is there for them.
    Granted(T, ProjectRole),
    /// It is there for others.
    NotYours,
    /// There is none such.
    Missing,
}

/// What belongs to a project, and so to its owner.
pub trait Ownable: Sized + Send {
    /// The type of its id.
    type Id: std::str::FromStr + Send;
    /// What people call it.
    const NAME: &'static str;
    /// The parameter that names it in a path.
    const PARAMETER: &'static str;
    /// Finds it.
    fn find(
        conn: &mut Conn,
        id: Self::Id,
    ) -> impl Future<Output = store::Result<Option<Self>>> + Send;
    /// What it belongs to.
    fn project(&self) -> &Project;
}

/// Looks for something and for what a person may do with it.
pub async fn look_up<T: Ownable>(
    conn: &mut Conn,
    user: UserId,
    id: T::Id,
) -> store::Result<Access<T>> {
    let Some(thing) = T::find(conn, id).await? else { return Ok(Access::Missing) };
    let project = thing.project();
    Ok(if project.owner_id == user {
        Access::Granted(thing, ProjectRole::Owner)
    } else if project_viewers::contains(conn, project.id, user).await? {
        Access::Granted(thing, ProjectRole::Viewer)
    } else {
        Access::NotYours
    })
}

impl Ownable for Project {
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

impl Ownable for ProjectBuild {
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

impl Ownable for ProjectGeneration {
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

impl<T: Ownable> FromRequestParts<Shared> for Owned<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        let by = Identity::from_request_parts(parts, app).await?;
        let Params(named) =
            Params::<HashMap<String, String>>::from_request_parts(parts, app).await?;
        let missing = || Problem::not_found(T::NAME);
        let id = named.get(T::PARAMETER).and_then(|text| text.parse().ok()).ok_or_else(missing)?;
        let mut conn = app.db.read().await?;
        match look_up::<T>(&mut conn, by.user.id, id).await? {
            Access::Granted(_, ProjectRole::Viewer) if !parts.method.is_safe() => {
                Err(Problem::forbidden(
                    "You may look at this project, and its owner alone can change it.",
                ))
            }
            Access::Granted(thing, role) => Ok(Self { thing, role, by }),
            Access::NotYours | Access::Missing => Err(missing()),
        }
    }
}
