//! The events that a reply of the model becomes.

use domain::{
    event::{
        EventBody,
        agents::{AgentTurn, CutShort, ToolCallStarted},
        phases::{PlanUpdated, TaskDone},
    },
    ids::RunId,
};
use llm::{Price, Reply, StopReason, ToolCall};

use super::protocol::{Heard, Next};

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
    pub user_words: UserWords,
}

/// How much of what the user says and notes a model has been told.
#[derive(Clone, Copy, Debug)]
pub struct UserWords {
    /// Interjections up to this event.
    pub interjections_seen: u64,
    /// The notes in this version; 0 where there are none.
    pub notes_version: u32,
}

/// The turn itself, what its text says by the protocol, and the calls that will be made.
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
            StopReason::EndTurn | StopReason::ToolUse | StopReason::Other(_) => None,
        },
    };
    let mut events = vec![said.into()];
    if let Some(plan) = heard.plan.clone() {
        events.push(PlanUpdated { phase, steps: plan.steps, gates: plan.gates }.into());
    }
    events.extend(heard.tasks_done.iter().map(|task| TaskDone { phase, task: *task }.into()));
    events.extend(heard.criteria.iter().cloned().map(EventBody::from));
    if matches!(heard.next, Next::Calls(_)) {
        events.extend(reply.tool_calls.iter().cloned().map(|call| {
            let ToolCall { id: call_id, name: tool, input } = call;
            ToolCallStarted { run_id, call_id, tool, input }.into()
        }));
    }
    events
}
