//! The events of a model's reply, and of markers in other texts.

use domain::{
    event::{
        EventBody,
        agents::{AgentTurn, CutShort, Task},
        phases::{PhaseAlreadyDone, PlanUpdated, TaskDone, TaskDropped},
    },
    ids::RunId,
    markers,
    state::BuildState,
};
use llm::{Price, Reply, StopReason};

use super::protocol::{self, ParsedReply};

/// The turn that a reply belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub run_id: RunId,
    pub phase: u32,
    pub price: Price,
    pub user_input: UserInput,
}

/// The user's input that was in the context of a reply.
#[derive(Clone, Copy, Debug)]
pub struct UserInput {
    /// Interjections up to this event.
    pub interjections_seen: u64,
    /// The version of the user's notes; 0 if there are none.
    pub notes_version: u32,
}

/// The turn, and the plan and steps in its text.
pub fn events(turn: Turn, reply: &Reply, parsed: &ParsedReply) -> Vec<EventBody> {
    let Turn { run_id, phase, price, user_input } = turn;
    let usage = reply.usage;
    let turn = AgentTurn {
        run_id,
        text: reply.text.clone(),
        tokens_in: usage.input,
        tokens_out: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        cost_usd_micros: price.cost_usd_micros(usage),
        interjections_seen: user_input.interjections_seen,
        notes_version: user_input.notes_version,
        cut_short: match reply.stop_reason {
            StopReason::MaxTokens => Some(CutShort::Length),
            StopReason::Refusal => Some(CutShort::Refusal),
            StopReason::Paused => Some(CutShort::Paused),
            StopReason::EndTurn | StopReason::ToolUse | StopReason::Other(_) => None,
        },
    };
    let mut events = vec![turn.into()];
    if let Some(plan) = parsed.plan.clone() {
        events.push(PlanUpdated { phase, steps: plan.steps, gates: plan.gates }.into());
    }
    events.extend(parsed.tasks_done.iter().map(|task| TaskDone { phase, task: *task }.into()));
    events.extend(parsed.tasks_dropped.iter().cloned().map(|(task, reason)| {
        let dropped = TaskDropped { phase, task, reason };
        dropped.into()
    }));
    let declared = parsed.already_done.clone();
    events.extend(declared.map(|reason| PhaseAlreadyDone { phase, reason }.into()));
    events
}

/// The effects of markers in a text, as far as they are new.
pub fn marked(state: &BuildState, task: Task, said: &str) -> Vec<EventBody> {
    let Some(phase) = state.phase() else { return Vec::new() };
    let number = phase.outline.number;
    let done = protocol::new_tasks(phase, said);
    let dropped = protocol::dropped(phase, said, &done).into_iter();
    let mut events: Vec<EventBody> =
        done.into_iter().map(|task| TaskDone { phase: number, task }.into()).collect();
    events.extend(dropped.map(|(task, reason)| TaskDropped { phase: number, task, reason }.into()));
    if task == Task::Execute && phase.already_done.is_none() {
        let reason = markers::already_done(said);
        events.extend(reason.map(|reason| PhaseAlreadyDone { phase: number, reason }.into()));
    }
    events
}
