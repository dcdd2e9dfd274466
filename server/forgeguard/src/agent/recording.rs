//! Exports the replies of a build's models as a scenario, which the offline model can replay.
//!
//! The replies are in the transcripts; their usage and the end of each run are in the journal. Runs
//! without a reply are omitted. A failure after a reply is part of the scenario, because the
//! restarted run found the files that this one had changed.

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

/// Rows per query.
const PAGE: i64 = 1_000;

#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("there is no build {0}")]
    NoBuild(BuildId),
    #[error("no model has replied in this build yet")]
    NoReplies,
    #[error("{place} cannot be read: {source}")]
    Unreadable {
        /// The event or message.
        place: String,
        source: serde_json::Error,
    },
    #[error(transparent)]
    Invalid(#[from] InvalidScenario),
}

/// A run, according to the journal.
struct Run {
    id: RunId,
    place: (u32, Task),
    turns: Vec<AgentTurn>,
    failure: Option<ScriptedFailure>,
}

/// All replies of models in this build so far.
///
/// # Errors
/// If it cannot be read, or no model has replied.
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
        return Err(RecordingError::NoReplies);
    }
    let scenario = Scenario {
        version: SCENARIO_VERSION,
        name: format!("build {build_id}"),
        description: "The replies of this build's models.".to_owned(),
        runs: recorded,
    };
    // Validates it.
    Ok(Scenario::load(&scenario.to_json())?)
}

/// The runs of a build, in the order of their starts.
async fn runs(conn: &mut Conn, build_id: BuildId) -> Result<Vec<Run>, RecordingError> {
    const KINDS: [&str; 4] =
        ["build_agent_started", "build_agent_turn", "build_error_tracked", "build_agent_finished"];
    let (mut runs, mut seq, mut model_failed) = (Vec::new(), 0, false);
    loop {
        let rows = events::after(conn, build_id, seq, PAGE).await?;
        let Some(last) = rows.last() else { break };
        seq = last.seq;
        for row in rows.iter().filter(|row| KINDS.contains(&row.kind.as_str())) {
            let body = serde_json::from_str(&row.body).map_err(|source| {
                RecordingError::Unreadable { place: format!("event {}", row.seq), source }
            })?;
            apply(&mut runs, &mut model_failed, body);
        }
    }
    if seq == 0 { Err(RecordingError::NoBuild(build_id)) } else { Ok(runs) }
}

fn apply(runs: &mut Vec<Run>, model_failed: &mut bool, body: EventBody) {
    match body {
        EventBody::BuildAgentStarted(started) => runs.push(Run {
            id: started.run_id,
            place: (started.phase, started.task),
            turns: Vec::new(),
            failure: None,
        }),
        EventBody::BuildAgentTurn(turn) => {
            if let Some(run) = runs.iter_mut().rfind(|run| run.id == turn.run_id) {
                run.turns.push(turn);
            }
        }
        // It precedes the end of the run that it explains.
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

fn class(class: ErrorClass) -> llm::ErrorClass {
    match class {
        ErrorClass::Transient => llm::ErrorClass::Transient,
        ErrorClass::Config => llm::ErrorClass::Config,
        _ => llm::ErrorClass::Unknown,
    }
}

/// The model's replies in a run.
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
