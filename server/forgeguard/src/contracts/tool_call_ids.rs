//! Ids of tool calls, which some servers repeat in each reply or omit.

use std::collections::HashSet;

use llm::{Message, ToolCall};

/// The calls of the `turn`th reply, with ids that are unique within the conversation.
pub fn with_unique_ids(messages: &[Message], calls: &[ToolCall], turn: u32) -> Vec<ToolCall> {
    let earlier = messages.iter().flat_map(|message| match message {
        Message::Assistant { tool_calls, .. } => tool_calls.as_slice(),
        Message::User { .. } => &[],
    });
    let mut taken: HashSet<String> = earlier.map(|call| call.id.clone()).collect();
    let own = |(place, call): (usize, &ToolCall)| {
        let mut call = call.clone();
        if call.id.is_empty() || !taken.insert(call.id.clone()) {
            call.id = format!("call-{turn}-{place}");
            taken.insert(call.id.clone());
        }
        call
    };
    calls.iter().enumerate().map(own).collect()
}
