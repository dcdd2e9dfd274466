//! `/api/projects/{project}/contracts/{type}/versions`: how a contract came to be what it is, and
//! `/api/projects/{project}/contracts.zip`: all of them to take along.

use std::io::{Cursor, Write};

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use domain::{
    contract::{ContractFormat, ContractSource, ContractType, VersionSource},
    ids::ProjectId,
};
use git::FileDiff;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    app::Shared,
    contracts::ContractParams,
    extract::{Json, Params, Search},
    list::{List, Page},
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::{
    contracts as texts,
    store::{
        Conn,
        contracts::{self as rows, Edition},
        projects::Project,
    },
};

/// One version of a contract, without its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractVersion {
    /// From 1, without holes.
    version: u32,
    /// How it came to be.
    source: VersionSource,
    /// Name of the person who wrote it; null where nobody did.
    #[schema(required)]
    author: Option<String>,
    /// Characters of its text.
    length: u32,
    /// When it was written.
    created_at: DateTime<Utc>,
}

/// One version of a contract, with its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractVersionText {
    /// From 1, without holes.
    version: u32,
    /// How it came to be.
    source: VersionSource,
    /// How it is written.
    format: ContractFormat,
    /// The text.
    content: String,
    /// When it was written.
    created_at: DateTime<Utc>,
}

/// Which version of a contract a path names.
#[derive(Debug, Deserialize)]
pub struct VersionParams {
    #[serde(rename = "type")]
    kind: ContractType,
    version: u32,
}

/// Which two versions are compared.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CompareQuery {
    /// The older one; 0 is an empty text.
    from: u32,
    /// The newer one.
    to: u32,
}

impl From<Edition> for ContractVersion {
    fn from(edition: Edition) -> Self {
        let Edition { version, source, author, length, created_at } = edition;
        Self { version, source, author, length, created_at }
    }
}

/// The versions of a contract, newest first.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/{type}/versions", tag = "projects",
    params(
        Page,
        ("project" = ProjectId, Path, description = "The project's id"),
        ("type" = ContractType, Path, description = "Which of the nine"),
    ), responses(
        (status = 200, body = List<ContractVersion>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_contract_versions(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Params(ContractParams { kind }): Params<ContractParams>,
    Search(page): Search<Page>,
) -> Result<Json<List<ContractVersion>>, Problem> {
    let (before, limit) = (page.after()?, page.rows()?);
    let mut conn = app.db.read().await?;
    let found = rows::history(&mut conn, project.id, kind, before, limit).await?;
    page.list(found, |row| row.version.to_string(), ContractVersion::from).map(Json)
}

/// One version with its text.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/{type}/versions/{version}",
    tag = "projects", params(
        ("project" = ProjectId, Path, description = "The project's id"),
        ("type" = ContractType, Path, description = "Which of the nine"),
        ("version" = u32, Path, description = "From 1"),
    ), responses(
        (status = 200, body = ContractVersionText),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_contract_version(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Params(VersionParams { kind, version }): Params<VersionParams>,
) -> Result<Json<ContractVersionText>, Problem> {
    let row = read(&mut app.db.read().await?, project.id, kind, version).await?;
    let rows::Contract { version, source, format, content, created_at, .. } = row;
    Ok(Json(ContractVersionText { version, source, format, content, created_at }))
}

/// What changed between two versions.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/{type}/diff", tag = "projects",
    params(
        CompareQuery,
        ("project" = ProjectId, Path, description = "The project's id"),
        ("type" = ContractType, Path, description = "Which of the nine"),
    ), responses(
        (status = 200, body = FileDiff),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_contract_diff(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Params(ContractParams { kind }): Params<ContractParams>,
    Search(CompareQuery { from, to }): Search<CompareQuery>,
) -> Result<Json<FileDiff>, Problem> {
    let mut conn = app.db.read().await?;
    let old = match from {
        0 => String::new(),
        from => read(&mut conn, project.id, kind, from).await?.content,
    };
    let new = read(&mut conn, project.id, kind, to).await?.content;
    drop(conn);
    let compare = move || git::diff_texts(&kind.file_name(), &old, &new);
    let diff = tokio::task::spawn_blocking(compare).await.map_err(Problem::internal)?;
    diff.map(Json).map_err(Problem::internal)
}

/// All contracts that the project has, as files in a zip archive.
#[utoipa::path(get, path = "/api/projects/{project}/contracts.zip", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = Vec<u8>, content_type = "application/zip"),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn export_contracts(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
) -> Result<Response, Problem> {
    let set = texts::of_project(&mut app.db.read().await?, project.id).await?;
    let own = set.iter().filter(|text| text.source != ContractSource::Template);
    let files: Vec<(String, String)> =
        own.map(|text| (text.kind.file_name(), text.content.clone())).collect();
    if files.is_empty() {
        return Err(Problem::conflict("This project has no contracts yet, so there is no file."));
    }
    let archive = tokio::task::spawn_blocking(move || archive(&files)).await;
    let archive = archive.map_err(Problem::internal)?.map_err(Problem::internal)?;
    let headers = [
        (header::CONTENT_TYPE, "application/zip"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"contracts.zip\""),
    ];
    Ok((headers, archive).into_response())
}

async fn read(
    conn: &mut Conn,
    project: ProjectId,
    kind: ContractType,
    version: u32,
) -> Result<rows::Contract, Problem> {
    let row = rows::version(conn, project, kind, version).await?;
    row.ok_or_else(|| Problem::not_found("version"))
}

fn archive(files: &[(String, String)]) -> zip::result::ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(format!("contracts/{name}"), SimpleFileOptions::default())?;
        zip.write_all(content.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}
