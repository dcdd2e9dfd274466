//! `/api/projects/{project}/contracts`: the nine documents.

use std::collections::BTreeMap;

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    contract::{ContractFormat, ContractSource, ContractType, VersionSource},
    ids::ProjectId,
    questionnaire::Size,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app::Shared,
    check::Check,
    extract::{Json, Params},
    identity::Identity,
    list::List,
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::{
    contracts::{self, consistency::Finding},
    store::{self, Conn, contracts::NewContract, projects::Project, questionnaires},
    tools::ContractText,
};

/// The longest contract.
const LONGEST: usize = 200_000;

/// A contract without its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractSummary {
    /// Which of the nine.
    #[serde(rename = "type")]
    kind: ContractType,
    /// Grows with each change, from 1.
    version: u32,
    /// Where the text comes from.
    source: ContractSource,
    /// When this version was written.
    #[schema(required)]
    updated_at: Option<DateTime<Utc>>,
    /// What reading it costs a model, estimated.
    tokens: u64,
}

/// A contract.
#[derive(Debug, Serialize, ToSchema)]
pub struct Contract {
    /// Which of the nine.
    #[serde(rename = "type")]
    kind: ContractType,
    /// Grows with each change, from 1.
    version: u32,
    /// Where the text comes from.
    source: ContractSource,
    /// How it is written.
    format: ContractFormat,
    /// The text.
    content: String,
    /// When this version was written.
    #[schema(required)]
    updated_at: Option<DateTime<Utc>>,
}

/// The text of a new version.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateContractRequest {
    /// At most 200,000 characters, in the contract's format.
    content: String,
    /// The version that the writer saw; 0 for none. Without it, whatever is there is followed.
    #[serde(default)]
    version: Option<u32>,
}

/// Contracts that were made elsewhere.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ImportContractsRequest {
    /// Type → text, each in its format and of at most 200,000 characters.
    contracts: BTreeMap<ContractType, String>,
}

/// Which contract a path names.
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
            updated_at: text.updated_at,
        }
    }
}

/// All nine in their order; where the project has none, the neutral example.
#[utoipa::path(get, path = "/api/projects/{project}/contracts", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = List<ContractSummary>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_contracts(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
) -> Result<Json<List<ContractSummary>>, Problem> {
    let set = contracts::of_project(&mut app.db.read().await?, project.id).await?;
    Ok(Json(List::whole(set.iter().map(ContractSummary::from).collect())))
}

/// The newest version of one contract, or the neutral example.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/{type}", tag = "projects", params(
        ("project" = ProjectId, Path, description = "The project's id"),
        ("type" = ContractType, Path, description = "Which of the nine"),
    ), responses(
        (status = 200, body = Contract),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_contract(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Params(ContractParams { kind }): Params<ContractParams>,
) -> Result<Json<Contract>, Problem> {
    let set = contracts::of_project(&mut app.db.read().await?, project.id).await?;
    Ok(Json(set.get(kind).into()))
}

/// Writes the next version. Builds that run keep the one they started with.
#[utoipa::path(put, path = "/api/projects/{project}/contracts/{type}", tag = "projects", params(
        ("project" = ProjectId, Path, description = "The project's id"),
        ("type" = ContractType, Path, description = "Which of the nine"),
    ), request_body = UpdateContractRequest, responses(
        (status = 200, body = Contract),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn update_contract(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
    Params(ContractParams { kind }): Params<ContractParams>,
    Json(request): Json<UpdateContractRequest>,
) -> Result<Json<Contract>, Problem> {
    let mut check = Check::new();
    let content = check.text("content", &request.content, 1, LONGEST);
    check.done()?;
    let size = size(&mut app.db.read().await?, &project).await?;
    let fits = contracts::validate_for(kind, &content, size);
    fits.map_err(|misfit| Problem::invalid("content", misfit.to_string()))?;
    let mut tx = app.db.write().await?;
    let set = contracts::of_project(&mut tx, project.id).await?;
    if request.version.is_some_and(|seen| seen != set.get(kind).version) {
        return Err(changed_since());
    }
    let next = next(&project, &by, kind, &content, VersionSource::Edited);
    store::contracts::insert(&mut tx, &next).await.map_err(refused)?;
    let set = contracts::of_project(&mut tx, project.id).await?;
    tx.commit().await?;
    Ok(Json(set.get(kind).into()))
}

/// Writes the next version of each contract that is sent: all of them, or none.
#[utoipa::path(post, path = "/api/projects/{project}/contracts", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")),
    request_body = ImportContractsRequest, responses(
        (status = 200, body = List<ContractSummary>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn import_contracts(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
    Json(request): Json<ImportContractsRequest>,
) -> Result<Json<List<ContractSummary>>, Problem> {
    let size = size(&mut app.db.read().await?, &project).await?;
    let mut check = Check::new();
    if request.contracts.is_empty() {
        check.refuse("contracts", "send at least one contract");
    }
    for (kind, content) in &request.contracts {
        let field = format!("contracts.{kind}");
        if content.chars().count() > LONGEST {
            check.refuse(field, format!("use at most {LONGEST} characters"));
        } else if let Err(misfit) = contracts::validate_for(*kind, content, size) {
            check.refuse(field, misfit.to_string());
        }
    }
    check.done()?;
    let mut tx = app.db.write().await?;
    for (kind, content) in &request.contracts {
        let next = next(&project, &by, *kind, content, VersionSource::Imported);
        store::contracts::insert(&mut tx, &next).await.map_err(refused)?;
    }
    let set = contracts::of_project(&mut tx, project.id).await?;
    tx.commit().await?;
    Ok(Json(List::whole(set.iter().map(ContractSummary::from).collect())))
}

/// In what the nine disagree. Nothing is stopped by it.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/findings", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = List<Finding>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_contract_findings(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
) -> Result<Json<List<Finding>>, Problem> {
    let set = contracts::of_project(&mut app.db.read().await?, project.id).await?;
    let check = move || contracts::consistency::check(&set);
    let findings = tokio::task::spawn_blocking(check).await.map_err(Problem::internal)?;
    Ok(Json(List::whole(findings)))
}

/// How large the project is, as its questionnaire says.
async fn size(conn: &mut Conn, project: &Project) -> store::Result<Size> {
    let row = questionnaires::get(conn, project.id).await?;
    Ok(row.map_or(Size::Full, |row| row.size))
}

fn next<'a>(
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

fn refused(error: store::Error) -> Problem {
    match error {
        store::Error::AlreadyExists(_) => changed_since(),
        error => error.into(),
    }
}

fn changed_since() -> Problem {
    Problem::conflict("Somebody else has changed this contract since you read it.")
}
