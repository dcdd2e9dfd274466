//! `/api/builds/{build}/questions`: questions about a build, which a model answers from its record.
//! A request only queues a question; a worker answers it, and changes nothing of the build.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use domain::{
    build_question::{MAX_QUESTION_CHARS, Reference},
    ids::{BuildId, GenerationId},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    check::Check,
    error_conversions::sentence,
    extract::{Json, PathParams, QueryParams},
    generation::Generation,
    idempotency,
    list::{List, Page},
    owned::{Owned, ProjectBuild},
};
use crate::store::{Conn, build_questions, generations};

/// A question about a build. Its run can be followed, cancelled and resumed as a generation.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildQuestion {
    build_id: BuildId,
    /// Plain text.
    question: String,
    /// Markdown; null until it is answered.
    #[schema(required)]
    answer: Option<String>,
    /// What shows that the answer is right; each was checked when the answer was given.
    references: Vec<Reference>,
    /// The run of the model, with its status, usage and cost.
    generation: Generation,
}

/// A page of questions.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildQuestionList {
    /// Newest first.
    items: Vec<BuildQuestion>,
    /// The value of `after` for the next page; null at the end.
    #[schema(required)]
    next: Option<String>,
    /// Why questions cannot be answered, and what to do; null if they can.
    #[schema(required)]
    unavailable_reason: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct AskBuildQuestionRequest {
    /// 1 to 1,000 characters.
    #[schema(min_length = 1, max_length = 1000)]
    text: String,
}

#[derive(Debug, Deserialize)]
pub struct QuestionParams {
    question: GenerationId,
}

/// Lists the questions about a build, newest first.
#[utoipa::path(get, path = "/api/builds/{build}/questions", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), Page), responses(
        (status = 200, body = BuildQuestionList),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_build_questions(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<BuildQuestionList>, ApiError> {
    let obstacle = app.engine.question_obstacle().await?;
    let mut conn = app.db.snapshot().await?;
    let rows =
        build_questions::list(&mut conn, resource.build.id, page.after()?, page.rows()?).await?;
    let List { items: rows, next } = page.list(rows, |row| row.id.to_string(), |row| row)?;
    let mut items = Vec::with_capacity(rows.len());
    for row in rows {
        items.push(read(&mut conn, row).await?);
    }
    let unavailable_reason = obstacle.map(|error| sentence(&error));
    Ok(Json(BuildQuestionList { items, next, unavailable_reason }))
}

/// Asks a question about a build, running or finished. Nothing of the build changes, and the cost
/// does not count towards its limits.
#[utoipa::path(post, path = "/api/builds/{build}/questions", tag = "builds",
    params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request asks nothing twice"),
    ), request_body = AskBuildQuestionRequest, responses(
        (status = 201, body = BuildQuestion),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn ask_build_question(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    headers: HeaderMap,
    Json(request): Json<AskBuildQuestionRequest>,
) -> Result<(StatusCode, Json<BuildQuestion>), ApiError> {
    let mut check = Check::new();
    let text = check.text("text", &request.text, 1, MAX_QUESTION_CHARS);
    check.done()?;
    let route = format!("questions about {}", resource.build.id);
    let user = by.user.id;
    let work = async { Ok(app.engine.ask_about_build(&resource.build, text.trim(), user).await?) };
    let id = idempotency::run_once(&app.db, user, route, &headers, work).await?;
    let mut conn = app.db.snapshot().await?;
    let row = build_questions::get(&mut conn, id).await?;
    let row = row.ok_or_else(|| ApiError::not_found("question"))?;
    Ok((StatusCode::CREATED, Json(read(&mut conn, row).await?)))
}

/// Gets a question about a build, with its answer.
#[utoipa::path(get, path = "/api/builds/{build}/questions/{question}", tag = "builds", params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("question" = GenerationId, Path, description = "The id of the question's generation"),
    ), responses(
        (status = 200, body = BuildQuestion),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_question(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    PathParams(QuestionParams { question }): PathParams<QuestionParams>,
) -> Result<Json<BuildQuestion>, ApiError> {
    let mut conn = app.db.snapshot().await?;
    let row = build_questions::get(&mut conn, question).await?;
    let row = row.filter(|row| row.build_id == resource.build.id);
    let row = row.ok_or_else(|| ApiError::not_found("question"))?;
    read(&mut conn, row).await.map(Json)
}

/// `conn` is of a snapshot, so that the run of an answered question is done, and that of another is
/// not.
async fn read(
    conn: &mut Conn,
    row: build_questions::BuildQuestion,
) -> Result<BuildQuestion, ApiError> {
    let generation = generations::get(conn, row.id).await?;
    let generation = generation.ok_or_else(|| ApiError::not_found("question"))?;
    Ok(BuildQuestion {
        build_id: row.build_id,
        question: row.question,
        answer: row.answer,
        references: serde_json::from_str(&row.references).map_err(ApiError::internal)?,
        generation: Generation::read(conn, generation).await?,
    })
}
