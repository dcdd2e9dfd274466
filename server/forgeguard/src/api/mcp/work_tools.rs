//! Tools for builds whose work is done in the client's own editor: what is to be done, with the failures
//! of the last attempt, and the end of an attempt.

use std::sync::Arc;

use axum::extract::State;
use domain::{
    before_seal::before_seal,
    event::{
        agents::Task,
        questions::{ClarificationKind, ClarificationRequest},
    },
    ids::BuildId,
    key_scope::KeyScope,
    state::{BuildState, PhaseState, Stage, Status},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    call::{Call, Intent, Rejection},
    client_tool::{
        About, ClientEffect, ClientReply, ClientTool, Properties, Replying, client_tool,
    },
    project_tools::body,
    watch_build::{deadline, wait},
};
use crate::{
    agent::GateFailure,
    api::{api_error::ApiError, clarifications, owned::ProjectBuild},
    tools::input,
};

pub fn work_tools() -> Vec<Box<dyn ClientTool>> {
    vec![Box::new(GetWork), Box::new(FinishWork)]
}

client_tool!(GetWork, WaitParams => Work, "forge_get_work", "Work of a build", Read, Read, Build,
    "Returns the work that a build with the executor own_editor waits for: the phase with its open steps, \
    or what the gates and the auditor rejected. Do it in a clone of the branch, push it, and call \
    forge_finish_work. With wait_s it waits until there is work.", get_work);
client_tool!(FinishWork, FinishParams => Work, "forge_finish_work", "Finish work", Build, Add, Build,
    "Says that the work of forge_get_work is pushed to the branch. ForgeGuard then runs the gates and the \
    audit, which decide whether it is done. With wait_s it returns what they rejected, or the next work.",
    finish_work);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WaitParams {
    /// Seconds to wait while ForgeGuard itself works, at most 50; default 0.
    #[serde(default)]
    wait_s: u64,
}

#[derive(Serialize, JsonSchema)]
struct Work {
    build_id: String,
    build_status: &'static str,
    /// work: do what `task` says. running: call again with wait_s. waits: see `explanation`. ended.
    next: &'static str,
    /// The branch to push to; absent before it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// The path of the repository on this server. Git's password is the key.
    repository: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<WorkTask>,
    /// What the build waits for instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<String>,
    /// CERTIFIED, CONDITIONAL or FLAGGED, once it is sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct WorkTask {
    /// implement or fix.
    kind: &'static str,
    /// For forge_get_phase_brief.
    phase: u32,
    title: String,
    request: String,
    context: Option<String>,
    /// Steps of the plan that are neither done nor dropped.
    steps: Vec<OpenStep>,
    /// For a fix: the gates that failed.
    failures: Vec<FailedGate>,
    /// For a fix: what the auditor found.
    findings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct OpenStep {
    step: u32,
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct FailedGate {
    gate: String,
    /// Absent if no command ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    output: String,
}

impl From<GateFailure> for FailedGate {
    fn from(failure: GateFailure) -> Self {
        Self { gate: failure.gate, exit_code: failure.exit_code, output: failure.output }
    }
}

async fn get_work(call: &Call, params: WaitParams) -> Result<Work, Rejection> {
    let until = deadline(params.wait_s)?;
    let build = call.build(Intent::Read).await?.resource;
    settled(call, &build, until).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FinishParams {
    /// What was done. With the reasons below, at most 1,000 characters.
    summary: String,
    /// Steps of the plan that will not be done. All others count as done.
    #[serde(default)]
    dropped_steps: Vec<DroppedStep>,
    /// Instead of commits: why the phase needs no change.
    #[serde(default)]
    nothing_to_do: Option<String>,
    /// Seconds to wait for the gates and the audit, at most 50; default 0.
    #[serde(default)]
    wait_s: u64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DroppedStep {
    step: u32,
    reason: String,
}

async fn finish_work(call: &Call, params: FinishParams) -> Result<Work, Rejection> {
    let until = deadline(params.wait_s)?;
    let owned = call.build(Intent::Change).await?;
    let build = owned.resource.clone();
    let state = call.app.journal.state(build.build.id).await.map_err(ApiError::from)?;
    let asked = open_work(&state).ok_or_else(|| {
        let now = explanation(&state).unwrap_or_else(|| "ForgeGuard itself is working.".to_owned());
        Rejection(format!("This build does not wait for work. {now}"))
    })?;
    let answer = json!({ "question_id": asked.question_id, "answer": answer(&params) });
    clarifications::resolve_clarification(State(call.app.clone()), owned, body(answer)?).await?;
    settled(call, &build, until).await
}

/// The answer to the question for work, with the lines that agents print.
fn answer(params: &FinishParams) -> String {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut answer = params.summary.trim().to_owned();
    for DroppedStep { step, reason } in &params.dropped_steps {
        answer.push_str(&format!("\n=== TASK DROPPED: {step}: {} ===", line(reason)));
    }
    if let Some(reason) = &params.nothing_to_do {
        answer.push_str(&format!("\n=== ALREADY DONE: {} ===", line(reason)));
    }
    answer
}

/// The work, once ForgeGuard itself has nothing to do or the time is over.
async fn settled(call: &Call, build: &ProjectBuild, until: Instant) -> Result<Work, Rejection> {
    let id = build.build.id;
    loop {
        let (seq, state) = call.app.journal.folded(id).await.map_err(ApiError::from)?;
        if next(&state) != RUNNING || Instant::now() >= until {
            return describe(call, build, state).await;
        }
        wait(call, id, seq, until).await?;
    }
}

const RUNNING: &str = "running";

fn next(state: &BuildState) -> &'static str {
    match state.status {
        status if status.is_final() => "ended",
        _ if open_work(state).is_some() => "work",
        Status::AwaitingInput | Status::Paused | Status::Blocked => "waits",
        _ => RUNNING,
    }
}

fn open_work(state: &BuildState) -> Option<&ClarificationRequest> {
    let mut asked = state.questions.iter().map(|open| &open.request);
    asked.find(|asked| asked.kind == ClarificationKind::Work)
}

/// What the build waits for.
fn explanation(state: &BuildState) -> Option<String> {
    let missing = before_seal(state);
    missing.iter().find(|missing| missing.waits_for_user()).map(|missing| missing.text())
}

async fn describe(
    call: &Call,
    build: &ProjectBuild,
    state: Arc<BuildState>,
) -> Result<Work, Rejection> {
    let id = build.build.id;
    let branch = state.branch.as_ref().map(|branch| branch.branch.clone());
    let task = match (open_work(&state), state.phase()) {
        (Some(asked), Some(phase)) => Some(task(call, id, &state, phase, asked).await?),
        _ => None,
    };
    let explanation = if task.is_none() { explanation(&state) } else { None };
    Ok(Work {
        build_id: id.to_string(),
        build_status: state.status.name(),
        next: next(&state),
        branch,
        repository: format!("/git/{}.git", build.project.slug),
        task,
        explanation,
        verdict: state.sealed.as_ref().map(|sealed| sealed.verdict.name()),
    })
}

async fn task(
    call: &Call,
    build: BuildId,
    state: &BuildState,
    phase: &PhaseState,
    asked: &ClarificationRequest,
) -> Result<WorkTask, Rejection> {
    let is_fix = phase.stage == Stage::Agent(Task::Fix);
    let (mut failures, mut findings) = (Vec::new(), Vec::new());
    if is_fix {
        let failed = call.app.engine.gate_failures(build, state).await.map_err(ApiError::from)?;
        failures.extend(failed.into_iter().map(FailedGate::from));
        findings.extend(phase.findings.iter().map(ToString::to_string));
    }
    let open = (1..).zip(&phase.plan).filter(|(_, step)| step.is_open());
    Ok(WorkTask {
        kind: if is_fix { "fix" } else { "implement" },
        phase: phase.outline.number,
        title: phase.outline.title.clone(),
        request: asked.question.clone(),
        context: asked.context.clone(),
        steps: open.map(|(step, it)| OpenStep { step, text: it.text.clone() }).collect(),
        failures,
        findings,
    })
}
