//! `/api/projects/{project}/notepad`: what a person notes beside a project.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::ids::ProjectId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app::Shared,
    check::Check,
    extract::Json,
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::store::{
    self,
    notes::{self, Note},
    projects::Project,
};

/// A note that the agents of every build of the project get to read.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Notepad {
    /// Plain text.
    content: String,
    /// When it last changed; null while nothing was ever written.
    #[schema(required)]
    updated_at: Option<DateTime<Utc>>,
    /// Grows with each change; 0 while nothing was ever written.
    version: u32,
}

/// The note as it is to be.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateNotepadRequest {
    /// At most 20,000 characters.
    content: String,
    /// The version that the writer saw.
    version: u32,
}

impl From<Note> for Notepad {
    fn from(note: Note) -> Self {
        let Note { content, version, updated_at } = note;
        Self { content, updated_at: Some(updated_at), version }
    }
}

/// The note.
#[utoipa::path(get, path = "/api/projects/{project}/notepad", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = Notepad),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_notepad(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
) -> Result<Json<Notepad>, Problem> {
    let note = notes::get(&mut app.db.read().await?, project.id, by.user.id).await?;
    Ok(Json(note.map(Notepad::from).unwrap_or_default()))
}

/// Writes the note, unless it has changed since the writer saw it.
#[utoipa::path(put, path = "/api/projects/{project}/notepad", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")),
    request_body = UpdateNotepadRequest, responses(
        (status = 200, body = Notepad),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn update_notepad(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
    Json(request): Json<UpdateNotepadRequest>,
) -> Result<Json<Notepad>, Problem> {
    let mut check = Check::new();
    let content = check.text("content", &request.content, 0, 20_000);
    check.done()?;
    let (user, seen, now) = (by.user.id, request.version, store::now());
    let mut tx = app.db.write().await?;
    let written = notes::put(&mut tx, project.id, user, &content, seen, now).await?;
    let written = written.ok_or_else(|| {
        Problem::conflict("The note was changed elsewhere since you read it: load it again.")
    })?;
    tx.commit().await?;
    Ok(Json(written.into()))
}
