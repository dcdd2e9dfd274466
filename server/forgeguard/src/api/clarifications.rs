//! `/api/builds/{build}/clarifications` and `/clarify`: questions and their answers.

use axum::extract::State;
use domain::{
    ids::{BuildId, ClarificationId, ProjectId},
    state::Status,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    app::{App, Shared},
    check::Check,
    clarification::Clarification,
    extract::{Json, Search},
    identity::Identity,
    list::{List, Page},
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
};
use crate::store::{builds, clarifications, projects::Project};

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
    app.engine.answer(build, question_id, by.actor(), answer).await?;
    let settled = clarifications::get(&mut app.db.read().await?, build, question_id).await?;
    Clarification::try_from(settled.ok_or_else(missing)?).map_err(Problem::internal)
}
