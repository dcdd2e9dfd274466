//! `/api/projects/{project}/contracts`: the nine contracts of a project.

use std::{collections::BTreeMap, time::Duration};

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    contract::{ContractFormat, ContractSource, ContractType, VersionSource},
    phases::{self, DescribedPhase, PhaseOutline},
    questionnaire::Size,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    check::Check,
    extract::{Json, PathParams},
    identity::Identity,
    list::List,
    owned::Owned,
};
use crate::{
    contract_set::ContractText,
    contracts::{self, consistency::Finding},
    store::{self, Conn, contracts::NewContract, projects::Project, questionnaires},
    threads,
};

const CHECK_TIMEOUT: Duration = Duration::from_secs(60);

/// In characters.
pub const MAX_CONTRACT_LENGTH: usize = 200_000;

/// A contract without its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractSummary {
    #[serde(rename = "type")]
    kind: ContractType,
    /// Incremented by each change, from 1.
    version: u32,
    /// Where the text comes from.
    source: ContractSource,
    /// When this version was created.
    #[schema(required)]
    updated_at: Option<DateTime<Utc>>,
    /// Estimated tokens of the text.
    tokens: u64,
    /// Gaps (`[TODO: …]`) that are left; a build starts only without any. 0 for an example.
    gap_count: usize,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Contract {
    #[serde(rename = "type")]
    pub kind: ContractType,
    /// Incremented by each change, from 1.
    pub version: u32,
    /// Where the text comes from.
    source: ContractSource,
    format: ContractFormat,
    content: String,
    /// Gaps (`[TODO: …]`) that are left; a build starts only without any. 0 for an example.
    pub gap_count: usize,
    /// The phases of a valid phases contract; null for other contracts.
    #[schema(required)]
    phases: Option<Vec<ContractPhase>>,
    /// When this version was created.
    #[schema(required)]
    updated_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ContractPhase {
    /// From 0 without gaps, also if the text counts from 1.
    number: u32,
    title: String,
    /// Empty if the text has none.
    objective: String,
    deliverables: Vec<String>,
    /// Each as written, with the id of its requirement and its proof.
    exit_criteria: Vec<String>,
}

/// A new version of a contract.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateContractRequest {
    /// At most 200,000 characters, in the contract's format.
    #[schema(min_length = 1, max_length = 200_000)]
    content: String,
    /// The version that was edited; 0 for none. If omitted, changes made since then are
    /// overwritten.
    #[serde(default)]
    version: Option<u32>,
    /// True: also write a text that has less than a fifth of the current length.
    #[serde(default)]
    confirm: bool,
}

/// Contracts written elsewhere.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ImportContractsRequest {
    /// Contract type → text, each in its format and with at most 200,000 characters.
    contracts: BTreeMap<ContractType, String>,
    /// True: also write texts that have less than a fifth of the current length.
    #[serde(default)]
    confirm: bool,
}

/// Conflicts between the contracts of a project.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractFindings {
    /// In the order of the contracts and their lines.
    items: Vec<Finding>,
    /// False if a contract is not written yet or has gaps: then there may be more conflicts.
    is_complete: bool,
}

#[derive(Debug, Deserialize)]
pub struct ContractParams {
    #[serde(rename = "type")]
    pub(super) kind: ContractType,
}

impl From<&ContractText> for ContractSummary {
    fn from(text: &ContractText) -> Self {
        Self {
            kind: text.kind,
            version: text.version,
            source: text.source,
            updated_at: text.updated_at,
            tokens: llm::estimated_tokens(&text.content),
            gap_count: text.gap_count(),
        }
    }
}

impl From<&ContractText> for Contract {
    fn from(text: &ContractText) -> Self {
        Self {
            kind: text.kind,
            version: text.version,
            source: text.source,
            format: text.kind.format(),
            content: text.content.clone(),
            gap_count: text.gap_count(),
            phases: phases_of(text),
            updated_at: text.updated_at,
        }
    }
}

impl From<DescribedPhase> for ContractPhase {
    fn from(DescribedPhase { outline, objective }: DescribedPhase) -> Self {
        let PhaseOutline { number, title, deliverables, .. } = outline;
        let exit_criteria = outline.exit_criteria.into_iter().map(|it| it.text).collect();
        Self { number, title, objective, deliverables, exit_criteria }
    }
}

/// Lists all nine contracts, with the neutral template for those that the project does not have.
#[utoipa::path(get, path = "/api/projects/{project}/contracts", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = List<ContractSummary>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_contracts(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<List<ContractSummary>>, ApiError> {
    let set = contracts::of_project(&mut app.db.read().await?, project.id).await?;
    Ok(Json(List::unpaginated(set.iter().map(ContractSummary::from).collect())))
}

/// Gets the newest version of a contract, or the neutral template.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/{type}", tag = "projects", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("type" = ContractType, Path, description = "The contract's type"),
    ), responses(
        (status = 200, body = Contract),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_contract(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    PathParams(ContractParams { kind }): PathParams<ContractParams>,
) -> Result<Json<Contract>, ApiError> {
    let set = contracts::of_project(&mut app.db.read().await?, project.id).await?;
    Ok(Json(set.get(kind).into()))
}

/// Writes a new version. Running builds keep the version they started with.
#[utoipa::path(put, path = "/api/projects/{project}/contracts/{type}", tag = "projects", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("type" = ContractType, Path, description = "The contract's type"),
    ), request_body = UpdateContractRequest, responses(
        (status = 200, body = Contract),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_contract(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    PathParams(ContractParams { kind }): PathParams<ContractParams>,
    Json(request): Json<UpdateContractRequest>,
) -> Result<Json<Contract>, ApiError> {
    let mut check = Check::new();
    let content = check.text("content", &request.content, 1, MAX_CONTRACT_LENGTH);
    check.done()?;
    let size = size(&mut app.db.read().await?, &project).await?;
    let validated = contracts::validate_for(kind, &content, size);
    validated.map_err(|error| ApiError::invalid("content", error.to_string()))?;
    let mut tx = app.db.write().await?;
    let set = contracts::of_project(&mut tx, project.id).await?;
    if request.version.is_some_and(|seen| seen != set.get(kind).version) {
        return Err(changed_since());
    }
    if !request.confirm && is_much_shorter(set.get(kind), &content) {
        return Err(confirm_length(&[kind]));
    }
    let next = next_version(&project, &by, kind, &content, VersionSource::Edited);
    store::contracts::insert(&mut tx, &next).await.map_err(write_error)?;
    let set = contracts::of_project(&mut tx, project.id).await?;
    tx.commit().await?;
    Ok(Json(set.get(kind).into()))
}

/// Writes a new version of each contract whose text differs from the current one, or of none if one
/// is invalid.
#[utoipa::path(post, path = "/api/projects/{project}/contracts", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = ImportContractsRequest, responses(
        (status = 200, body = List<ContractSummary>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn import_contracts(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    Json(request): Json<ImportContractsRequest>,
) -> Result<Json<List<ContractSummary>>, ApiError> {
    let size = size(&mut app.db.read().await?, &project).await?;
    let mut check = Check::new();
    if request.contracts.is_empty() {
        check.reject("contracts", "send at least one contract");
    }
    for (kind, content) in &request.contracts {
        let field = format!("contracts.{kind}");
        if content.chars().count() > MAX_CONTRACT_LENGTH {
            check.reject(field, format!("use at most {MAX_CONTRACT_LENGTH} characters"));
        } else if let Err(error) = contracts::validate_for(*kind, content, size) {
            check.reject(field, error.to_string());
        }
    }
    check.done()?;
    let mut tx = app.db.write().await?;
    let set = contracts::of_project(&mut tx, project.id).await?;
    let changed = request.contracts.iter().filter(|(kind, content)| {
        let current = set.get(**kind);
        current.source == ContractSource::Template || current.content != **content
    });
    let changed: Vec<_> = changed.collect();
    let shorter = changed.iter().filter(|(kind, text)| is_much_shorter(set.get(**kind), text));
    let shorter: Vec<ContractType> = shorter.map(|(kind, _)| **kind).collect();
    if !request.confirm && !shorter.is_empty() {
        return Err(confirm_length(&shorter));
    }
    for (kind, content) in changed {
        let next = next_version(&project, &by, *kind, content, VersionSource::Imported);
        store::contracts::insert(&mut tx, &next).await.map_err(write_error)?;
    }
    let set = contracts::of_project(&mut tx, project.id).await?;
    tx.commit().await?;
    Ok(Json(List::unpaginated(set.iter().map(ContractSummary::from).collect())))
}

/// Lists inconsistencies between the contracts. Those about requirements prevent a build.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/findings", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = ContractFindings),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_contract_findings(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<ContractFindings>, ApiError> {
    let set = contracts::of_project(&mut app.db.read().await?, project.id).await?;
    let is_written = |text: &ContractText| text.source != ContractSource::Template;
    let is_complete = set.iter().all(|text| is_written(text) && text.gap_count() == 0);
    let check = move || contracts::consistency::check(&set);
    let items = threads::run(CHECK_TIMEOUT, check).await?;
    Ok(Json(ContractFindings { items, is_complete }))
}

/// The project's size, from its questionnaire.
async fn size(conn: &mut Conn, project: &Project) -> store::Result<Size> {
    let row = questionnaires::get(conn, project.id).await?;
    Ok(row.map_or(Size::Full, |row| row.size))
}

fn phases_of(text: &ContractText) -> Option<Vec<ContractPhase>> {
    if text.kind != ContractType::Phases {
        return None;
    }
    let phases = phases::describe(&text.content).ok()?;
    Some(phases.into_iter().map(ContractPhase::from).collect())
}

pub(super) fn next_version<'a>(
    project: &Project,
    by: &Identity,
    kind: ContractType,
    content: &'a str,
    source: VersionSource,
) -> NewContract<'a> {
    NewContract {
        id: store::new_id(),
        project_id: project.id,
        kind,
        format: kind.format(),
        content,
        source,
        author_id: Some(by.user.id),
        created_at: store::now(),
    }
}

fn is_much_shorter(current: &ContractText, content: &str) -> bool {
    current.source != ContractSource::Template
        && contracts::shrinkage::is_much_shorter(&current.content, content)
}

fn confirm_length(kinds: &[ContractType]) -> ApiError {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    ApiError::confirmation_required(format!(
        "The new text has less than a fifth of the current length: {}. Nothing was saved. Send the \
         request again with confirm set to true if that is intended.",
        names.join(", ")
    ))
}

pub(super) fn write_error(error: store::Error) -> ApiError {
    match error {
        store::Error::AlreadyExists(_) => changed_since(),
        error => error.into(),
    }
}

pub(super) fn changed_since() -> ApiError {
    ApiError::conflict("This contract was changed since you read it. Load it again.")
}
