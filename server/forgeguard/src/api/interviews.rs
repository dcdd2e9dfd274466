//! `/api/projects/{project}/interview`: users describe what they want to build, and a model fills
//! in the questionnaire and asks further questions. A request only queues a run; a worker runs it.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use domain::{
    generation::GenerationKind,
    ids::GenerationId,
    interview::{Author, MAX_MESSAGE_CHARS},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    check::Check,
    extract::Json,
    generation::Generation,
    idempotency,
    owned::Owned,
};
use crate::store::{generations, interviews, projects::Project};

#[derive(Debug, Serialize, ToSchema)]
pub struct Interview {
    /// Oldest first.
    messages: Vec<InterviewMessage>,
    /// Whether a model is available to answer.
    available: bool,
    /// The newest run of the model; null if there was none.
    #[schema(required)]
    generation: Option<Generation>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct InterviewMessage {
    author: Author,
    /// Plain text.
    text: String,
    created_at: DateTime<Utc>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct AddInterviewMessageRequest {
    /// 1 to 20,000 characters.
    #[schema(min_length = 1, max_length = 20_000)]
    text: String,
}

/// Gets the interview of a project.
#[utoipa::path(get, path = "/api/projects/{project}/interview", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = Interview),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_interview(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<Interview>, ApiError> {
    read(&app, &project).await.map(Json)
}

/// Adds a message. The model updates the questionnaire and answers; the run can be followed as a
/// generation.
#[utoipa::path(post, path = "/api/projects/{project}/interview", tag = "projects",
    params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request says nothing twice"),
    ), request_body = AddInterviewMessageRequest, responses(
        (status = 201, body = Interview),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn add_interview_message(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    headers: HeaderMap,
    Json(request): Json<AddInterviewMessageRequest>,
) -> Result<(StatusCode, Json<Interview>), ApiError> {
    let mut check = Check::new();
    let text = check.text("text", &request.text, 1, MAX_MESSAGE_CHARS);
    check.done()?;
    let route = format!("interview of {}", project.id);
    let user = by.user.id;
    let work = async { Ok(app.engine.say(&project, text.trim(), user).await?) };
    let _: GenerationId = idempotency::run_once(&app.db, user, route, &headers, work).await?;
    Ok((StatusCode::CREATED, Json(read(&app, &project).await?)))
}

async fn read(app: &App, project: &Project) -> Result<Interview, ApiError> {
    let mut conn = app.db.snapshot().await?;
    let messages = interviews::list(&mut conn, project.id).await?;
    let kind = GenerationKind::Answers;
    let newest = generations::list(&mut conn, project.id, kind, None, 1).await?.pop();
    let generation = match newest {
        Some(row) => Some(Generation::read(&mut conn, row).await?),
        None => None,
    };
    let message = |message: interviews::Message| InterviewMessage {
        author: message.author,
        text: message.text,
        created_at: message.created_at,
    };
    drop(conn);
    Ok(Interview {
        messages: messages.into_iter().map(message).collect(),
        available: app.engine.can_interview(project).await?,
        generation,
    })
}
