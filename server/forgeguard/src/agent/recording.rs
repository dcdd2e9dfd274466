//! What the models of a build have said, as a scenario that the offline model plays again.
//!
//! Everything needed is stored anyway: the replies in the transcripts, what they cost and how runs
//! ended in the journal. A run in which no model ever answered left nothing behind and is left out;
//! where a model failed after it had answered, the scenario has the failure too, because the run
//! that began anew met what this one had changed.

use std::collections::BTreeMap;

use domain::{
    event::{
        EventBody,
        agents::{AgentTurn, CutShort, RunOutcome, Task},
    },
    failure::ErrorClass,
    ids::{BuildId, RunId},
};
use llm::{
    InvalidScenario, Message, Reply, SCENARIO_VERSION, Scenario, ScriptedFailure, ScriptedReply,
    StopReason, Usage,
};

use super::{ending::MODEL, label};
use crate::store::{self, Conn, agent_messages, events};

/// Rows read at once.
const PAGE: i64 = 1_000;

/// Why a build cannot be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// There is no such build.
    #[error("there is no build {0}")]
    NoBuild(BuildId),
    /// No model has said anything.
    #[error("no model has answered in this build yet")]
    Silent,
    /// What is stored cannot be read.
    #[error("{place} cannot be read: {source}")]
    Unreadable {
        /// Which event or message.
        place: String,
        /// Why.
        source: serde_json::Error,
    },
    /// What came out is no scenario.
    #[error(transparent)]
    Invalid(#[from] InvalidScenario),
}

/// A run as the journal tells of it.
struct Run {
    id: RunId,
    place: (u32, Task),
    turns: Vec<AgentTurn>,
    failure: Option<ScriptedFailure>,
}

/// Everything that models have said in this build so far.
///
/// # Errors
/// When it cannot be read, or there is nothing to play.
pub async fn record(conn: &mut Conn, build_id: BuildId) -> Result<Scenario, RecordingError> {
    let runs = runs(conn, build_id).await?;
    let mut counts: BTreeMap<(u32, Task), u32> = BTreeMap::new();
    let mut recorded = BTreeMap::new();
    for run in runs {
        let replies = replies(conn, &run).await?;
        if replies.is_empty() {
            continue;
        }
        let number = counts.entry(run.place).or_default();
        *number += 1;
        let (phase, task) = run.place;
        let failure = run.failure.map(ScriptedReply::from);
        let turns = replies.into_iter().chain(failure).map(|reply| vec![reply]).collect();
        recorded.insert(label::of_run(phase, task, *number), turns);
    }
    if recorded.is_empty() {
        return Err(RecordingError::Silent);
    }
    let scenario = Scenario {
        version: SCENARIO_VERSION,
        name: format!("build {build_id}"),
        description: "What the models of this build have said.".to_owned(),
        runs: recorded,
    };
    // What is handed out can be played.
    Ok(Scenario::load(&scenario.to_json())?)
}

/// The runs of a build in the order in which they began.
async fn runs(conn: &mut Conn, build_id: BuildId) -> Result<Vec<Run>, RecordingError> {
    const TELLING: [&str; 4] =
        ["build_agent_started", "build_agent_turn", "build_error_tracked", "build_agent_finished"];
    let (mut runs, mut seq, mut model_failed) = (Vec::new(), 0, false);
    loop {
        let rows = events::after(conn, build_id, seq, PAGE).await?;
        let Some(last) = rows.last() else { break };
        seq = last.seq;
        for row in rows.iter().filter(|row| TELLING.contains(&row.kind.as_str())) {
            let body = serde_json::from_str(&row.body).map_err(|source| {
                RecordingError::Unreadable { place: format!("event {}", row.seq), source }
            })?;
            tell(&mut runs, &mut model_failed, body);
        }
    }
    if seq == 0 { Err(RecordingError::NoBuild(build_id)) } else { Ok(runs) }
}

fn tell(runs: &mut Vec<Run>, model_failed: &mut bool, body: EventBody) {
    match body {
        EventBody::BuildAgentStarted(begun) => runs.push(Run {
            id: begun.run_id,
            place: (begun.phase, begun.task),
            turns: Vec::new(),
            failure: None,
        }),
        EventBody::BuildAgentTurn(turn) => {
            if let Some(run) = runs.iter_mut().rfind(|run| run.id == turn.run_id) {
                run.turns.push(turn);
            }
        }
        // It comes right before the end that it explains.
        EventBody::BuildErrorTracked(tracked) => *model_failed = tracked.record.source == MODEL,
        EventBody::BuildAgentFinished(finished) => {
            let run = runs.iter_mut().rfind(|run| run.id == finished.run_id);
            if let (Some(run), true, RunOutcome::Failed { error_class, message, .. }) =
                (run, *model_failed, finished.outcome)
            {
                run.failure = Some(ScriptedFailure { class: class(error_class), message });
            }
            *model_failed = false;
        }
        _ => {}
    }
}

fn class(of_build: ErrorClass) -> llm::ErrorClass {
    match of_build {
        ErrorClass::Transient => llm::ErrorClass::Transient,
        ErrorClass::Config => llm::ErrorClass::Config,
        _ => llm::ErrorClass::Unknown,
    }
}

/// What the model said in a run, turn by turn.
async fn replies(conn: &mut Conn, run: &Run) -> Result<Vec<ScriptedReply>, RecordingError> {
    let (mut replies, mut from) = (Vec::new(), 0);
    loop {
        let rows = agent_messages::list(conn, run.id, from, PAGE).await?;
        let Some(last) = rows.last() else { return Ok(replies) };
        from = last.position + 1;
        for row in rows.iter().filter(|row| row.role == "assistant") {
            let message = serde_json::from_str(&row.message).map_err(|source| {
                let place = format!("message {} of run {}", row.position, run.id);
                RecordingError::Unreadable { place, source }
            })?;
            if let Message::Assistant { text, tool_calls, provider } = message {
                let turn = run.turns.get(replies.len());
                let stop_reason = match turn.and_then(|turn| turn.cut_short) {
                    Some(CutShort::Length) => StopReason::MaxTokens,
                    Some(CutShort::Refusal) => StopReason::Refusal,
                    Some(CutShort::Paused) => StopReason::Paused,
                    None if tool_calls.is_empty() => StopReason::EndTurn,
                    None => StopReason::ToolUse,
                };
                let (usage, reasoning) = (turn.map_or(Usage::default(), usage), String::new());
                let reply = Reply { text, reasoning, tool_calls, stop_reason, usage, provider };
                replies.push(reply.into());
            }
        }
    }
}

fn usage(turn: &AgentTurn) -> Usage {
    Usage {
        input: turn.tokens_in,
        output: turn.tokens_out,
        cache_read: turn.cache_read,
        cache_write: turn.cache_write,
    }
}
