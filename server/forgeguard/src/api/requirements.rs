//! `/api/projects/{project}/requirements` and `/api/builds/{build}/requirements`: what the blueprint
//! requires, and what is proven.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use axum::extract::State;
use domain::{
    contract::{ContractSource, ContractType, VersionSource},
    event::confirmations::{RequirementChange, RequirementChanged},
    ids::BuildId,
    requirement::RequirementId,
    requirement_edits::{self, RequirementEdit},
    requirements::{self, Requirement, Source},
    seal::matrix::{self, MatrixRow},
    state::Status,
    verdict::Standing,
};
use git::{DiffTarget, Sha};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    branch_view,
    check::Check,
    contracts::{MAX_CONTRACT_LENGTH, changed_since, next_version, write_error},
    extract::{Json, PathParams, QueryParams},
    identity::Identity,
    owned::{Owned, ProjectBuild},
    reviewed::Reviewed,
};
use crate::{
    contracts,
    engine::commits,
    store::{self, builds::Build, projects::Project},
};

/// Builds searched for the newest sealed one that proves requirements.
const MAX_LOOK_BACK: i64 = 50;
/// In characters.
const MAX_TEXT_LENGTH: usize = 2_000;

/// The requirements of a project's blueprint.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectRequirements {
    /// The blueprint's version; 0 if it is not written yet.
    version: u32,
    /// The sealed build that the states are taken from.
    #[schema(required)]
    build_id: Option<BuildId>,
    /// The number of that build.
    #[schema(required)]
    build_number: Option<u32>,
    items: Vec<ProjectRequirement>,
    /// What is wrong with the section, each with its line.
    problems: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectRequirement {
    #[serde(flatten)]
    requirement: Requirement,
    /// The phases of the current phases contract that cover it.
    phases: Vec<u32>,
    state: RequirementState,
    /// Why, in one sentence.
    reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequirementState {
    Proven,
    Open,
    NotProven,
    /// It was changed since it was proven.
    Stale,
    /// No sealed build contains it.
    NotBuilt,
}

/// The requirements of a build, with their proofs.
#[derive(Debug, Serialize, ToSchema)]
pub struct RequirementsMatrix {
    /// In the order of the blueprint; empty if it gives its requirements no ids.
    items: Vec<MatrixRow>,
    /// The files that the commits of each phase changed.
    phase_files: Vec<PhaseFiles>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PhaseFiles {
    phase: u32,
    /// By path.
    files: Vec<String>,
}

/// Confirms or rewords a requirement: it is stated from then on.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateRequirementRequest {
    /// The blueprint's version that was read.
    version: u32,
    /// If omitted, the text stays as it is. One line with at most 2,000 characters.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 2_000)]
    text: Option<String>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RemoveRequirementQuery {
    /// The blueprint's version that was read.
    version: u32,
}

#[derive(Debug, Deserialize)]
pub struct RequirementParams {
    requirement: RequirementId,
}

/// Lists the requirements of the blueprint, with their states in the newest sealed build.
#[utoipa::path(get, path = "/api/projects/{project}/requirements", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = ProjectRequirements),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_requirements(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<ProjectRequirements>, ApiError> {
    Ok(Json(of_project(&app, &project).await?))
}

/// Confirms an assumption, or changes the text of a requirement, in a new version of the blueprint.
#[utoipa::path(patch, path = "/api/projects/{project}/requirements/{requirement}", tag = "projects",
    params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("requirement" = String, Path, description = "The requirement's id, such as R-7"),
    ), request_body = UpdateRequirementRequest, responses(
        (status = 200, body = ProjectRequirements),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_requirement(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    PathParams(RequirementParams { requirement }): PathParams<RequirementParams>,
    Json(request): Json<UpdateRequirementRequest>,
) -> Result<Json<ProjectRequirements>, ApiError> {
    let mut check = Check::new();
    let text = request.text.as_deref().map(|text| check.text("text", text, 1, MAX_TEXT_LENGTH));
    if text.as_deref().is_some_and(|text| text.lines().count() > 1) {
        check.reject("text", "write one line");
    }
    check.done()?;
    let edit = text.as_deref().map_or(RequirementEdit::Confirm, RequirementEdit::Reword);
    rewrite(&app, &project, &by, (requirement, request.version), edit).await?;
    Ok(Json(of_project(&app, &project).await?))
}

/// Removes a requirement with its scenarios, in a new version of the blueprint.
#[utoipa::path(delete, path = "/api/projects/{project}/requirements/{requirement}", tag = "projects",
    params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("requirement" = String, Path, description = "The requirement's id, such as R-7"),
        RemoveRequirementQuery,
    ), responses(
        (status = 200, body = ProjectRequirements),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn remove_requirement(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    PathParams(RequirementParams { requirement }): PathParams<RequirementParams>,
    QueryParams(query): QueryParams<RemoveRequirementQuery>,
) -> Result<Json<ProjectRequirements>, ApiError> {
    let subject = (requirement, query.version);
    rewrite(&app, &project, &by, subject, RequirementEdit::Remove).await?;
    Ok(Json(of_project(&app, &project).await?))
}

/// Gets the requirements of a build, each with its criteria, their proofs and the files changed for it.
#[utoipa::path(get, path = "/api/builds/{build}/requirements", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = RequirementsMatrix),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_requirements(
    State(app): State<Shared>,
    Owned { resource: build, .. }: Owned<ProjectBuild>,
) -> Result<Json<RequirementsMatrix>, ApiError> {
    of_build(&app, &build).await
}

/// Gets the requirements of a sealed build, as its owner sees them.
#[utoipa::path(get, path = "/api/reviews/{build}/requirements", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = RequirementsMatrix),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_review_requirements(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
) -> Result<Json<RequirementsMatrix>, ApiError> {
    of_build(&app, &build).await
}

async fn of_build(app: &App, build: &ProjectBuild) -> Result<Json<RequirementsMatrix>, ApiError> {
    let (_, state) = app.journal.folded_at(build.build.id, build.build.head_seq).await?;
    let items = matrix::matrix(&state);
    let phase_files = if items.is_empty() { Vec::new() } else { phase_files(app, build).await? };
    Ok(Json(RequirementsMatrix { items, phase_files }))
}

async fn of_project(app: &App, project: &Project) -> Result<ProjectRequirements, ApiError> {
    let mut conn = app.db.read().await?;
    let set = contracts::of_project(&mut conn, project.id).await?;
    let builds = store::builds::list(&mut conn, project.id, None, MAX_LOOK_BACK).await?;
    drop(conn);
    let blueprint = set.get(ContractType::Blueprint);
    let is_written = |kind| set.get(kind).source != ContractSource::Template;
    if !is_written(ContractType::Blueprint) {
        let (items, problems) = (Vec::new(), Vec::new());
        return Ok(ProjectRequirements {
            version: 0,
            build_id: None,
            build_number: None,
            items,
            problems,
        });
    }
    let read = requirements::parse(&blueprint.content).unwrap_or_default();
    let outlines = match is_written(ContractType::Phases) {
        true => domain::phases::parse(&set.get(ContractType::Phases).content).unwrap_or_default(),
        false => Vec::new(),
    };
    let covering = |id: RequirementId| {
        let covers = outlines.iter().filter(|phase| {
            let criteria = phase.exit_criteria.iter().filter_map(|criterion| criterion.id);
            phase.covers.iter().copied().chain(criteria).any(|it| it.requirement() == id)
        });
        covers.map(|phase| phase.number).collect()
    };
    let proven = match read.items.is_empty() {
        true => None,
        false => newest_matrix(app, &builds).await?,
    };
    let build = proven.as_ref().map(|(build, _)| *build);
    let rows = proven.map_or(Vec::new(), |(_, rows)| rows);
    let items = read.items.into_iter().map(|requirement| {
        let (state, reason) = state_in(&rows, &requirement);
        let phases = covering(requirement.id);
        ProjectRequirement { requirement, phases, state, reason }
    });
    Ok(ProjectRequirements {
        version: blueprint.version,
        build_id: build.map(|(id, _)| id),
        build_number: build.map(|(_, number)| number),
        items: items.collect(),
        problems: read.problems.iter().map(ToString::to_string).collect(),
    })
}

/// Of the newest sealed build that has requirements; follow-ups have none.
async fn newest_matrix(
    app: &App,
    builds: &[Build],
) -> Result<Option<((BuildId, u32), Vec<MatrixRow>)>, ApiError> {
    for build in builds.iter().filter(|build| build.status == Status::Sealed) {
        let (_, state) = app.journal.folded_at(build.id, build.head_seq).await?;
        if !state.queued.requirements.is_empty() {
            return Ok(Some(((build.id, build.number), matrix::matrix(&state))));
        }
    }
    Ok(None)
}

fn state_in(rows: &[MatrixRow], requirement: &Requirement) -> (RequirementState, String) {
    let Some(row) = rows.iter().find(|row| row.requirement.id == requirement.id) else {
        return (RequirementState::NotBuilt, "no sealed build contains it".to_owned());
    };
    let scenarios = |it: &Requirement| -> Vec<String> {
        it.scenarios.iter().map(|scenario| scenario.text.clone()).collect()
    };
    let built = &row.requirement;
    if built.text != requirement.text || scenarios(built) != scenarios(requirement) {
        return (RequirementState::Stale, "it was changed since the last sealed build".to_owned());
    }
    let is_proven = !row.criteria.is_empty()
        && row.criteria.iter().all(|criterion| criterion.proof.standing == Standing::Holds);
    if is_proven && requirement.source == Source::Stated && built.source == Source::Assumed {
        return (RequirementState::Proven, "it is proven, and was confirmed since".to_owned());
    }
    let state = match row.standing {
        Standing::Holds => RequirementState::Proven,
        Standing::Open => RequirementState::Open,
        Standing::Broken => RequirementState::NotProven,
    };
    (state, row.reason.clone())
}

/// Applies what a user answered about assumptions to the blueprint, in a new version. What the
/// current version no longer contains as an assumption stays as it is.
pub async fn apply_answer(
    app: &App,
    project: &Project,
    by: &Identity,
    changes: &[RequirementChanged],
) -> Result<(), ApiError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut tx = app.db.write().await?;
    let set = contracts::of_project(&mut tx, project.id).await?;
    let before = &set.get(ContractType::Blueprint).content;
    let mut content = before.clone();
    for RequirementChanged { id, change, .. } in changes {
        let items = requirements::parse(&content).unwrap_or_default().items;
        let is_assumed = |it: &Requirement| it.id == *id && it.source == Source::Assumed;
        if !items.iter().any(is_assumed) {
            continue;
        }
        let edit = match change {
            RequirementChange::Confirmed => RequirementEdit::Confirm,
            RequirementChange::Reworded { text } => RequirementEdit::Reword(text),
            RequirementChange::Removed => RequirementEdit::Remove,
        };
        match requirement_edits::edit(&content, *id, edit) {
            Some(edited) => content = edited,
            None => tracing::warn!(%id, project_id = %project.id, "the blueprint was not edited"),
        }
    }
    if content == *before || content.chars().count() > MAX_CONTRACT_LENGTH {
        return Ok(());
    }
    let next = next_version(project, by, ContractType::Blueprint, &content, VersionSource::Edited);
    store::contracts::insert(&mut tx, &next).await.map_err(write_error)?;
    Ok(tx.commit().await?)
}

async fn rewrite(
    app: &App,
    project: &Project,
    by: &Identity,
    (id, version): (RequirementId, u32),
    edit: RequirementEdit<'_>,
) -> Result<(), ApiError> {
    let mut tx = app.db.write().await?;
    let set = contracts::of_project(&mut tx, project.id).await?;
    let blueprint = set.get(ContractType::Blueprint);
    if blueprint.version != version {
        return Err(changed_since());
    }
    let exists = requirements::parse(&blueprint.content).is_some_and(|read| read.defines(id));
    if !exists {
        return Err(ApiError::not_found("requirement"));
    }
    let content = requirement_edits::edit(&blueprint.content, id, edit).ok_or_else(|| {
        ApiError::conflict(format!(
            "{id} cannot be changed here because of how the text around it is written. Nothing was \
             saved. Edit it in the blueprint."
        ))
    })?;
    if content.chars().count() > MAX_CONTRACT_LENGTH {
        let reason = format!("the blueprint would exceed {MAX_CONTRACT_LENGTH} characters");
        return Err(ApiError::invalid("text", reason));
    }
    let kind = ContractType::Blueprint;
    let next = next_version(project, by, kind, &content, VersionSource::Edited);
    store::contracts::insert(&mut tx, &next).await.map_err(write_error)?;
    Ok(tx.commit().await?)
}

async fn phase_files(app: &App, build: &ProjectBuild) -> Result<Vec<PhaseFiles>, ApiError> {
    let recorded = commits::recorded(&mut app.db.read().await?, build.build.id).await?;
    let of_phases: HashMap<Sha, u32> = recorded
        .iter()
        .filter_map(|commit| Some((commit.sha.parse().ok()?, commit.phase?)))
        .collect();
    let read = branch_view::read(app, build, move |branch| {
        let mut files = BTreeMap::<u32, BTreeSet<String>>::new();
        for commit in branch.commits()? {
            let (Some(phase), Some(parent)) = (of_phases.get(&commit.sha), commit.parent) else {
                continue;
            };
            let changed = git::diff_files(branch.clone(), parent, DiffTarget::Commit(commit.sha))?;
            let paths = changed.files.into_iter().map(|file| file.path);
            files.entry(*phase).or_default().extend(paths);
        }
        Ok(files)
    });
    let files = read.await?.unwrap_or_default();
    Ok(files
        .into_iter()
        .map(|(phase, files)| PhaseFiles { phase, files: files.into_iter().collect() })
        .collect())
}
