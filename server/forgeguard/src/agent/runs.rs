//! The runs of a build, as its journal has recorded them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    event::{
        EventBody,
        agents::{AgentStarted, AgentTurn, RunOutcome},
    },
    ids::{BuildId, RunId},
};

use crate::store::{self, Conn, events};

/// A run that has started.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// Seq of the event of its start.
    pub seq: u64,
    pub started: AgentStarted,
    /// The first run of its conversation.
    pub conversation: RunId,
    pub started_at: DateTime<Utc>,
    /// `None` while it runs.
    pub end: Option<(DateTime<Utc>, RunOutcome)>,
    /// The number of replies.
    pub turns: u32,
    /// All input tokens, also those that the provider's cache read or wrote.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Millionths of a US dollar.
    pub cost_usd_micros: u64,
}

/// All runs of a build, in the order of their starts.
///
/// # Errors
/// If the database fails. Events that cannot be read are left out; verification reports them.
pub async fn list(conn: &mut Conn, build: BuildId) -> store::Result<Vec<RecordedRun>> {
    let mut runs: Vec<RecordedRun> = Vec::new();
    let mut index: HashMap<RunId, usize> = HashMap::new();
    for row in events::of_type(conn, build, "build_agent_started").await? {
        let Ok(EventBody::BuildAgentStarted(started)) = serde_json::from_str(&row.body) else {
            continue;
        };
        let earlier = started.continues.and_then(|run| index.get(&run));
        let conversation = earlier.map_or(started.run_id, |at| runs[*at].conversation);
        index.insert(started.run_id, runs.len());
        runs.push(RecordedRun {
            seq: row.seq,
            started,
            conversation,
            started_at: row.at,
            end: None,
            turns: 0,
            tokens_in: 0,
            tokens_out: 0,
            cost_usd_micros: 0,
        });
    }
    for row in events::of_type(conn, build, "build_agent_turn").await? {
        if let Ok(EventBody::BuildAgentTurn(turn)) = serde_json::from_str(&row.body)
            && let Some(at) = index.get(&turn.run_id)
        {
            runs[*at].add(&turn);
        }
    }
    for row in events::of_type(conn, build, "build_agent_finished").await? {
        if let Ok(EventBody::BuildAgentFinished(finished)) = serde_json::from_str(&row.body)
            && let Some(at) = index.get(&finished.run_id)
        {
            runs[*at].end = Some((row.at, finished.outcome));
        }
    }
    Ok(runs)
}

impl RecordedRun {
    fn add(&mut self, turn: &AgentTurn) {
        self.turns += 1;
        self.tokens_in += turn.tokens_in + turn.cache_read + turn.cache_write;
        self.tokens_out += turn.tokens_out;
        self.cost_usd_micros += turn.cost_usd_micros;
    }
}
