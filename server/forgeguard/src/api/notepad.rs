//! `/api/projects/{project}/notepad`: a note of the project.

use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    check::Check,
    extract::Json,
    owned::Owned,
};
use crate::store::{
    self,
    notes::{self, Note},
    projects::Project,
};

/// A note that the agents of all builds of the project can read.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Notepad {
    /// Plain text.
    content: String,
    /// Null if it was never written.
    #[schema(required)]
    updated_at: Option<DateTime<Utc>>,
    /// Incremented by each change; 0 if it was never written.
    version: u32,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateNotepadRequest {
    /// At most 20,000 characters.
    #[schema(max_length = 20_000)]
    content: String,
    /// The version that was edited.
    version: u32,
}

impl From<Note> for Notepad {
    fn from(note: Note) -> Self {
        let Note { content, version, updated_at } = note;
        Self { content, updated_at: Some(updated_at), version }
    }
}

/// Gets the note.
#[utoipa::path(get, path = "/api/projects/{project}/notepad", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = Notepad),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_notepad(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
) -> Result<Json<Notepad>, ApiError> {
    let note = notes::get(&mut app.db.read().await?, project.id, by.user.id).await?;
    Ok(Json(note.map(Notepad::from).unwrap_or_default()))
}

/// Replaces the note, unless it was changed since it was read.
#[utoipa::path(put, path = "/api/projects/{project}/notepad", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = UpdateNotepadRequest, responses(
        (status = 200, body = Notepad),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_notepad(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    Json(request): Json<UpdateNotepadRequest>,
) -> Result<Json<Notepad>, ApiError> {
    let mut check = Check::new();
    let content = check.text("content", &request.content, 0, 20_000);
    check.done()?;
    let (user, seen, now) = (by.user.id, request.version, store::now());
    let mut tx = app.db.write().await?;
    let written = notes::put(&mut tx, project.id, user, &content, seen, now).await?;
    let written = written.ok_or_else(|| {
        ApiError::conflict("The note was changed since you read it. Load it again.")
    })?;
    tx.commit().await?;
    Ok(Json(written.into()))
}
