//! `/api/specs` and `/api/projects/{project}/spec`: specs that projects are built from.

use std::time::Duration;

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    audit::AuditAction,
    contract::ContractType,
    spec::{self, ParsedSpec},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    accounts::Person,
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    check::Check,
    contracts::{changed_since, write_error},
    extract::Json,
    identity::Identity,
    owned::Owned,
    projects::record,
};
use crate::{
    contracts::spec_report::SpecReport,
    engine::{
        EngineError,
        specs::{self as engine_specs, AppliedSpec, SpecError},
    },
    store::{self, projects::Project, specs, users},
    threads,
};

/// In characters.
const MAX_SPEC_LENGTH: usize = 500_000;

const PARSE_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug, Deserialize, ToSchema)]
pub struct ValidateSpecRequest {
    /// Markdown of at most 500,000 characters; several documents may follow each other.
    #[schema(max_length = 500_000)]
    text: String,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateSpecRequest {
    /// Markdown of at most 500,000 characters; several documents may follow each other.
    #[schema(min_length = 1, max_length = 500_000)]
    text: String,
    /// The version that was edited; 0 for none. If omitted, changes made since then are
    /// overwritten.
    #[serde(default)]
    version: Option<u32>,
}

/// The current spec of a project.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectSpec {
    /// Incremented by each change, from 1.
    version: u32,
    text: String,
    /// Who submitted this version; null if the account no longer exists.
    #[schema(required)]
    author: Option<Person>,
    /// When this version was created.
    created_at: DateTime<Utc>,
    report: SpecReport,
}

/// A version of a spec, and what it has changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubmittedSpec {
    /// Incremented by each change, from 1.
    version: u32,
    /// Contracts with a new version.
    contracts: Vec<ContractType>,
    /// The command of the required gate.
    #[schema(required)]
    test_command: Option<String>,
    report: SpecReport,
}

/// Validates a spec without storing it. The reply lists all problems with their lines.
#[utoipa::path(post, path = "/api/specs/validate", tag = "projects",
    request_body = ValidateSpecRequest, responses(
        (status = 200, body = SpecReport),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn validate_spec(
    _: Identity,
    Json(request): Json<ValidateSpecRequest>,
) -> Result<Json<SpecReport>, ApiError> {
    let (parsed, _) = parse("text", request.text, 0).await?;
    Ok(Json((&parsed).into()))
}

/// Gets the current spec of a project.
#[utoipa::path(get, path = "/api/projects/{project}/spec", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = ProjectSpec),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_project_spec(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<ProjectSpec>, ApiError> {
    let mut conn = app.db.read().await?;
    let current = specs::current(&mut conn, project.id).await?;
    let specs::Spec { version, content, author_id, created_at } =
        current.ok_or_else(|| ApiError::not_found("spec"))?;
    let author = users::get(&mut conn, author_id).await?;
    drop(conn);
    let author = author.map(|user| Person { id: user.id, name: user.name });
    let (parsed, text) = parse("text", content, 0).await?;
    Ok(Json(ProjectSpec { version, text, author, created_at, report: (&parsed).into() }))
}

/// Submits a spec as the next version: blueprint, phases and builder directive get new versions, and
/// the test command becomes a required gate. Rejected with all problems if it cannot be built.
#[utoipa::path(post, path = "/api/projects/{project}/spec", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = UpdateSpecRequest, responses(
        (status = 201, body = SubmittedSpec),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn submit_spec(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    Json(request): Json<UpdateSpecRequest>,
) -> Result<(StatusCode, Json<SubmittedSpec>), ApiError> {
    let (parsed, text) = parse("text", request.text, 1).await?;
    if !parsed.is_valid() {
        let problems: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
        return Err(ApiError::invalid("text", problems.join("\n")));
    }
    let mut tx = app.db.write().await?;
    let current = specs::current(&mut tx, project.id).await?.map_or(0, |spec| spec.version);
    if request.version.is_some_and(|seen| seen != current) {
        return Err(changed_since());
    }
    let applied = engine_specs::apply(&mut tx, &project, by.user.id, &parsed, &text).await;
    let AppliedSpec { spec, contracts, test_command } = applied.map_err(apply_error)?;
    let detail = json!({ "project": project.name, "version": spec.version });
    record(&mut tx, &by.user, AuditAction::ProjectSpecSubmitted, &project, detail).await?;
    tx.commit().await?;
    let report = (&parsed).into();
    let submitted = SubmittedSpec { version: spec.version, contracts, test_command, report };
    Ok((StatusCode::CREATED, Json(submitted)))
}

/// Parses the spec in a field of a request.
pub async fn parse(
    field: &'static str,
    text: String,
    min: usize,
) -> Result<(ParsedSpec, String), ApiError> {
    let mut check = Check::new();
    let text = check.text(field, &text, min, MAX_SPEC_LENGTH);
    check.done()?;
    Ok(threads::run(PARSE_TIMEOUT, move || (spec::parse(&text), text)).await?)
}

fn apply_error(error: SpecError) -> ApiError {
    match error {
        SpecError::Settings(invalid) => ApiError::invalid(
            "text",
            format!("the test command cannot become a gate: {}", invalid.reason),
        ),
        SpecError::Engine(EngineError::Store(error @ store::Error::AlreadyExists(_))) => {
            write_error(error)
        }
        SpecError::Engine(error) => error.into(),
    }
}
