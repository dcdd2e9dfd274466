//! Tools that start, read and control builds, with the handlers of the same REST routes.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue},
};
use domain::key_scope::KeyScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    build_status::{BuildRow, BuildStatus},
    call::{Call, Intent, Rejection},
    client_tool::{
        About, ClientEffect, ClientReply, ClientTool, Properties, Replying, client_tool,
    },
    project_tools::body,
};
use crate::{
    api::{
        api_error::ApiError,
        build::Build,
        builds, clarifications, commands,
        extract::Json,
        list::Page,
        owned::{Owned, ProjectBuild},
    },
    store, text,
    tools::input::{self, Nothing},
};

/// Millionths of a US dollar.
const MICROS_PER_DOLLAR: f64 = 1_000_000.0;

pub fn build_tools() -> Vec<Box<dyn ClientTool>> {
    vec![
        Box::new(ListBuilds),
        Box::new(GetBuild),
        Box::new(GetReport),
        Box::new(StartBuild),
        Box::new(AnswerQuestion),
        Box::new(SendMessage),
        Box::new(PauseBuild),
        Box::new(ResumeBuild),
        Box::new(CancelBuild),
    ]
}

client_tool!(ListBuilds, ListBuildsParams => BuildList, "forge_list_builds", "List builds", Read, Read,
    Project, "Lists the builds of the project, newest first.", list_builds);
client_tool!(GetBuild, Nothing => BuildStatus, "forge_get_build", "Status of a build", Read, Read, Build,
    "Returns the status of a build, and the questions that it waits for.", get_build);
client_tool!(GetReport, ReportParams => Report, "forge_get_build_report", "Report of a build", Read, Read,
    Build, "Returns the report of a build as Markdown: verdict, evidence, phases, errors, costs.",
    get_report);
client_tool!(StartBuild, StartParams => BuildStatus, "forge_start_build", "Start a build", Build, Add,
    Project, "Starts a build of the project's contracts. The project's settings limit how many may be \
    unfinished at a time. Follow it with forge_watch_build.", start_build);
client_tool!(AnswerQuestion, AnswerParams => Accepted, "forge_answer_question", "Answer a question", Build,
    Add, Build, "Answers a question of a build, or lets its agent decide. The first answer counts.",
    answer_question);
client_tool!(SendMessage, MessageParams => Accepted, "forge_send_message", "Send a message", Build, Add,
    Build, "Sends a message to the agents of a build, delivered before their next turn.", send_message);
client_tool!(PauseBuild, Nothing => Accepted, "forge_pause_build", "Pause a build", Build, Add, Build,
    "Pauses a build at its next boundary.", pause_build);
client_tool!(ResumeBuild, ResumeParams => Accepted, "forge_resume_build", "Resume a build", Build, Add,
    Build, "Resumes a paused or blocked build, optionally with more budget.", resume_build);
client_tool!(CancelBuild, CancelParams => Accepted, "forge_cancel_build", "Cancel a build", Build, Destroy,
    Build, "Cancels a build. Its branch is kept and not sealed.", cancel_build);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListBuildsParams {
    /// `next` of the previous page.
    #[serde(default)]
    after: Option<String>,
    /// Builds per page, at most 200; default 50.
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct BuildList {
    items: Vec<BuildRow>,
    /// The value of `after` for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

async fn list_builds(call: &Call, params: ListBuildsParams) -> Result<BuildList, Rejection> {
    let page = Page { after: params.after, limit: params.limit };
    let (after, rows) = (page.after()?, page.rows()?);
    let project = call.project(Intent::Read).await?.resource;
    let mut conn = call.app.db.read().await?;
    let mut found = store::builds::list(&mut conn, project.id, after, rows).await?;
    drop(conn);
    found.retain(|build| call.by.covers(project.id, Some(build.id)));
    let list = page.list(found, |build| build.id.to_string(), |build| BuildRow::from(&build))?;
    Ok(BuildList { items: list.items, next: list.next })
}

async fn get_build(call: &Call, _: Nothing) -> Result<BuildStatus, Rejection> {
    status(call, call.build(Intent::Read).await?).await
}

async fn status(call: &Call, build: Owned<ProjectBuild>) -> Result<BuildStatus, Rejection> {
    let Json(build) = builds::get_build(State(call.app.clone()), build).await?;
    Ok(build.into())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReportParams {
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Report {
    markdown: String,
}

async fn get_report(call: &Call, params: ReportParams) -> Result<Report, Rejection> {
    let ProjectBuild { build, project } = call.build(Intent::Read).await?.resource;
    let report = call.app.engine.report(build, &project.name).await.map_err(ApiError::from)?;
    let report = report.markdown().map_err(ApiError::from)?;
    let markdown = text::page(&report, params.offset.unwrap_or(0));
    let markdown = markdown.ok_or_else(|| Rejection(text::no_such_page(&report)))?;
    Ok(Report { markdown })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartParams {
    /// What the build should change, in one line.
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    /// Limit of its cost in US dollars. Builds on paid models need one, or a limit of tokens.
    #[serde(default)]
    max_usd: Option<f64>,
    #[serde(default)]
    max_tokens: Option<u64>,
    /// Limit of its working time.
    #[serde(default)]
    max_minutes: Option<u64>,
    /// The phase to begin with; earlier ones are skipped.
    #[serde(default)]
    first_phase: Option<u32>,
    /// The branch to start from. Default: the project's default branch.
    #[serde(default)]
    baseline_branch: Option<String>,
    /// What implements the phases: builtin, claude_code, codex, opencode, gemini_cli, custom, or own_editor if you
    /// do, see forge_get_work. Default: that of the project.
    #[serde(default)]
    executor: Option<String>,
    /// What implements single phases instead.
    #[serde(default)]
    phase_executors: Vec<PhaseExecutor>,
    /// A second call with the same key starts nothing.
    #[serde(default)]
    idempotency_key: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PhaseExecutor {
    phase: u32,
    /// As in `executor`.
    executor: String,
}

async fn start_build(call: &Call, params: StartParams) -> Result<BuildStatus, Rejection> {
    Ok(start(call, params).await?.into())
}

pub async fn start(call: &Call, params: StartParams) -> Result<Build, Rejection> {
    let micros = params.max_usd.map(|usd| (usd * MICROS_PER_DOLLAR).round() as u64);
    let request = body(json!({
        "title": params.title,
        "description": params.description,
        "budgets": {
            "usd_micros": micros, "tokens": params.max_tokens, "minutes": params.max_minutes,
        },
        "first_phase": params.first_phase,
        "baseline_branch": params.baseline_branch,
        "executor": params.executor,
        "phase_executors": params.phase_executors,
    }))?;
    let mut headers = HeaderMap::new();
    if let Some(key) = params.idempotency_key {
        let key = HeaderValue::try_from(key);
        let key = key.map_err(|_| Rejection("`idempotency_key` must be ASCII text.".into()))?;
        headers.insert("idempotency-key", key);
    }
    let project = call.project(Intent::Change).await?;
    let app = State(call.app.clone());
    let (_, Json(build)) = builds::create_build(app, project, headers, request).await?;
    Ok(build)
}

/// The command is recorded; the build's worker executes it.
#[derive(Serialize, JsonSchema)]
struct Accepted {
    /// Sequence number of the newest event when the command was recorded, for forge_watch_build.
    seq: u64,
}

/// The sequence number in the response of a command.
fn accepted(response: &commands::Accepted) -> Accepted {
    Accepted { seq: response.seq }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AnswerParams {
    /// From forge_get_build.
    question_id: String,
    /// 1 to 1,000 characters.
    #[serde(default)]
    answer: Option<String>,
    /// Instead of `answer`, for a question with `multiple`: the chosen options.
    #[serde(default)]
    answers: Option<Vec<String>>,
    /// True instead of an answer: let the agent decide.
    #[serde(default)]
    skip: bool,
}

async fn answer_question(call: &Call, params: AnswerParams) -> Result<Accepted, Rejection> {
    let request = body(json!({
        "question_id": params.question_id,
        "answer": params.answer,
        "answers": params.answers,
        "skip": params.skip,
    }))?;
    let owned = call.build(Intent::Change).await?;
    let build = owned.resource.build.id;
    clarifications::resolve_clarification(State(call.app.clone()), owned, request).await?;
    let mut conn = call.app.db.read().await?;
    Ok(Accepted { seq: store::events::head_seq(&mut conn, build).await? })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MessageParams {
    /// 1 to 4,000 characters.
    text: String,
}

async fn send_message(call: &Call, params: MessageParams) -> Result<Accepted, Rejection> {
    let request = body(json!({ "text": params.text }))?;
    let owned = call.build(Intent::Change).await?;
    let (_, Json(sent)) =
        commands::interject_build(State(call.app.clone()), owned, request).await?;
    Ok(accepted(&sent))
}

async fn pause_build(call: &Call, _: Nothing) -> Result<Accepted, Rejection> {
    let owned = call.build(Intent::Change).await?;
    let (_, Json(paused)) = commands::pause_build(State(call.app.clone()), owned).await?;
    Ok(accepted(&paused))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResumeParams {
    /// Additional US dollars.
    #[serde(default)]
    add_usd: Option<f64>,
    #[serde(default)]
    add_tokens: Option<u64>,
    #[serde(default)]
    add_minutes: Option<u64>,
}

async fn resume_build(call: &Call, params: ResumeParams) -> Result<Accepted, Rejection> {
    let ResumeParams { add_usd, add_tokens, add_minutes } = params;
    let mut add = serde_json::Map::new();
    let micros = add_usd.map(|usd| (usd * MICROS_PER_DOLLAR).round() as u64);
    for (name, value) in [("usd_micros", micros), ("tokens", add_tokens), ("minutes", add_minutes)]
    {
        if let Some(value) = value {
            add.insert(name.into(), value.into());
        }
    }
    let add = if add.is_empty() { Value::Null } else { Value::Object(add) };
    let request = body(json!({ "add": add }))?;
    let owned = call.build(Intent::Change).await?;
    let (_, Json(resumed)) =
        commands::resume_build(State(call.app.clone()), owned, request).await?;
    Ok(accepted(&resumed))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CancelParams {
    /// At most 500 characters.
    #[serde(default)]
    reason: Option<String>,
}

async fn cancel_build(call: &Call, params: CancelParams) -> Result<Accepted, Rejection> {
    let request = body(json!({ "reason": params.reason }))?;
    let owned = call.build(Intent::Change).await?;
    let (_, Json(cancelled)) =
        commands::cancel_build(State(call.app.clone()), owned, request).await?;
    Ok(accepted(&cancelled))
}
