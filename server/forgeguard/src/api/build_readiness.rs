//! `/api/projects/{project}/build-readiness`: what a new build would use, and what is missing.

use axum::extract::State;
use domain::{
    budget::Budgets,
    budget_limits::BudgetLimits,
    estimate::{BuildEstimate, suggested_limit},
    event::{
        agents::Role,
        life::{Origin, PlanApproval},
    },
    executor::Executor,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    error_conversions::sentence,
    extract::{Json, QueryParams},
    owned::Owned,
    start_choices::StartParams,
};
use crate::{
    engine::{EngineError, models::Models},
    store::projects::Project,
};

/// What a build of the project would use if it were started now.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildReadiness {
    /// The limits of a build that sets none.
    budgets: Budgets,
    /// The limits if the project set none either.
    installation_budgets: Budgets,
    /// The limits that the installation sets. A project can only tighten them.
    installation_limits: BudgetLimits,
    /// The limits that the project sets. A build can only tighten them.
    project_limits: BudgetLimits,
    /// The model is paid and neither dollars nor tokens are limited: a start must set a limit, or
    /// `unlimited` for US dollars.
    needs_limit: bool,
    /// A limit in millionths of a US dollar, from the estimate; null if there is none.
    #[schema(required)]
    suggested_usd_micros: Option<u64>,
    /// What a build would probably use; null while its phases or its model are unknown.
    #[schema(required)]
    estimate: Option<BuildEstimate>,
    /// The project's choice.
    plan_approval: PlanApproval,
    /// The project's choice.
    executor: Executor,
    /// What a build can use to perform the coder's work; empty while its models are unknown.
    executors: Vec<StartExecutor>,
    /// The coder's model; null if the chosen one is unavailable.
    #[schema(required)]
    model: Option<String>,
    /// The model of each role, and what prevents a build from choosing another one.
    models: Vec<StartModel>,
    /// The phases of its contract, in order.
    phases: Vec<StartPhase>,
    /// A build can start only if this is empty.
    obstacles: Vec<StartObstacle>,
    /// What does not prevent a start, but probably blocks or weakens the build.
    warnings: Vec<StartObstacle>,
}

/// The model of a role in a build.
#[derive(Debug, Serialize, ToSchema)]
pub struct StartModel {
    role: Role,
    /// Null if a chosen one is unavailable.
    #[schema(required)]
    model: Option<String>,
    /// The setting of the service that names it, so that a build cannot.
    #[schema(required)]
    fixed_by: Option<String>,
}

/// What performs the coder's work.
#[derive(Debug, Serialize, ToSchema)]
pub struct StartExecutor {
    executor: Executor,
    label: String,
    /// Of the program that is installed; null if there is none, or its version is unknown.
    #[schema(required)]
    version: Option<String>,
    /// Why a build cannot use it.
    #[schema(required)]
    obstacle: Option<String>,
}

/// A phase that a build can begin with.
#[derive(Debug, Serialize, ToSchema)]
pub struct StartPhase {
    /// From 0.
    number: u32,
    title: String,
}

/// Something that is missing for a build.
#[derive(Debug, Serialize, ToSchema)]
pub struct StartObstacle {
    kind: StartObstacleKind,
    /// What is missing, and how to provide it.
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartObstacleKind {
    /// A model that can be used.
    Model,
    /// A limit in US dollars, or a model with a known price.
    Budget,
    /// A valid phases contract.
    Phases,
    /// Contracts without gaps.
    Gaps,
    /// Requirements that phases cover and prove.
    Requirements,
    /// A coding agent that can be used.
    Executor,
    /// A sandbox for commands.
    Sandbox,
    /// Gates, and programs that they need.
    Gates,
    /// A baseline branch with a commit.
    Repository,
    /// Fewer unfinished builds of the project.
    OtherBuilds,
}

/// What a build of the project would use if it were started now, and what prevents it from
/// starting.
#[utoipa::path(get, path = "/api/projects/{project}/build-readiness", tag = "builds",
    params(("project" = String, Path, description = "The project's id or slug"), StartParams), responses(
        (status = 200, body = BuildReadiness),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_readiness(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    QueryParams(params): QueryParams<StartParams>,
) -> Result<Json<BuildReadiness>, ApiError> {
    let found = app.engine.build_readiness(&project, &params.choices(by.actor())).await?;
    let models = models(&app, &project, found.models.as_ref()).await?;
    let phases = found.phases.into_iter();
    let phases =
        phases.map(|phase| StartPhase { number: phase.number, title: phase.title }).collect();
    let warnings = found.warnings.iter().map(|warning| StartObstacle {
        kind: StartObstacleKind::Gates,
        message: sentence(warning),
    });
    let warnings = warnings.collect();
    let executors = found.executors.into_iter().map(|choice| StartExecutor {
        executor: choice.executor,
        label: choice.executor.label().to_owned(),
        version: choice.version,
        obstacle: choice.obstacle,
    });
    let obstacles = found.obstacles.into_iter().map(obstacle).collect::<Result<_, _>>()?;
    Ok(Json(BuildReadiness {
        budgets: found.budgets,
        installation_budgets: found.installation_budgets,
        installation_limits: found.installation_limits,
        project_limits: found.project_limits,
        needs_limit: found.needs_limit,
        suggested_usd_micros: found.estimate.as_ref().and_then(suggested_limit),
        estimate: found.estimate,
        plan_approval: found.plan_approval,
        executor: found.executor,
        executors: executors.collect(),
        model: found.model,
        models,
        phases,
        obstacles,
        warnings,
    }))
}

async fn models(
    app: &App,
    project: &Project,
    models: Option<&Models>,
) -> Result<Vec<StartModel>, ApiError> {
    let source = app.engine.model_source().await?;
    let fixed = |role| match project.origin {
        Origin::Demo => Some("the demo project".to_owned()),
        Origin::Questionnaire => {
            let fixed = source.fixed.get(&Some(role));
            fixed.map(|fixed| fixed.fixed_by.clone())
        }
    };
    let show = |role: Role| StartModel {
        role,
        model: models.map(|models| models.of(role).qualified_name()),
        fixed_by: fixed(role),
    };
    Ok(Role::ALL.map(show).into())
}

fn obstacle(error: EngineError) -> Result<StartObstacle, ApiError> {
    let kind = match &error {
        EngineError::NoBuildModel
        | EngineError::ModelUnavailable(_)
        | EngineError::InvalidStart(_) => StartObstacleKind::Model,
        EngineError::UnknownPrice(_) => StartObstacleKind::Budget,
        EngineError::NoBaselineBranch(_) => StartObstacleKind::Repository,
        EngineError::NoPhases | EngineError::Phases(_) => StartObstacleKind::Phases,
        EngineError::ContractGaps(_) => StartObstacleKind::Gaps,
        EngineError::Requirements(_) => StartObstacleKind::Requirements,
        EngineError::ExecutorUnavailable { .. } => StartObstacleKind::Executor,
        EngineError::NoSandbox(_) => StartObstacleKind::Sandbox,
        EngineError::BuildLimit(_) => StartObstacleKind::OtherBuilds,
        _ => return Err(error.into()),
    };
    Ok(StartObstacle { kind, message: sentence(&error) })
}
