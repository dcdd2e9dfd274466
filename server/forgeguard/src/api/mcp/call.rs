//! A call of a client: who makes it, and the project or build that it is about.

use std::sync::{Arc, Mutex, PoisonError};

use domain::ids::BuildId;
use rmcp::{RoleServer, service::RequestContext};
use serde_json::{Map, Value};

use crate::{
    api::{
        api_error::ApiError,
        app::Shared,
        identity::Identity,
        owned::{self, BuildRef, Owned, ProjectBuild, ProjectRef},
        reviewed::Reviewed,
    },
    store::{self, projects::Project},
    tools::ToolError,
};

pub const PROJECT: &str = "project_id";
pub const BUILD: &str = "build_id";

/// Whether a call changes what it is about. Viewers and archived projects permit reading only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    Read,
    Change,
}

/// What a call is about: from its arguments, or set for the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// An id or a slug.
    pub project: Option<String>,
    /// An id, or a number within the project.
    pub build: Option<String>,
}

/// The target that `forge_set_session` has set.
pub type SessionTarget = Arc<Mutex<Target>>;

pub struct Call {
    pub app: Shared,
    pub by: Identity,
    pub target: Target,
    pub session: SessionTarget,
    pub request: RequestContext<RoleServer>,
}

/// Why a call was not made, for the client.
#[derive(Debug)]
pub struct Rejection(pub String);

impl From<ApiError> for Rejection {
    fn from(error: ApiError) -> Self {
        Self(error.detail().to_owned())
    }
}

impl From<ToolError> for Rejection {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::ForModel(reason) => Self(reason),
            ToolError::Fatal(fatal) => ApiError::internal(fatal).into(),
        }
    }
}

impl From<store::Error> for Rejection {
    fn from(error: store::Error) -> Self {
        ApiError::from(error).into()
    }
}

impl Target {
    /// Takes the target out of the arguments of a call.
    pub fn take(arguments: &mut Map<String, Value>) -> Result<Self, Rejection> {
        let mut take = |name: &str| match arguments.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => {
                Ok(Some(text.trim().to_owned()))
            }
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(_) => Err(Rejection(format!("`{name}` must be a string."))),
        };
        Ok(Self { project: take(PROJECT)?, build: take(BUILD)? })
    }
}

impl Call {
    /// The project that the call is about.
    pub async fn project(&self, intent: Intent) -> Result<Owned<Project>, Rejection> {
        if let (None, Some(_)) = (&self.target.project, &self.target.build) {
            let build = self.named_build(intent).await?.resource;
            return self.authorized(ProjectRef::Id(build.project.id), intent).await;
        }
        let reference = self.project_ref().ok_or_else(|| {
            Rejection(format!("Name a project in `{PROJECT}`, or call forge_set_session."))
        })?;
        self.authorized(reference, intent).await
    }

    /// The build that the call is about.
    pub async fn build(&self, intent: Intent) -> Result<Owned<ProjectBuild>, Rejection> {
        self.named_build(intent).await
    }

    /// The sealed build that the call is about, for administrators.
    pub async fn reviewed(&self) -> Result<Reviewed, Rejection> {
        let reference = self.build_ref()?;
        Ok(Reviewed::find(&self.app, self.by.clone(), Some(reference)).await?)
    }

    /// Whether the call is about a build, rather than a project without one.
    pub fn names_build(&self) -> bool {
        self.build_ref().is_ok()
    }

    async fn named_build(&self, intent: Intent) -> Result<Owned<ProjectBuild>, Rejection> {
        let reference = self.build_ref()?;
        let changes = intent == Intent::Change;
        Ok(owned::authorize(&self.app, self.by.clone(), reference, changes).await?)
    }

    async fn authorized(
        &self,
        reference: ProjectRef,
        intent: Intent,
    ) -> Result<Owned<Project>, Rejection> {
        let changes = intent == Intent::Change;
        Ok(owned::authorize(&self.app, self.by.clone(), reference, changes).await?)
    }

    fn project_ref(&self) -> Option<ProjectRef> {
        let of_key = || self.by.key().and_then(|key| key.project()).map(ProjectRef::Id);
        let named = self.target.project.clone().or_else(|| self.session_target().project);
        named.as_deref().map(ProjectRef::from).or_else(of_key)
    }

    fn build_ref(&self) -> Result<BuildRef, Rejection> {
        let of_session = || {
            // Another project than the session's has other builds.
            let Target { project, build } = self.session_target();
            build.filter(|_| self.target.project.is_none() || self.target.project == project)
        };
        let of_key = || self.by.key().and_then(|key| key.build()).map(BuildRef::Id);
        let missing =
            || Rejection(format!("Name a build in `{BUILD}`, or call forge_set_session."));
        let Some(named) = self.target.build.clone().or_else(of_session) else {
            return of_key().ok_or_else(missing);
        };
        let unknown = || Rejection::from(ApiError::not_found("build"));
        match (named.parse::<BuildId>(), &self.target.project) {
            (Ok(id), None) => Ok(BuildRef::Id(id)),
            (Ok(id), Some(project)) => Ok(BuildRef::IdIn(project.as_str().into(), id)),
            (Err(_), _) => {
                let number = named.parse().map_err(|_| unknown())?;
                Ok(BuildRef::Number(self.project_ref().ok_or_else(unknown)?, number))
            }
        }
    }

    fn session_target(&self) -> Target {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
