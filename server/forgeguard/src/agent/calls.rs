//! The tool calls of a reply: reads run concurrently, other calls one after another.

use std::{collections::HashSet, sync::Arc, time::Instant};

use domain::{
    event::{
        EventBody,
        agents::{ToolCallFinished, ToolCallStarted},
    },
    ids::RunId,
    state::BuildState,
};
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use llm::{Message, ToolCall, UserBlock};

use crate::tools::{self, Done, Effect, Fatal, ToolContext, ToolName, ToolReply};

const MAX_CONCURRENT_CALLS: usize = 8;

/// A call and its result.
pub(super) struct CallOutcome {
    pub call: ToolCall,
    pub reply: Result<ToolReply, Fatal>,
    pub duration_ms: u64,
}

/// The outcomes of calls, each as it finishes.
pub(super) type Outcomes = BoxStream<'static, CallOutcome>;

/// The first calls that can run concurrently: all leading reads, all questions, or one other call.
/// Questions do not wait for the calls between them, so that users see them together.
pub(super) fn batch(pending: &[ToolCall]) -> Vec<ToolCall> {
    if pending.first().is_some_and(asks) {
        return pending.iter().filter(|call| asks(call)).cloned().collect();
    }
    let reads = pending.iter().take_while(|call| only_reads(call)).count();
    pending[..reads.max(1).min(pending.len())].to_vec()
}

/// Whether a call changes nothing.
pub(super) fn only_reads(call: &ToolCall) -> bool {
    // A call of an unknown tool is rejected.
    tools::find(&call.name).is_none_or(|tool| tool.effect() == Effect::Read)
}

fn asks(call: &ToolCall) -> bool {
    call.name == ToolName::ForgeAskClarification.as_str()
}

/// The events of their start.
pub(super) fn starts<'a>(
    run_id: RunId,
    calls: impl Iterator<Item = &'a ToolCall>,
) -> Vec<EventBody> {
    let started = calls.cloned().map(|ToolCall { id: call_id, name: tool, input }| {
        ToolCallStarted { run_id, call_id, tool, input }.into()
    });
    started.collect()
}

/// Makes the calls. `interrupted` are calls that an earlier process started.
pub(super) fn make(
    calls: &[ToolCall],
    context: &ToolContext,
    state: &Arc<BuildState>,
    interrupted: &HashSet<String>,
) -> Outcomes {
    // Questions are asked in the order of the reply.
    let concurrency = if calls.first().is_some_and(asks) { 1 } else { MAX_CONCURRENT_CALLS };
    let made = calls.iter().cloned().map(|call| {
        let context = ToolContext {
            call_id: call.id.clone(),
            resumed: interrupted.contains(&call.id),
            state: state.clone(),
            ..context.clone()
        };
        async move {
            let start = Instant::now();
            let reply = tools::call(&context, &call.name, call.input.clone()).await;
            let duration_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            CallOutcome { call, reply, duration_ms }
        }
    });
    stream::iter(made.collect::<Vec<_>>()).buffer_unordered(concurrency).boxed()
}

/// The events of a finished call, and its result for the model.
pub(super) fn result(
    run_id: RunId,
    call: ToolCall,
    done: Done,
    duration_ms: u64,
) -> (Vec<EventBody>, Message) {
    let Done { ok, output, mut events, .. } = done;
    let block =
        UserBlock::ToolResult { call_id: call.id.clone(), content: output.clone(), is_error: !ok };
    let ToolCall { id: call_id, name: tool, .. } = call;
    let finished = ToolCallFinished { run_id, call_id, tool, ok, output, duration_ms };
    events.push(finished.into());
    (events, Message::User { content: vec![block] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn batch_has_all_leading_reads_or_all_questions() {
        let ask = "forge_ask_clarification";
        for (names, expected) in [
            (&["read_file", "no_such_tool", "search_code", "edit_file"][..], 3),
            (&["edit_file", "edit_file"], 1),
            (&["read_file", ask, ask], 1),
            (&[ask, "edit_file", ask, "read_file"], 2),
            (&["edit_file", ask], 1),
            (&[], 0),
        ] {
            let call = |name: &&str| ToolCall {
                id: String::new(),
                name: (*name).into(),
                input: json!({}),
            };
            let calls: Vec<ToolCall> = names.iter().map(call).collect();
            assert_eq!(batch(&calls).len(), expected, "{names:?}");
        }
    }
}
