//! `/api/builds/{build}/open-items`, and what users confirm, clear and dismiss in a build.

use axum::extract::State;
use domain::{
    event::confirmations::{
        ConfirmationResult, CriterionConfirmed, FindingDismissed, WeakenedTestCleared,
    },
    finding_id::FindingId,
    ids::BuildId,
    open_items::OpenItems,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    check::Check,
    extract::{Json, PathParams},
    owned::{Owned, ProjectBuild},
};

/// In characters.
const MAX_REASON_LENGTH: usize = 500;

/// What is open in a build, and whether users can settle all of it now.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildOpenItems {
    #[serde(flatten)]
    items: OpenItems,
    /// Whether the build waits for its users before it is sealed. Until then only findings can be
    /// dismissed.
    is_waiting: bool,
    /// The branch's newest commit, to which confirmations refer.
    #[schema(required)]
    head_sha: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ConfirmCriterionRequest {
    result: ConfirmationResult,
    /// At most 500 characters; required for a rejection.
    #[serde(default)]
    #[schema(max_length = 500)]
    note: Option<String>,
    /// The commit that was checked.
    head_sha: String,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ClearWeakenedTestRequest {
    /// 1 to 500 characters.
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
    /// The commit that was checked.
    head_sha: String,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct DismissRequest {
    /// 1 to 500 characters.
    #[schema(min_length = 1, max_length = 500)]
    pub reason: String,
}

#[derive(Debug, Deserialize)]
pub struct CriterionParams {
    phase: u32,
    index: u32,
}

#[derive(Debug, Deserialize)]
pub struct WeakenedTestParams {
    number: u32,
}

#[derive(Debug, Deserialize)]
pub struct FindingParams {
    finding: FindingId,
}

/// Gets what users can settle before the build is sealed.
#[utoipa::path(get, path = "/api/builds/{build}/open-items", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = BuildOpenItems),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_open_items(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
) -> Result<Json<BuildOpenItems>, ApiError> {
    response(&app, resource.build.id).await
}

/// Confirms or rejects an exit criterion, for the branch's newest commit. The last judgement counts.
#[utoipa::path(post, path = "/api/builds/{build}/criteria/{phase}/{index}/confirm", tag = "builds",
    params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("phase" = u32, Path, description = "The phase's number"),
        ("index" = u32, Path, description = "The criterion's number within the phase, from 1"),
    ), request_body = ConfirmCriterionRequest, responses(
        (status = 200, body = BuildOpenItems),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn confirm_criterion(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    PathParams(CriterionParams { phase, index }): PathParams<CriterionParams>,
    Json(request): Json<ConfirmCriterionRequest>,
) -> Result<Json<BuildOpenItems>, ApiError> {
    let ConfirmCriterionRequest { result, note, head_sha } = request;
    let mut check = Check::new();
    let least = usize::from(result == ConfirmationResult::Rejected);
    let note = note.as_deref().unwrap_or_default().trim();
    let note = check.text("note", note, least, MAX_REASON_LENGTH);
    check.done()?;
    let note = Some(note).filter(|note| !note.is_empty());
    let confirmed = CriterionConfirmed { phase, index, result, note, head_sha, by: by.actor() };
    app.engine.settle_item(resource.build.id, confirmed.into()).await?;
    response(&app, resource.build.id).await
}

/// Accepts that the build weakened tests in one place.
#[utoipa::path(post, path = "/api/builds/{build}/weakened-tests/{number}/clear", tag = "builds",
    params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("number" = u32, Path, description = "The number of the place"),
    ), request_body = ClearWeakenedTestRequest, responses(
        (status = 200, body = BuildOpenItems),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn clear_weakened_test(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    PathParams(WeakenedTestParams { number }): PathParams<WeakenedTestParams>,
    Json(request): Json<ClearWeakenedTestRequest>,
) -> Result<Json<BuildOpenItems>, ApiError> {
    let reason = checked_reason(&request.reason)?;
    let head_sha = request.head_sha;
    let cleared = WeakenedTestCleared { number, reason, head_sha, by: by.actor() };
    app.engine.settle_item(resource.build.id, cleared.into()).await?;
    response(&app, resource.build.id).await
}

/// Dismisses a finding of the auditor. Fatal findings cannot be dismissed.
#[utoipa::path(post, path = "/api/builds/{build}/findings/{finding}/dismiss", tag = "builds",
    params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("finding" = String, Path, description = "The finding's id, such as F-1"),
    ), request_body = DismissRequest, responses(
        (status = 200, body = BuildOpenItems),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn dismiss_finding(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    PathParams(FindingParams { finding }): PathParams<FindingParams>,
    Json(request): Json<DismissRequest>,
) -> Result<Json<BuildOpenItems>, ApiError> {
    let dismissed =
        FindingDismissed { id: finding, reason: checked_reason(&request.reason)?, by: by.actor() };
    app.engine.dismiss_finding(resource.build.id, dismissed).await?;
    response(&app, resource.build.id).await
}

/// # Errors
/// If the reason is empty or too long.
pub fn checked_reason(reason: &str) -> Result<String, ApiError> {
    let mut check = Check::new();
    let reason = check.text("reason", reason.trim(), 1, MAX_REASON_LENGTH);
    check.done()?;
    Ok(reason)
}

async fn response(app: &App, build: BuildId) -> Result<Json<BuildOpenItems>, ApiError> {
    let state = app.journal.state(build).await?;
    let is_final = state.status.is_final();
    let items = if is_final { OpenItems::default() } else { state.open_items() };
    let is_waiting = !is_final && state.is_being_confirmed();
    let head_sha = state.branch.as_ref().map(|branch| branch.head_sha.clone());
    Ok(Json(BuildOpenItems { items, is_waiting, head_sha }))
}
