//! The events that a reply of the model becomes.

use domain::{
    event::{
        EventBody,
        agents::{AgentTurn, CutShort},
        phases::{PlanUpdated, TaskDone},
    },
    ids::RunId,
};
use llm::{Price, Reply, StopReason};

use super::protocol::Heard;

/// The turn a reply belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The run.
    pub run_id: RunId,
    /// The phase.
    pub phase: u32,
    /// What the model costs.
    pub price: Price,
    /// What of the user's words was in its context.
    pub user_words: UserMessage,
}

/// How much of what the user says and notes a model has been told.
#[derive(Clone, Copy, Debug)]
pub struct UserMessage {
    /// Interjections up to this event.
    pub interjections_seen: u64,
    /// The notes in this version; 0 where there are none.
    pub notes_version: u32,
}

/// The turn itself, and what its text says by the protocol.
pub fn events(turn: Turn, reply: &Reply, heard: &Heard) -> Vec<EventBody> {
    let Turn { run_id, phase, price, user_words } = turn;
    let usage = reply.usage;
    let said = AgentTurn {
        run_id,
        text: reply.text.clone(),
        tokens_in: usage.input,
        tokens_out: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        cost_usd_micros: price.cost_usd_micros(usage),
        interjections_seen: user_words.interjections_seen,
        notes_version: user_words.notes_version,
        cut_short: match reply.stop_reason {
            StopReason::MaxTokens => Some(CutShort::Length),
            StopReason::Refusal => Some(CutShort::Refusal),
            StopReason::Paused => Some(CutShort::Paused),
            StopReason::EndTurn | StopReason::ToolUse | StopReason::Other(_) => None,
        },
    };
    let mut events = vec![said.into()];
    if let Some(plan) = heard.plan.clone() {
        events.push(PlanUpdated { phase, steps: plan.steps, gates: plan.gates }.into());
    }
    events.extend(heard.tasks_done.iter().map(|task| TaskDone { phase, task: *task }.into()));
    events.extend(heard.criteria.iter().cloned().map(EventBody::from));
    events
}
