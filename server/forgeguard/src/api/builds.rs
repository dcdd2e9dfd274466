//! `/api/projects/{project}/builds` and `/api/builds/{build}`: starting and reading builds.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use domain::{
    audit::AuditAction,
    budget_limits::BudgetLimits,
    event::life::{Actor, Exploration, PlanApproval},
    executor::{Executor, PhaseExecutor},
    ids::{BuildId, SnapshotId},
    state::Status,
};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    build::{Build, BuildParts, BuildSummary, Reviews},
    check::Check,
    clarification::Clarification,
    extract::{Json, QueryParams},
    idempotency,
    list::{List, Page},
    owned::{BuildRef, Owned, ProjectBuild, ProjectResource},
    start_choices::{RoleModels, choices},
};
use crate::{
    engine::{StartChoices, StartOptions, settings::validate_budgets},
    store::{
        self,
        audit_log::{self, NewEntry},
        builds, clarifications,
        projects::Project,
        reviews, seals,
        users::User,
        work_items,
    },
};

/// In characters.
const MAX_TITLE_LENGTH: usize = 120;
/// In characters.
const MAX_DESCRIPTION_LENGTH: usize = 2_000;
/// In characters.
const MAX_MODEL_NAME_LENGTH: usize = 200;

/// A build uses the project's contracts and settings at the time it is queued.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateBuildRequest {
    /// What the build should change, in one line.
    #[serde(default)]
    #[schema(max_length = 120)]
    title: Option<String>,
    /// What the build should change.
    #[serde(default)]
    #[schema(max_length = 2000)]
    description: Option<String>,
    #[serde(default)]
    exploration: Exploration,
    /// Omitted: as the project's settings say.
    #[serde(default)]
    plan_approval: Option<PlanApproval>,
    /// Limits of this build; those omitted are inherited from the project.
    #[serde(default)]
    budgets: BudgetLimits,
    /// The branch that the build starts from; the default branch if omitted.
    #[serde(default)]
    baseline_branch: Option<String>,
    /// The phase that the build begins with; earlier ones are skipped.
    #[serde(default)]
    first_phase: Option<u32>,
    /// The contracts of an earlier build; the current ones if omitted.
    #[serde(default)]
    snapshot: Option<SnapshotId>,
    #[serde(default)]
    models: RoleModels,
    /// What performs the coder's work; as the project's settings say if omitted.
    #[serde(default)]
    executor: Option<Executor>,
    /// What performs it in single phases instead.
    #[serde(default)]
    phase_executors: Vec<PhaseExecutor>,
    /// Whether to start without fetching the project's remote repository first.
    #[serde(default)]
    use_last_fetch: bool,
}

/// Lists the project's builds, newest first.
#[utoipa::path(get, path = "/api/projects/{project}/builds", tag = "builds",
    params(("project" = String, Path, description = "The project's id or slug"), Page), responses(
        (status = 200, body = List<BuildSummary>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_builds(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<BuildSummary>>, ApiError> {
    let mut conn = app.db.read().await?;
    let rows = builds::list(&mut conn, project.id, page.after()?, page.rows()?).await?;
    let required = app.approval.required;
    let reviews = reviews::progress(&mut conn, project.id, project.id, required).await?;
    let show = |build: builds::Build| BuildSummary::new(&reviews, build);
    Ok(Json(page.list(rows, |build| build.id.to_string(), show)?))
}

/// Starts a build. The project's settings limit how many may be unfinished at a time.
#[utoipa::path(post, path = "/api/projects/{project}/builds", tag = "builds", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), request_body = CreateBuildRequest, responses(
        (status = 201, body = Build),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn create_build(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    headers: HeaderMap,
    Json(request): Json<CreateBuildRequest>,
) -> Result<(StatusCode, Json<Build>), ApiError> {
    let options = request.checked(by.actor())?;
    let route = format!("builds of {}", project.id);
    let work = async {
        let id = app.engine.start_build(&project, by.user.id, options).await?;
        record_start(&app, &project, &by.user, id).await?;
        Ok(id)
    };
    let id = idempotency::run_once(&app.db, by.user.id, route, &headers, work).await?;
    let build = ProjectBuild::find(&mut app.db.read().await?, BuildRef::Id(id)).await?;
    let build = build.ok_or_else(|| ApiError::not_found("build"))?;
    Ok((StatusCode::CREATED, Json(response(&app, build).await?)))
}

/// Records the start of a build in the audit log.
pub async fn record_start(
    app: &App,
    project: &Project,
    by: &User,
    id: BuildId,
) -> store::Result<()> {
    let build = builds::get(&mut app.db.read().await?, id).await?;
    let name = build.map(|build| build.display_name());
    let detail = json!({ "project": project.name, "build": name });
    let (action, subject) = (AuditAction::BuildStarted, format!("build/{id}"));
    let mut tx = app.db.write().await?;
    audit_log::append(&mut tx, &NewEntry::by(by, store::now(), action, subject, detail)).await?;
    tx.commit().await
}

impl CreateBuildRequest {
    fn checked(self, by: Actor) -> Result<StartOptions, ApiError> {
        let Self {
            title,
            description,
            exploration,
            plan_approval,
            budgets,
            baseline_branch,
            first_phase,
            snapshot,
            models,
            executor,
            phase_executors,
            use_last_fetch,
        } = self;
        let mut check = Check::new();
        let filled = |text: &String| !text.trim().is_empty();
        let title = title.filter(filled).map(|it| check.line("title", &it, MAX_TITLE_LENGTH));
        let description = description
            .filter(filled)
            .map(|it| check.text("description", it.trim(), 1, MAX_DESCRIPTION_LENGTH));
        if let Err(invalid) = validate_budgets("budgets", &budgets) {
            check.reject(invalid.field, invalid.reason);
        }
        let choices = choices(baseline_branch, first_phase, snapshot, models, by);
        for (role, name) in &choices.models {
            if name.chars().count() > MAX_MODEL_NAME_LENGTH {
                let reason = format!("use at most {MAX_MODEL_NAME_LENGTH} characters");
                check.reject(format!("models.{}", role.name()), reason);
            }
        }
        check.done()?;
        Ok(StartOptions {
            title,
            description,
            limits: budgets,
            exploration,
            plan_approval,
            use_last_fetch,
            choices: StartChoices { executor, phase_executors, ..choices },
        })
    }
}

/// Gets a build.
#[utoipa::path(get, path = "/api/builds/{build}", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Build),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build(
    State(app): State<Shared>,
    Owned { resource: build, .. }: Owned<ProjectBuild>,
) -> Result<Json<Build>, ApiError> {
    response(&app, build).await.map(Json)
}

/// Gets a build by its number in the project, or by its id.
#[utoipa::path(get, path = "/api/projects/{project}/builds/{build}", tag = "builds", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("build" = String, Path, description = "The build's number or id"),
    ), responses(
        (status = 200, body = Build),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_project_build(
    state: State<Shared>,
    owned: Owned<ProjectBuild>,
) -> Result<Json<Build>, ApiError> {
    get_build(state, owned).await
}

/// Gets a build, at the path used by older clients.
#[utoipa::path(get, path = "/api/build-cycles/{build}", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Build),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_cycle(
    state: State<Shared>,
    owned: Owned<ProjectBuild>,
) -> Result<Json<Build>, ApiError> {
    get_build(state, owned).await
}

async fn response(app: &App, build: ProjectBuild) -> Result<Build, ApiError> {
    let ProjectBuild { build: mut row, project } = build;
    let (seq, state) = app.journal.folded_at(row.id, row.head_seq).await?;
    let mut conn = app.db.read().await?;
    // The row must not be older than the state.
    if row.head_seq < seq
        && let Some(newer) = builds::get(&mut conn, row.id).await?
    {
        row = newer;
    }
    let questions = clarifications::open(&mut conn, row.id).await?.into_iter();
    let questions = questions.map(Clarification::try_from).collect::<Result<_, _>>();
    let questions = questions.map_err(ApiError::internal)?;
    let (seal, reviews) = match row.status {
        Status::Sealed => (
            seals::get(&mut conn, row.id).await?,
            reviews::progress(&mut conn, project.id, project.id, app.approval.required).await?,
        ),
        _ => (None, Reviews::new()),
    };
    let followed = match row.follows {
        Some(id) => builds::get(&mut conn, id).await?,
        None => None,
    };
    let item = work_items::get(&mut conn, row.id).await?;
    let is_claimed = item.is_some_and(|item| item.is_claimed());
    let parts = BuildParts {
        row,
        reviews,
        project_name: project.name,
        project_slug: project.slug,
        follows_number: followed.map(|build| build.number),
        state,
        questions,
        seal,
        is_claimed,
        now: store::now(),
    };
    Build::try_from(parts).map_err(ApiError::internal)
}
