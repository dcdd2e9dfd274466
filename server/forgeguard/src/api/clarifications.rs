//! `/api/clarifications`, `/api/builds/{build}/clarifications` and `/clarify`: questions and their answers.

mod query;

use axum::extract::State;
use chrono::DateTime;
use domain::{
    ids::{BuildId, ClarificationId, ProjectId},
    state::Status,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    app::{App, Shared},
    check::Check,
    clarification::{Clarification, ClarificationStatus, PlacedClarification, settled_words},
    extract::{Json, Search},
    identity::Identity,
    list::{List, Page},
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
};
pub use query::ClarificationsQuery;

use crate::{
    engine::EngineError,
    store::{
        builds,
        clarifications::{self, Cursor},
        projects::Project,
    },
};

/// An answer, or leave to decide.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ClarifyRequest {
    /// The question that is answered.
    question_id: ClarificationId,
    /// 1 to 1,000 characters.
    answer: Option<String>,
    /// True instead of an answer: let the builder decide.
    #[serde(default)]
    skip: bool,
}

/// The questions of all builds of one's own projects: those that wait no longer than others first.
#[utoipa::path(get, path = "/api/clarifications", tag = "builds",
    params(Page, ClarificationsQuery), responses(
        (status = 200, body = List<PlacedClarification>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_all_clarifications(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    Search(page): Search<Page>,
    Search(ClarificationsQuery { state }): Search<ClarificationsQuery>,
) -> Result<Json<List<PlacedClarification>>, Problem> {
    let after = page.after.as_deref().map(|text| {
        cursor(text).ok_or_else(|| Problem::invalid("after", "this is not the `next` of a page"))
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

/// What people answered to builds of the project, newest first: for the contracts to learn from.
#[utoipa::path(get, path = "/api/projects/{project}/answers", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id"), Page), responses(
        (status = 200, body = List<PlacedClarification>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_answers(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Search(page): Search<Page>,
) -> Result<Json<List<PlacedClarification>>, Problem> {
    let (before, mut conn) = (page.after()?, app.db.read().await?);
    let rows = clarifications::list_answered(&mut conn, project.id, before, page.rows()?).await?;
    placed(&page, rows, |row| row.clarification.id.to_string())
}

fn placed(
    page: &Page,
    rows: Vec<clarifications::PlacedClarification>,
    key: impl Fn(&clarifications::PlacedClarification) -> String,
) -> Result<Json<List<PlacedClarification>>, Problem> {
    let list = page.list(rows, key, PlacedClarification::try_from)?;
    let items = list.items.into_iter().collect::<Result<_, _>>().map_err(Problem::internal)?;
    Ok(Json(List { items, next: list.next }))
}

/// A cursor is the deadline in microseconds, or nothing for never, and the question's id.
fn cursor(text: &str) -> Option<Cursor> {
    let (micros, id) = text.split_once('.')?;
    let expires_at = match micros {
        "" => None,
        micros => Some(DateTime::from_timestamp_micros(micros.parse().ok()?)?),
    };
    Some(Cursor { expires_at, id: id.parse().ok()? })
}

/// The build's questions, in the order they were asked.
#[utoipa::path(get, path = "/api/builds/{build}/clarifications", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), Page), responses(
        (status = 200, body = List<Clarification>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_clarifications(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectBuild>,
    Search(page): Search<Page>,
) -> Result<Json<List<Clarification>>, Problem> {
    let mut conn = app.db.read().await?;
    let (after, rows) = (page.after()?, page.rows()?);
    let rows = clarifications::list(&mut conn, thing.build.id, after, rows).await?;
    let list = page.list(rows, |row| row.id.to_string(), Clarification::try_from)?;
    let items = list.items.into_iter().collect::<Result<_, _>>().map_err(Problem::internal)?;
    Ok(Json(List { items, next: list.next }))
}

/// Answers a question or leaves it to the builder. The first answer wins; others get a 409.
#[utoipa::path(post, path = "/api/builds/{build}/clarify", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = ClarifyRequest, responses(
        (status = 200, body = Clarification),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn resolve_clarification(
    State(app): State<Shared>,
    Owned { thing, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<ClarifyRequest>,
) -> Result<Json<Clarification>, Problem> {
    resolve(&app, thing.build.id, by, request).await.map(Json)
}

/// The same for the project's build that has not ended, under the path that older clients know.
#[utoipa::path(post, path = "/api/projects/{project}/build/clarify", tag = "builds",
    params(("project" = ProjectId, Path, description = "The project's id")),
    request_body = ClarifyRequest, responses(
        (status = 200, body = Clarification),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn resolve_project_clarification(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
    Json(request): Json<ClarifyRequest>,
) -> Result<Json<Clarification>, Problem> {
    let newest = builds::list(&mut app.db.read().await?, project.id, None, 1).await?.pop();
    let build = newest.filter(|build: &builds::Build| !Status::is_final(build.status));
    let build = build.ok_or_else(|| Problem::not_found("unfinished build"))?;
    resolve(&app, build.id, by, request).await.map(Json)
}

async fn resolve(
    app: &App,
    build: BuildId,
    by: Identity,
    request: ClarifyRequest,
) -> Result<Clarification, Problem> {
    let ClarifyRequest { question_id, answer, skip } = request;
    let answer = match (answer, skip) {
        (None, true) => None,
        (Some(answer), false) => {
            let mut check = Check::new();
            let answer = check.text("answer", answer.trim(), 1, 1_000);
            check.done()?;
            Some(answer)
        }
        _ => return Err(Problem::invalid("answer", "send either an answer or skip: true")),
    };
    let missing = || Problem::not_found("question");
    let asked = clarifications::get(&mut app.db.read().await?, build, question_id).await?;
    asked.ok_or_else(missing)?;
    let resolved = app.engine.answer(build, question_id, by.actor(), answer).await;
    let settled = clarifications::get(&mut app.db.read().await?, build, question_id).await?;
    match (resolved, &settled) {
        (Err(EngineError::AlreadySettled), Some(row)) if row.status != "open" => {
            return Err(Problem::conflict(settled_words(row)));
        }
        (resolved, _) => resolved?,
    };
    Clarification::try_from(settled.ok_or_else(missing)?).map_err(Problem::internal)
}
