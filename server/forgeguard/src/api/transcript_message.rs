//! A message of a transcript, for display: without secrets, and shortened if wanted.

use chrono::{DateTime, Utc};
use domain::ids::RunId;
use llm::{Message, UserBlock};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    agent::transcript::StoredMessage,
    redaction::{redact_json, redact_text},
    store::agent_messages::AgentMessage,
};

/// Length to which a text is shortened.
const MAX_TEXT_BYTES: usize = 8 * 1024;

#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageAuthor {
    /// ForgeGuard, for the user and the tools.
    User,
    /// The model.
    Assistant,
    /// ForgeGuard, in place of the messages before, which became too long.
    Summary,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TranscriptMessage {
    pub run_id: RunId,
    /// From 0 within the run.
    pub position: u32,
    pub author: MessageAuthor,
    pub at: DateTime<Utc>,
    pub texts: Vec<TranscriptText>,
    /// What the model thought, as far as its provider shows it.
    #[schema(required)]
    pub reasoning: Option<TranscriptText>,
    pub tool_calls: Vec<TranscriptCall>,
    pub tool_results: Vec<TranscriptResult>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TranscriptText {
    pub text: String,
    /// The length of the whole text.
    pub bytes: u64,
    /// Whether `text` is only its beginning.
    pub is_cut: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TranscriptCall {
    pub call_id: String,
    pub tool: String,
    /// JSON, or what the model wrote instead.
    pub input: TranscriptText,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TranscriptResult {
    pub call_id: String,
    pub output: TranscriptText,
    pub is_error: bool,
}

impl TranscriptMessage {
    /// With long texts shortened.
    ///
    /// # Errors
    /// If the stored message cannot be read.
    pub fn shortened(run_id: RunId, row: AgentMessage) -> serde_json::Result<Self> {
        Self::show(run_id, row, MAX_TEXT_BYTES)
    }

    /// # Errors
    /// If the stored message cannot be read.
    pub fn in_full(run_id: RunId, row: AgentMessage) -> serde_json::Result<Self> {
        Self::show(run_id, row, usize::MAX)
    }

    fn show(run_id: RunId, row: AgentMessage, limit: usize) -> serde_json::Result<Self> {
        let mut shown = Self {
            run_id,
            position: row.position,
            author: MessageAuthor::User,
            at: row.created_at,
            texts: Vec::new(),
            reasoning: None,
            tool_calls: Vec::new(),
            tool_results: Vec::new(),
        };
        let text = |text: &str| TranscriptText::new(&redact_text(text), limit);
        match StoredMessage::parse(&row.role, &row.message)? {
            StoredMessage::Summary(summary) => {
                shown.author = MessageAuthor::Summary;
                shown.texts.push(text(&summary.text));
            }
            StoredMessage::Message(Message::User { content }) => {
                for block in content {
                    match block {
                        UserBlock::Text { text: said } => shown.texts.push(text(&said)),
                        UserBlock::ToolResult { call_id, content, is_error } => {
                            let output = text(&content);
                            shown.tool_results.push(TranscriptResult { call_id, output, is_error });
                        }
                    }
                }
            }
            StoredMessage::Message(message @ Message::Assistant { .. }) => {
                shown.author = MessageAuthor::Assistant;
                shown.reasoning = llm::reasoning(&message).map(|reasoning| text(&reasoning));
                let Message::Assistant { text: said, tool_calls, .. } = message else {
                    return Ok(shown);
                };
                shown.texts.extend((!said.trim().is_empty()).then(|| text(&said)));
                shown.tool_calls = tool_calls
                    .into_iter()
                    .map(|call| TranscriptCall {
                        call_id: call.id,
                        tool: call.name,
                        input: TranscriptText::new(&input(call.input), limit),
                    })
                    .collect();
            }
        }
        Ok(shown)
    }
}

/// The input of a call without secrets, which are removed before quotes are escaped.
fn input(mut input: Value) -> String {
    redact_json(&mut input);
    match input {
        Value::String(unreadable) => unreadable,
        input => serde_json::to_string_pretty(&input).unwrap_or_default(),
    }
}

impl TranscriptText {
    fn new(text: &str, limit: usize) -> Self {
        let shown = &text[..text.floor_char_boundary(limit)];
        let is_cut = shown.len() < text.len();
        Self { text: shown.to_owned(), bytes: text.len() as u64, is_cut }
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::Id;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn row(role: &str, message: Value) -> AgentMessage {
        let (role, message) = (role.to_owned(), message.to_string());
        AgentMessage { position: 3, role, message, created_at: DateTime::UNIX_EPOCH }
    }

    #[test]
    fn reply_is_shown_with_its_reasoning_and_calls_but_no_secrets() {
        let reply = json!({
            "role": "assistant",
            "text": "GITHUB_TOKEN=abcdefgh",
            "tool_calls": [{"id": "c", "name": "run_command",
                "input": {"command": "curl -H 'Authorization: Bearer abcdefghijklmnopqrstu'"}}],
            "provider": {"anthropic": [{"type": "thinking", "thinking": "API_KEY=abcdef1",
                "signature": "s"}]}
        });
        let run = RunId::from_uuid(Uuid::nil());
        let shown = TranscriptMessage::in_full(run, row("assistant", reply)).unwrap();
        assert_eq!((shown.author, shown.position), (MessageAuthor::Assistant, 3));
        assert_eq!(shown.texts[0].text, "GITHUB_TOKEN=[redacted]");
        assert_eq!(shown.reasoning.unwrap().text, "API_KEY=[redacted]");
        let input = &shown.tool_calls[0].input.text;
        assert!(input.contains("Bearer [redacted]'"), "{input}");
    }

    #[test]
    fn long_text_is_shortened_only_on_a_page() {
        let long = "ä".repeat(MAX_TEXT_BYTES);
        let message = json!({"role": "user", "content": [{"type": "text", "text": long}]});
        let run = RunId::from_uuid(Uuid::nil());
        let page = TranscriptMessage::shortened(run, row("user", message.clone())).unwrap();
        let TranscriptText { text, bytes, is_cut } = &page.texts[0];
        assert_eq!((text.len(), *bytes, *is_cut), (MAX_TEXT_BYTES, long.len() as u64, true));
        let full = TranscriptMessage::in_full(run, row("user", message)).unwrap();
        assert_eq!((full.texts[0].text == long, full.texts[0].is_cut), (true, false));
        let summary = row("summary", json!({"text": "Before: …", "kept_from": 4}));
        let summary = TranscriptMessage::shortened(run, summary).unwrap();
        assert_eq!(summary.author, MessageAuthor::Summary);
    }
}
