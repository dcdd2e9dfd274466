//! The stored conversation of a run: one row per message, tool results in the order of arrival.
//!
//! A reply and the messages around it are stored together with the events of the turn, and each tool
//! result with the events of its call. The rows therefore determine the next step: the calls of the
//! last reply without a result, or else the next request. A summary that replaces a part of the
//! conversation is a row too; rows are never removed.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use domain::ids::RunId;
use llm::{Message, ToolCall, UserBlock};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::run::AgentError;
use crate::{
    journal::AgentMessage,
    store::{Conn, agent_messages},
    tools::{self, Tool, ToolName},
};

/// Rows per query.
const PAGE: i64 = 500;
/// The role of a [`Summary`]'s row.
const SUMMARY: &str = "summary";

/// All messages of a run, in the order of their rows, after those of the runs that it continues.
#[derive(Clone, Debug)]
pub struct Transcript {
    run_id: RunId,
    messages: Vec<Message>,
    /// Index of the run's own first message.
    own_from: usize,
    /// The newest one.
    summary: Option<Summary>,
    /// Rows of the run itself.
    rows: u32,
}

/// Replaces the middle of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub text: String,
    /// Index of the first message after the middle: a reply, so that each result has its call.
    pub kept_from: usize,
}

/// A row, as it was stored.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredMessage {
    Message(Message),
    Summary(Summary),
}

impl StoredMessage {
    /// # Errors
    /// If it is no message of this role.
    pub fn parse(role: &str, json: &str) -> serde_json::Result<Self> {
        Ok(match role {
            SUMMARY => Self::Summary(serde_json::from_str(json)?),
            _ => Self::Message(serde_json::from_str(json)?),
        })
    }
}

/// A tool call with its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinishedCall<'a> {
    pub tool: &'a str,
    pub input: &'a Value,
    pub result: &'a str,
    /// Whether the result is an error.
    pub failed: bool,
}

impl FinishedCall<'_> {
    /// `None` if there is no such tool.
    pub fn tool_name(&self) -> Option<ToolName> {
        tools::find(self.tool).map(Tool::name)
    }
}

impl Transcript {
    /// An empty conversation.
    pub fn new(run_id: RunId) -> Self {
        Self { run_id, messages: Vec::new(), own_from: 0, summary: None, rows: 0 }
    }

    /// Reads the stored conversation of a run, which continues that of the `earlier` ones.
    ///
    /// # Errors
    /// If the database fails or a row cannot be read.
    pub async fn load(
        conn: &mut Conn,
        earlier: &[RunId],
        run_id: RunId,
    ) -> Result<Self, AgentError> {
        let mut transcript = Self::new(run_id);
        for run in earlier {
            transcript.load_rows(conn, *run).await?;
            transcript.rows = 0;
        }
        transcript.own_from = transcript.messages.len();
        transcript.load_rows(conn, run_id).await?;
        Ok(transcript)
    }

    async fn load_rows(&mut self, conn: &mut Conn, run_id: RunId) -> Result<(), AgentError> {
        let transcript = self;
        loop {
            let from = transcript.rows;
            let rows = agent_messages::list(conn, run_id, from, PAGE).await?;
            let count = rows.len() as i64;
            for row in rows {
                let position = row.position;
                let unreadable =
                    |reason: String| AgentError::Transcript { run_id, position, reason };
                if position != transcript.rows {
                    return Err(unreadable("one before it is missing".into()));
                }
                let taken = transcript.take(&row.role, &row.message);
                taken.map_err(|error| unreadable(error.to_string()))?;
            }
            if count < PAGE {
                return Ok(());
            }
        }
    }

    fn take(&mut self, role: &str, json: &str) -> serde_json::Result<()> {
        match StoredMessage::parse(role, json)? {
            StoredMessage::Summary(summary) => self.shorten(summary),
            StoredMessage::Message(message) => self.extend([message]),
        }
        Ok(())
    }

    /// Whether the run has sent its first text. Before that, it may have made calls that the last
    /// reply of an earlier run has left.
    pub fn has_begun(&self) -> bool {
        let mut blocks = self.messages[self.own_from..].iter().flat_map(blocks);
        blocks.any(|block| matches!(block, UserBlock::Text { .. }))
    }

    /// The number of the run's own replies.
    pub fn turns(&self) -> usize {
        self.own_replies().count()
    }

    /// The number of replies in the runs that it continues.
    pub fn earlier_turns(&self) -> usize {
        replies(&self.messages[..self.own_from]).count()
    }

    /// The text and the tool calls of each reply.
    pub fn replies(&self) -> impl DoubleEndedIterator<Item = (&str, &[ToolCall])> {
        replies(&self.messages)
    }

    /// The text and the tool calls of each reply of the run itself.
    pub fn own_replies(&self) -> impl DoubleEndedIterator<Item = (&str, &[ToolCall])> {
        replies(&self.messages[self.own_from..])
    }

    /// Whether this text was sent to the model in the run itself.
    pub fn was_sent(&self, text: &str) -> bool {
        let blocks = self.messages[self.own_from..].iter().filter_map(|message| match message {
            Message::User { content } => Some(content),
            Message::Assistant { .. } => None,
        });
        blocks
            .flatten()
            .any(|block| matches!(block, UserBlock::Text { text: sent } if sent == text))
    }

    /// The calls of the last reply that have no result, in order.
    pub fn pending(&self) -> Vec<ToolCall> {
        let Some(last) = self.reply_from_end(1) else { return Vec::new() };
        let Message::Assistant { tool_calls, .. } = &self.messages[last] else {
            return Vec::new();
        };
        let answered: HashSet<&str> = self.messages[last..].iter().flat_map(result_ids).collect();
        tool_calls.iter().filter(|call| !answered.contains(call.id.as_str())).cloned().collect()
    }

    /// All calls that have a result, in the order of the calls.
    pub fn finished_calls(&self) -> Vec<FinishedCall<'_>> {
        finished_calls(&self.messages)
    }

    /// Those of the run itself.
    pub fn own_finished_calls(&self) -> Vec<FinishedCall<'_>> {
        finished_calls(&self.messages[self.own_from..])
    }

    /// The conversation for a request: all messages between two replies become one, with results
    /// first and in the order of their calls. A summary replaces the middle; `news` come last.
    pub fn conversation(&self, news: &[Message]) -> Vec<Message> {
        let Some(Summary { text, kept_from }) = &self.summary else {
            return joined(self.messages.iter().chain(news));
        };
        let opening = &self.messages[..self.middle_start()];
        let summary = Message::user(text.as_str());
        let kept = &self.messages[*kept_from..];
        joined(opening.iter().chain([&summary]).chain(kept).chain(news))
    }

    /// The number of replies that the summary replaces.
    pub fn forgotten_turns(&self) -> usize {
        let is_reply = |message: &&Message| matches!(message, Message::Assistant { .. });
        let kept_from = self.summary.as_ref().map_or(0, |summary| summary.kept_from);
        self.messages[..kept_from].iter().filter(is_reply).count()
    }

    /// Index of the `n`-th last reply, from 1.
    pub fn reply_from_end(&self, n: usize) -> Option<usize> {
        let is_reply = |message: &Message| matches!(message, Message::Assistant { .. });
        let mut replies = (0..self.messages.len()).rev().filter(|at| is_reply(&self.messages[*at]));
        replies.nth(n.checked_sub(1)?)
    }

    /// The messages from the first reply up to index `end`; `None` if the summary already replaces
    /// that many.
    pub fn middle(&self, end: usize) -> Option<Self> {
        let start = self.middle_start();
        let known = self.summary.as_ref().map_or(start, |summary| summary.kept_from);
        let messages = (end > known).then(|| self.messages[start..end].to_vec())?;
        Some(Self { messages, ..Self::new(self.run_id) })
    }

    fn middle_start(&self) -> usize {
        let is_reply = |message: &Message| matches!(message, Message::Assistant { .. });
        self.messages.iter().position(is_reply).unwrap_or(self.messages.len())
    }

    /// The rows for storing `messages`.
    pub fn rows(&self, messages: &[Message]) -> Vec<AgentMessage> {
        let row = |(position, message): (u32, &Message)| AgentMessage {
            run_id: self.run_id,
            position,
            role: match message {
                Message::User { .. } => "user",
                Message::Assistant { .. } => "assistant",
            },
            message: serde_json::to_value(message).unwrap_or_default(),
        };
        (self.rows..).zip(messages).map(row).collect()
    }

    /// The row for storing a summary.
    pub fn summary_row(&self, summary: &Summary) -> AgentMessage {
        let message = serde_json::to_value(summary).unwrap_or_default();
        AgentMessage { run_id: self.run_id, position: self.rows, role: SUMMARY, message }
    }

    /// Adds messages that were stored.
    pub fn extend(&mut self, messages: impl IntoIterator<Item = Message>) {
        for message in messages {
            self.messages.push(message);
            self.rows += 1;
        }
    }

    /// Adds a summary that was stored.
    pub fn shorten(&mut self, summary: Summary) {
        // A damaged row must not cause a panic.
        let kept_from = summary.kept_from.clamp(self.middle_start(), self.messages.len());
        self.summary = Some(Summary { kept_from, ..summary });
        self.rows += 1;
    }

    /// Makes the ids of calls unique within the run: questions and results refer to them, and some
    /// providers repeat them.
    pub fn with_unique_ids(&self, calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let earlier = self.replies().flat_map(|(_, calls)| calls).map(|call| call.id.clone());
        let mut taken: HashSet<String> = earlier.collect();
        let turn = self.replies().count();
        let own = |(index, mut call): (usize, ToolCall)| {
            if call.id.is_empty() || taken.contains(&call.id) {
                call.id = format!("{}-{turn}-{index}", call.id);
            }
            taken.insert(call.id.clone());
            call
        };
        calls.into_iter().enumerate().map(own).collect()
    }
}

fn replies(messages: &[Message]) -> impl DoubleEndedIterator<Item = (&str, &[ToolCall])> {
    messages.iter().filter_map(|message| match message {
        Message::Assistant { text, tool_calls, .. } => Some((text.as_str(), &tool_calls[..])),
        Message::User { .. } => None,
    })
}

fn finished_calls(messages: &[Message]) -> Vec<FinishedCall<'_>> {
    let mut finished = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let Message::Assistant { tool_calls, .. } = message else { continue };
        let until = messages[place + 1..]
            .iter()
            .position(|message| matches!(message, Message::Assistant { .. }))
            .map_or(messages.len(), |next| place + 1 + next);
        let results = || messages[place + 1..until].iter().flat_map(blocks);
        for call in tool_calls {
            let result = results().find_map(|block| match block {
                UserBlock::ToolResult { call_id, content, is_error } if *call_id == call.id => {
                    Some((content.as_str(), *is_error))
                }
                _ => None,
            });
            let (tool, input) = (call.name.as_str(), &call.input);
            finished.extend(result.map(|(result, failed)| FinishedCall {
                tool,
                input,
                result,
                failed,
            }));
        }
    }
    finished
}

/// Messages as providers expect them: one between two replies, results first.
fn joined<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<Message> {
    let mut joined: Vec<Message> = Vec::new();
    let mut order: Vec<&str> = Vec::new();
    for message in messages {
        match (message, joined.last_mut()) {
            (Message::User { content }, Some(Message::User { content: before })) => {
                before.extend(content.iter().cloned());
                before.sort_by_key(|block| place(block, &order));
            }
            (Message::User { content }, _) => {
                let mut content = content.clone();
                content.sort_by_key(|block| place(block, &order));
                joined.push(Message::User { content });
            }
            (Message::Assistant { tool_calls, .. }, _) => {
                order = tool_calls.iter().map(|call| call.id.as_str()).collect();
                joined.push(message.clone());
            }
        }
    }
    joined
}

fn blocks(message: &Message) -> &[UserBlock] {
    match message {
        Message::User { content } => content,
        Message::Assistant { .. } => &[],
    }
}

fn result_ids(message: &Message) -> impl Iterator<Item = &str> {
    blocks(message).iter().filter_map(|block| match block {
        UserBlock::ToolResult { call_id, .. } => Some(call_id.as_str()),
        UserBlock::Text { .. } => None,
    })
}

/// The position of a block among those after a reply with these calls.
fn place(block: &UserBlock, order: &[&str]) -> usize {
    match block {
        UserBlock::ToolResult { call_id, .. } => {
            order.iter().position(|id| id == call_id).unwrap_or(order.len())
        }
        UserBlock::Text { .. } => order.len() + 1,
    }
}
