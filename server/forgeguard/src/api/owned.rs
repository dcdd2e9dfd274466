//! What is not yours does not exist: the one place that decides what a person may see.

use std::collections::HashMap;

use axum::{extract::FromRequestParts, http::request::Parts};
use domain::ids::{BuildId, GenerationId, ProjectId, UserId};

use super::{app::Shared, extract::Params, identity::Identity, problem::Problem};
use crate::store::{self, Conn, builds::Build, generations::Generation, projects::Project};

/// Something that the path names and that belongs to whoever asks. Anything else is a 404.
pub struct Owned<T> {
    /// The thing.
    pub thing: T,
    /// Who asks.
    pub by: Identity,
}

/// A build together with its project, whose owner owns it.
#[derive(Clone, Debug)]
pub struct ProjectBuild {
    /// The build.
    pub build: Build,
    /// Its project.
    pub project: Project,
}

/// A generation together with its project, whose owner owns it.
#[derive(Clone, Debug)]
pub struct ProjectGeneration {
    /// The generation.
    pub generation: Generation,
    /// Its project.
    pub project: Project,
}

/// Whether something is there, and whose it is.
#[derive(Debug)]
pub enum Access<T> {
    /// It belongs to whoever asks.
    Yours(T),
    /// It belongs to somebody else.
    NotYours,
    /// There is none such.
    Missing,
}

/// What can belong to somebody.
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
    /// Whose it is.
    fn owner(&self) -> UserId;
}

/// Looks for something and whose it is.
pub async fn look_up<T: Ownable>(
    conn: &mut Conn,
    user: UserId,
    id: T::Id,
) -> store::Result<Access<T>> {
    Ok(match T::find(conn, id).await? {
        Some(thing) if thing.owner() == user => Access::Yours(thing),
        Some(_) => Access::NotYours,
        None => Access::Missing,
    })
}

impl Ownable for Project {
    type Id = ProjectId;
    const NAME: &'static str = "project";
    const PARAMETER: &'static str = "project";

    async fn find(conn: &mut Conn, id: ProjectId) -> store::Result<Option<Self>> {
        store::projects::get(conn, id).await
    }

    fn owner(&self) -> UserId {
        self.owner_id
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

    fn owner(&self) -> UserId {
        self.project.owner_id
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

    fn owner(&self) -> UserId {
        self.project.owner_id
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
            Access::Yours(thing) => Ok(Self { thing, by }),
            Access::NotYours | Access::Missing => Err(missing()),
        }
    }
}
