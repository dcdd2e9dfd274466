//! `/api/projects/{project}/interview`: a person says in their own words what should be built, and a
//! model fills the questionnaire and asks on. A request queues; the answering is a worker's.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use domain::{
    generation::GenerationKind,
    ids::{GenerationId, ProjectId},
    interview::{Author, LONGEST_MESSAGE},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app::{App, Shared},
    check::Check,
    extract::Json,
    generation::Generation,
    idempotency::{self, Claim},
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::store::{generations, interviews, projects::Project};

/// What was said about a project, and how far the model is with its answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct Interview {
    /// Oldest first.
    messages: Vec<InterviewMessage>,
    /// Whether there is a model that answers.
    available: bool,
    /// The newest run of the model; null where there was none.
    #[schema(required)]
    generation: Option<Generation>,
}

/// A message of an interview.
#[derive(Debug, Serialize, ToSchema)]
pub struct InterviewMessage {
    /// Who wrote it.
    author: Author,
    /// Plain text.
    text: String,
    /// When.
    created_at: DateTime<Utc>,
}

/// What a person says.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AddInterviewMessageRequest {
    /// 1 to 20,000 characters.
    text: String,
}

/// What was said so far.
#[utoipa::path(get, path = "/api/projects/{project}/interview", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = Interview),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_interview(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
) -> Result<Json<Interview>, Problem> {
    read(&app, &project).await.map(Json)
}

/// Says something. The model fills the questionnaire from it and answers; its run is followed as any
/// generation is.
#[utoipa::path(post, path = "/api/projects/{project}/interview", tag = "projects",
    params(
        ("project" = ProjectId, Path, description = "The project's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request says nothing twice"),
    ), request_body = AddInterviewMessageRequest, responses(
        (status = 201, body = Interview),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn add_interview_message(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
    headers: HeaderMap,
    Json(request): Json<AddInterviewMessageRequest>,
) -> Result<(StatusCode, Json<Interview>), Problem> {
    let mut check = Check::new();
    let text = check.text("text", &request.text, 1, LONGEST_MESSAGE);
    check.done()?;
    let route = format!("interview of {}", project.id);
    match idempotency::claim(&app.db, by.user.id, route, &headers).await? {
        Claim::Repeated(_) => {}
        Claim::First(first) => {
            let said = app.engine.say(&project, text.trim(), by.user.id).await;
            first.settle(&app.db, said.as_ref().ok().map(GenerationId::to_string)).await?;
            said?;
        }
    }
    Ok((StatusCode::CREATED, Json(read(&app, &project).await?)))
}

async fn read(app: &App, project: &Project) -> Result<Interview, Problem> {
    let mut conn = app.db.read().await?;
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
    Ok(Interview {
        messages: messages.into_iter().map(message).collect(),
        available: app.engine.can_interview(project),
        generation,
    })
}
