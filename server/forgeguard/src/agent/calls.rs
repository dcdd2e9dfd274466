//! The tool calls of a reply: reads run concurrently, other calls one after another.

use std::{collections::HashSet, sync::Arc, time::Instant};

use domain::{
    event::{EventBody, agents::ToolCallFinished},
    ids::RunId,
    state::BuildState,
};
use futures::{StreamExt, stream};
use llm::{Message, ToolCall, UserBlock};

use crate::tools::{self, Done, Effect, Fatal, ToolContext, ToolReply};

const MAX_CONCURRENT_CALLS: usize = 8;

/// A call and its result.
pub(super) struct CallOutcome {
    pub call: ToolCall,
    pub reply: Result<ToolReply, Fatal>,
    pub duration_ms: u64,
}

/// The first calls that can run concurrently: all leading reads, or one other call.
pub(super) fn batch(pending: &[ToolCall]) -> &[ToolCall] {
    let only_reads = |call: &ToolCall| {
        // A call of an unknown tool is rejected, which changes nothing either.
        tools::find(&call.name).is_none_or(|tool| tool.effect() == Effect::Read)
    };
    let reads = pending.iter().take_while(|call| only_reads(call)).count();
    &pending[..reads.max(1).min(pending.len())]
}

/// Makes the calls; yields each as it finishes. `interrupted` are calls that an earlier process
/// started.
pub(super) fn make(
    calls: &[ToolCall],
    context: &ToolContext,
    state: &Arc<BuildState>,
    interrupted: &HashSet<String>,
) -> impl futures::Stream<Item = CallOutcome> + Unpin + use<> {
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
    stream::iter(made.collect::<Vec<_>>()).buffer_unordered(MAX_CONCURRENT_CALLS).boxed()
}

/// The events of a finished call, and its result for the model.
pub(super) fn result(
    run_id: RunId,
    call: ToolCall,
    done: Done,
    duration_ms: u64,
) -> (Vec<EventBody>, Message) {
    let Done { ok, output, mut events } = done;
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
    fn only_reads_run_concurrently() {
        let calls: Vec<ToolCall> =
            ["read_file", "no_such_tool", "search_code", "edit_file", "edit_file", "read_file"]
                .into_iter()
                .map(|name| ToolCall { id: String::new(), name: name.into(), input: json!({}) })
                .collect();
        assert_eq!(batch(&calls).len(), 3);
        assert_eq!(batch(&calls[3..]).len(), 1);
        assert_eq!(batch(&calls[5..]).len(), 1);
        assert!(batch(&[]).is_empty());
    }
}
