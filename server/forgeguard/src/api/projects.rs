//! `/api/projects`: projects.

use std::collections::BTreeMap;

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{audit::AuditAction, build_leftovers, event::life::Origin, ids::ProjectId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    accounts::Person,
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    build::{BuildSummary, Reviews},
    check::Check,
    extract::{Json, QueryParams},
    identity::Identity,
    list::{List, Page},
    owned::{Owned, ProjectRole},
};
use crate::{
    engine::ProjectSettings,
    store::{
        self, Conn,
        audit_log::{self, NewEntry},
        builds, project_viewers, projects, reviews,
        users::{self, User},
    },
};

/// A project with its newest build.
#[derive(Debug, Serialize, ToSchema)]
pub struct Project {
    id: ProjectId,
    owner: Person,
    /// The access of the requesting user.
    role: ProjectRole,
    /// Its name in URLs; earlier ones lead to the project too.
    slug: String,
    name: String,
    description: String,
    origin: Origin,
    /// The branch from which builds start; they never change it.
    default_branch: String,
    created_at: DateTime<Utc>,
    /// When its description or settings last changed.
    updated_at: DateTime<Utc>,
    /// Set while it is archived, and therefore read-only.
    #[schema(required)]
    archived_at: Option<DateTime<Utc>>,
    #[schema(required)]
    last_build: Option<BuildSummary>,
    /// Questions that the requesting user can answer; always 0 for viewers.
    open_questions: u32,
    /// Builds that may be unfinished at a time.
    max_concurrent_builds: u32,
}

/// Which projects to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProjectsQuery {
    /// Only archived projects instead of all others.
    #[serde(default)]
    archived: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateProjectRequest {
    /// At most 120 characters.
    #[schema(min_length = 1, max_length = 120)]
    name: String,
    /// At most 2,000 characters.
    #[serde(default)]
    #[schema(max_length = 2_000)]
    description: String,
    /// Default branch of its repository [default: `main`]. Not below `forge/`.
    #[schema(min_length = 1, max_length = 200)]
    default_branch: Option<String>,
}

/// Properties that are omitted stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateProjectRequest {
    /// At most 120 characters.
    #[schema(min_length = 1, max_length = 120)]
    name: Option<String>,
    /// At most 2,000 characters.
    #[schema(max_length = 2_000)]
    description: Option<String>,
}

/// What is shown of the builds of a project.
#[derive(Default)]
pub struct ProjectBuilds {
    newest: Option<BuildSummary>,
    /// Of all of them.
    open_questions: u32,
}

impl Project {
    pub fn own(project: projects::Project, by: &User, builds: ProjectBuilds) -> Self {
        let owner = Person { id: by.id, name: by.name.clone() };
        Self::new(project, owner, ProjectRole::Owner, builds)
    }

    pub fn new(
        project: projects::Project,
        owner: Person,
        role: ProjectRole,
        builds: ProjectBuilds,
    ) -> Self {
        let ProjectBuilds { newest: last_build, open_questions } = builds;
        let open_questions = if role == ProjectRole::Owner { open_questions } else { 0 };
        // Settings that cannot be read are reported where they are used.
        let settings = ProjectSettings::read(&project.settings).unwrap_or_default();
        Self {
            id: project.id,
            owner,
            role,
            slug: project.slug,
            name: project.name,
            description: project.description,
            origin: project.origin,
            default_branch: project.default_branch,
            created_at: project.created_at,
            updated_at: project.updated_at,
            archived_at: project.archived_at,
            last_build,
            open_questions,
            max_concurrent_builds: settings.max_concurrent_builds,
        }
    }
}

/// Lists the projects that the user owns or may view, newest first.
#[utoipa::path(get, path = "/api/projects", tag = "projects",
    params(Page, ProjectsQuery), responses(
    (status = 200, body = List<Project>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_projects(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    QueryParams(page): QueryParams<Page>,
    QueryParams(ProjectsQuery { archived }): QueryParams<ProjectsQuery>,
) -> Result<Json<List<Project>>, ApiError> {
    let mut conn = app.db.read().await?;
    let rows = projects::list(&mut conn, user.id, archived, page.after()?, page.rows()?).await?;
    let (first, last) = (rows.last().map(|p| p.id), rows.first().map(|p| p.id));
    let (newest, questions, reviews) = match first.zip(last) {
        Some((first, last)) => (
            builds::newest_of_projects(&mut conn, user.id, first, last).await?,
            builds::open_questions(&mut conn, first, last).await?,
            reviews::progress(&mut conn, first, last, app.approval.required).await?,
        ),
        None => (Vec::new(), BTreeMap::new(), Reviews::new()),
    };
    let owners = project_viewers::owners(&mut conn, user.id).await?;
    let show = |project: projects::Project| {
        let build = newest.iter().find(|build| build.project_id == project.id).cloned();
        let builds = ProjectBuilds {
            newest: build.map(|build| BuildSummary::new(&reviews, build)),
            open_questions: questions.get(&project.id).copied().unwrap_or_default(),
        };
        match owners.iter().find(|(id, _)| *id == project.owner_id) {
            Some((id, name)) if *id != user.id => {
                let owner = Person { id: *id, name: name.clone() };
                Project::new(project, owner, ProjectRole::Viewer, builds)
            }
            _ => Project::own(project, &user, builds),
        }
    };
    Ok(Json(page.list(rows, |project| project.id.to_string(), show)?))
}

/// Creates a project with an empty repository.
#[utoipa::path(post, path = "/api/projects", tag = "projects",
    request_body = CreateProjectRequest, responses(
        (status = 201, body = Project),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn create_project(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    Json(request): Json<CreateProjectRequest>,
) -> Result<(StatusCode, Json<Project>), ApiError> {
    let mut check = Check::new();
    let name = check.line("name", &request.name, 120);
    let description = check.text("description", &request.description, 0, 2_000);
    let default_branch = request.default_branch.as_deref().unwrap_or("main");
    let default_branch = check.line("default_branch", default_branch, 200);
    if !git::is_users_branch(&default_branch) {
        check.reject("default_branch", "this cannot be the name of a default branch");
    }
    check.done()?;
    let settings = ProjectSettings {
        clarification_timeout_s: app.clarification_timeout_s,
        ..ProjectSettings::default()
    };
    let project = projects::NewProject {
        id: store::new_id(),
        owner_id: user.id,
        name,
        description,
        origin: Origin::Questionnaire,
        default_branch,
        settings: settings.text(),
        created_at: store::now(),
    };
    let readme = format!("# {}\n\n{}\n", project.name, project.description);
    let files = vec![
        (".gitignore".to_owned(), build_leftovers::gitignore().into_bytes()),
        ("README.md".to_owned(), readme.into_bytes()),
    ];
    app.engine.create_repository(project.id, &project.default_branch, files).await?;
    let mut tx = app.db.write().await?;
    let project = projects::insert(&mut tx, &project).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(Project::own(project, &user, ProjectBuilds::default()))))
}

/// Gets a project.
#[utoipa::path(get, path = "/api/projects/{project}", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = Project),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_project(
    State(app): State<Shared>,
    Owned { resource: project, role, by }: Owned<projects::Project>,
) -> Result<Json<Project>, ApiError> {
    let mut conn = app.db.read().await?;
    let builds = project_builds(&app, &mut conn, project.id).await?;
    if role == ProjectRole::Owner {
        return Ok(Json(Project::own(project, &by.user, builds)));
    }
    let owner = users::get(&mut conn, project.owner_id).await?;
    let User { id, name, .. } =
        owner.ok_or_else(|| ApiError::internal("a project has no owner"))?;
    Ok(Json(Project::new(project, Person { id, name }, role, builds)))
}

/// Changes the name or description of a project. A new name leads to a new slug.
#[utoipa::path(patch, path = "/api/projects/{project}", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = UpdateProjectRequest, responses(
        (status = 200, body = Project),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_project(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<projects::Project>,
    Json(request): Json<UpdateProjectRequest>,
) -> Result<Json<Project>, ApiError> {
    let mut check = Check::new();
    let name = request.name.map(|name| check.line("name", &name, 120));
    let description = request.description.map(|text| check.text("description", &text, 0, 2_000));
    check.done()?;
    let (name, description) = (name.filter(|name| *name != project.name), description.as_deref());
    let mut tx = app.db.write().await?;
    let changed =
        projects::describe(&mut tx, project.id, name.as_deref(), description, store::now()).await?;
    let changed = changed.ok_or_else(|| ApiError::not_found("project"))?;
    let builds = project_builds(&app, &mut tx, changed.id).await?;
    if let Some(name) = &name {
        let detail = json!({ "project": project.name, "name": name });
        record(&mut tx, &by.user, AuditAction::ProjectRenamed, &project, detail).await?;
    }
    tx.commit().await?;
    Ok(Json(Project::own(changed, &by.user, builds)))
}

pub async fn project_builds(
    app: &App,
    conn: &mut Conn,
    project: ProjectId,
) -> store::Result<ProjectBuilds> {
    let Some(newest) = builds::list(conn, project, None, 1).await?.pop() else {
        return Ok(ProjectBuilds::default());
    };
    let reviews = reviews::progress(conn, project, project, app.approval.required).await?;
    let questions = builds::open_questions(conn, project, project).await?;
    Ok(ProjectBuilds {
        newest: Some(BuildSummary::new(&reviews, newest)),
        open_questions: questions.get(&project).copied().unwrap_or_default(),
    })
}

/// Records a change of a project in the audit log.
pub async fn record(
    conn: &mut Conn,
    by: &User,
    action: AuditAction,
    project: &projects::Project,
    detail: Value,
) -> store::Result<()> {
    let subject = format!("project/{}", project.id);
    audit_log::append(conn, &NewEntry::by(by, store::now(), action, subject, detail)).await
}
