//! Tool calls that an earlier process started and did not finish. Their effects may have happened.

use std::collections::HashSet;

use domain::{
    event::EventBody,
    ids::{BuildId, RunId},
};
use llm::ToolCall;

use crate::store::{self, Conn, events};

/// Events per query.
const PAGE: i64 = 100;

/// The ids of those `pending` calls that were started according to the journal. A call that only
/// asked the user has had no effect.
pub async fn find(
    conn: &mut Conn,
    build_id: BuildId,
    run_id: RunId,
    pending: &[ToolCall],
) -> store::Result<HashSet<String>> {
    let mut unknown: HashSet<&str> = pending.iter().map(|call| call.id.as_str()).collect();
    let (mut interrupted, mut before) = (HashSet::new(), None);
    while !unknown.is_empty() {
        let page = events::before(conn, build_id, before, PAGE).await?;
        let Some(oldest) = page.first() else { break };
        before = Some(oldest.seq);
        for row in page.iter().rev().filter(|row| is_about_calls(&row.kind)) {
            match serde_json::from_str(&row.body) {
                Ok(EventBody::BuildToolCallStarted(call)) if call.run_id == run_id => {
                    interrupted.extend(unknown.take(call.call_id.as_str()).map(str::to_owned));
                }
                Ok(EventBody::BuildClarificationRequest(asked)) if asked.run_id == run_id => {
                    unknown.remove(asked.call_id.as_str());
                }
                // The reply that asks for these calls.
                Ok(EventBody::BuildAgentTurn(turn)) if turn.run_id == run_id => {
                    return Ok(interrupted);
                }
                _ => {}
            }
        }
    }
    Ok(interrupted)
}

fn is_about_calls(kind: &str) -> bool {
    ["build_tool_call_started", "build_clarification_request", "build_agent_turn"].contains(&kind)
}
