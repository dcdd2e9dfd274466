//! `/api/projects/{project}/spec/documents` and `/issue`: specs in the repository of a project, and in
//! issues at its remote.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::{Json, QueryParams},
    owned::Owned,
};
use crate::store::projects::Project;

/// What may be a spec, at the head of the default branch.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpecDocumentList {
    /// The commit that was read; null if the branch has none.
    #[schema(required)]
    sha: Option<String>,
    items: Vec<SpecDocumentItem>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SpecDocumentItem {
    /// Of a file, or of a folder with documents of Spec Kit or Kiro.
    path: String,
    /// The files that are read, in order.
    files: Vec<String>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SpecTextQuery {
    /// Of a file, or of a folder with documents of Spec Kit or Kiro.
    path: String,
}

/// The text of a spec in the repository. It is not stored.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpecDocumentText {
    /// The commit that was read.
    sha: String,
    /// The files that were read, in order.
    files: Vec<String>,
    text: String,
}

/// An issue at the project's remote.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IssueToRead {
    /// Its number, or the address of its page.
    #[schema(min_length = 1, max_length = 2000)]
    issue: String,
}

/// The text of an issue. It is not stored.
#[derive(Debug, Serialize, ToSchema)]
pub struct IssueText {
    /// The page of the issue.
    url: String,
    /// Its title as a heading, its address and its text.
    text: String,
}

/// Lists what may be a spec in the repository: folders with documents, and Markdown files.
#[utoipa::path(get, path = "/api/projects/{project}/spec/documents", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = SpecDocumentList),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_spec_documents(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<SpecDocumentList>, ApiError> {
    let found = app.engine.list_spec_documents(&project).await?;
    let items = found.specs.into_iter();
    let items = items.map(|it| SpecDocumentItem { path: it.path, files: it.files }).collect();
    Ok(Json(SpecDocumentList { sha: found.sha.map(|sha| sha.to_string()), items }))
}

/// Reads a spec in the repository: a file, or the documents of a folder.
#[utoipa::path(get, path = "/api/projects/{project}/spec/documents/text", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug"), SpecTextQuery),
    responses(
        (status = 200, body = SpecDocumentText),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn read_spec_documents(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    QueryParams(SpecTextQuery { path }): QueryParams<SpecTextQuery>,
) -> Result<Json<SpecDocumentText>, ApiError> {
    let branch = project.default_branch.clone();
    let read = app.engine.read_spec_documents(&project, path).await?;
    let read = read.ok_or_else(|| {
        let text = format!(
            "{branch} has no such text of at most 2 MiB, and no folder of that name with spec.md, \
             requirements.md, plan.md, design.md or tasks.md"
        );
        ApiError::invalid("path", &text)
    })?;
    Ok(Json(SpecDocumentText { sha: read.sha.to_string(), files: read.files, text: read.text }))
}

/// Reads an issue at the project's remote, with the credential of the remote.
#[utoipa::path(post, path = "/api/projects/{project}/spec/issue", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = IssueToRead, responses(
        (status = 200, body = IssueText),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn read_issue(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    Json(IssueToRead { issue }): Json<IssueToRead>,
) -> Result<Json<IssueText>, ApiError> {
    let read = app.engine.read_issue(&project, &issue).await?;
    Ok(Json(IssueText { url: read.url, text: read.text }))
}
