//! `/api/clarifications`, `/api/builds/{build}/clarifications` and `/clarify`: questions and
//! answers.

use axum::extract::State;
use chrono::DateTime;
use domain::{
    audit::AuditAction,
    event::questions::{ClarificationKind, ClarificationRequest},
    ids::{BuildId, ClarificationId},
};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    check::Check,
    clarification::{Clarification, ClarificationStatus, PlacedClarification, resolution_message},
    extract::{Json, QueryParams},
    identity::Identity,
    list::{List, Page},
    owned::{Owned, ProjectBuild},
    requirements,
};
use crate::{
    engine::EngineError,
    store::{
        self,
        audit_log::{self, NewEntry},
        builds::{self, Build},
        clarifications::{self, Cursor},
        projects::Project,
    },
};

/// Which questions to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ClarificationsQuery {
    /// Only questions with this status.
    state: Option<ClarificationStatus>,
}

/// An answer, several answers, or `skip`.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ClarifyRequest {
    question_id: ClarificationId,
    /// 1 to 1,000 characters.
    #[schema(min_length = 1, max_length = 1_000)]
    answer: Option<String>,
    /// Instead of `answer`, for a question with `multiple`: the chosen options, and at most one other
    /// answer. At most 1,000 characters together.
    #[schema(min_items = 1, max_items = 5)]
    answers: Option<Vec<String>>,
    /// True instead of an answer: let the agent decide.
    #[serde(default)]
    skip: bool,
}

/// Lists the questions of all builds of the user's own projects, those with the earliest deadline
/// first.
#[utoipa::path(get, path = "/api/clarifications", tag = "builds",
    params(Page, ClarificationsQuery), responses(
        (status = 200, body = List<PlacedClarification>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_all_clarifications(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    QueryParams(page): QueryParams<Page>,
    QueryParams(ClarificationsQuery { state }): QueryParams<ClarificationsQuery>,
) -> Result<Json<List<PlacedClarification>>, ApiError> {
    let after = page.after.as_deref().map(|text| {
        cursor(text).ok_or_else(|| ApiError::invalid("after", "use the `next` of a page"))
    });
    let (after, state) = (after.transpose()?, state.map(ClarificationStatus::word));
    let mut conn = app.db.read().await?;
    let rows =
        clarifications::list_of_owner(&mut conn, user.id, state, after, page.rows()?).await?;
    placed(&page, rows, |row| {
        let deadline = row.clarification.expires_at.map(|at| at.timestamp_micros().to_string());
        format!("{}.{}", deadline.unwrap_or_default(), row.clarification.id)
    })
}

/// Lists users' answers to builds of the project, newest first, for use in contracts.
#[utoipa::path(get, path = "/api/projects/{project}/answers", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug"), Page), responses(
        (status = 200, body = List<PlacedClarification>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_answers(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<PlacedClarification>>, ApiError> {
    let (before, mut conn) = (page.after()?, app.db.read().await?);
    let rows = clarifications::list_answered(&mut conn, project.id, before, page.rows()?).await?;
    placed(&page, rows, |row| row.clarification.id.to_string())
}

fn placed(
    page: &Page,
    rows: Vec<clarifications::PlacedClarification>,
    key: impl Fn(&clarifications::PlacedClarification) -> String,
) -> Result<Json<List<PlacedClarification>>, ApiError> {
    let list = page.list(rows, key, PlacedClarification::try_from)?;
    let items = list.items.into_iter().collect::<Result<_, _>>().map_err(ApiError::internal)?;
    Ok(Json(List { items, next: list.next }))
}

/// A cursor is the deadline in microseconds (empty: none) and the question's id.
fn cursor(text: &str) -> Option<Cursor> {
    let (micros, id) = text.split_once('.')?;
    let expires_at = match micros {
        "" => None,
        micros => Some(DateTime::from_timestamp_micros(micros.parse().ok()?)?),
    };
    Some(Cursor { expires_at, id: id.parse().ok()? })
}

/// Lists the build's questions in the order they were asked.
#[utoipa::path(get, path = "/api/builds/{build}/clarifications", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), Page), responses(
        (status = 200, body = List<Clarification>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_clarifications(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<Clarification>>, ApiError> {
    let mut conn = app.db.read().await?;
    let (after, rows) = (page.after()?, page.rows()?);
    let rows = clarifications::list(&mut conn, resource.build.id, after, rows).await?;
    let list = page.list(rows, |row| row.id.to_string(), Clarification::try_from)?;
    let items = list.items.into_iter().collect::<Result<_, _>>().map_err(ApiError::internal)?;
    Ok(Json(List { items, next: list.next }))
}

/// Answers or skips a question. The first answer is accepted; later ones get a 409.
#[utoipa::path(post, path = "/api/builds/{build}/clarify", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = ClarifyRequest, responses(
        (status = 200, body = Clarification),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn resolve_clarification(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<ClarifyRequest>,
) -> Result<Json<Clarification>, ApiError> {
    resolve(&app, &resource.project, &resource.build, by, request).await.map(Json)
}

/// Answers or skips a question of an unfinished build of the project, at the path used by older
/// clients.
#[utoipa::path(post, path = "/api/projects/{project}/build/clarify", tag = "builds",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = ClarifyRequest, responses(
        (status = 200, body = Clarification),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn resolve_project_clarification(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    Json(request): Json<ClarifyRequest>,
) -> Result<Json<Clarification>, ApiError> {
    let mut conn = app.db.read().await?;
    let unfinished = builds::list_unfinished(&mut conn, project.id).await?;
    let mut asking = unfinished.first().ok_or_else(|| ApiError::not_found("unfinished build"))?;
    for build in &unfinished {
        if clarifications::get(&mut conn, build.id, request.question_id).await?.is_some() {
            asking = build;
        }
    }
    drop(conn);
    resolve(&app, &project, asking, by, request).await.map(Json)
}

async fn resolve(
    app: &App,
    project: &Project,
    build: &Build,
    by: Identity,
    request: ClarifyRequest,
) -> Result<Clarification, ApiError> {
    let question_id = request.question_id;
    let (_, state) = app.journal.folded_at(build.id, build.head_seq).await?;
    let Some(asked) = state.open_question(question_id) else {
        return Err(not_open(app, build.id, question_id).await);
    };
    let answer = answer_text(asked, request)?;
    // While the question is open, nothing else changes the requirements.
    let changes = match (asked.requirement, &answer) {
        (Some(requirement), Some(answer)) => {
            state.changes_by_answer(requirement, answer, &by.actor()).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    // The agent waits for the answer: the rest of the response is read while that is written.
    let appended = app.engine.answer(build.id, question_id, by.actor(), answer.clone());
    let row = async { clarifications::get(&mut app.db.read().await?, build.id, question_id).await };
    let (appended, row) = tokio::join!(appended, row);
    let appended = match appended {
        Err(EngineError::AlreadySettled) => return Err(not_open(app, build.id, question_id).await),
        appended => appended?,
    };
    if asked.kind == ClarificationKind::Permission {
        record_permission(app, project, &by, asked, (build.id, answer.as_deref())).await?;
    }
    requirements::apply_answer(app, project, &by, &changes).await?;
    let row = row?.ok_or_else(|| ApiError::not_found("question"))?;
    let row = Clarification::try_from(row).map_err(ApiError::internal)?;
    Ok(row.resolved(answer, &by.user, &appended))
}

/// Why a question that is not open cannot be answered.
async fn not_open(app: &App, build: BuildId, question_id: ClarificationId) -> ApiError {
    let read = async { clarifications::get(&mut app.db.read().await?, build, question_id).await };
    match read.await {
        Ok(Some(row)) if row.status != "open" => ApiError::conflict(resolution_message(&row)),
        Ok(Some(_)) => EngineError::AlreadySettled.into(),
        Ok(None) => ApiError::not_found("question"),
        Err(error) => error.into(),
    }
}

/// Records the answer to a permission question in the audit log.
async fn record_permission(
    app: &App,
    project: &Project,
    by: &Identity,
    asked: &ClarificationRequest,
    (build, answer): (BuildId, Option<&str>),
) -> store::Result<()> {
    let detail = json!({
        "project": project.name, "question": asked.question, "answer": answer,
    });
    let (action, subject) = (AuditAction::PermissionAnswered, format!("build/{build}"));
    let entry = NewEntry::by(&by.user, store::now(), action, subject, detail);
    let mut tx = app.db.write().await?;
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await
}

/// The text of an answer; `None` if the question is skipped.
fn answer_text(
    asked: &ClarificationRequest,
    request: ClarifyRequest,
) -> Result<Option<String>, ApiError> {
    let ClarifyRequest { answer, answers, skip, .. } = request;
    let mut check = Check::new();
    let text = match (answer, answers) {
        (None, None) if skip => return Ok(None),
        (Some(answer), None) if !skip && asked.multiple => {
            check.text("answer", &choices(&[answer]), 1, 1_000)
        }
        (Some(answer), None) if !skip => check.text("answer", answer.trim(), 1, 1_000),
        (None, Some(answers)) if !skip => {
            let others = answers.iter().filter(|answer| !asked.options.contains(answer)).count();
            if !asked.multiple {
                check.reject("answers", "this question has one answer: use `answer`");
            } else if others > 1 {
                check.reject("answers", "use the question's options and at most one other answer");
            }
            check.text("answers", &choices(&answers), 1, 1_000)
        }
        _ => {
            let why = "send one of `answer`, `answers` and `skip: true`";
            return Err(ApiError::invalid("answer", why));
        }
    };
    check.done()?;
    Ok(Some(text))
}

/// One line for each choice, without repetitions.
fn choices(answers: &[String]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for answer in answers {
        let line = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        if !line.is_empty() && !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}
