//! Received requests, with accessors that work for all APIs.

use std::time::Instant;

use axum::http::HeaderMap;
use serde_json::Value;

use crate::{
    dialect::Dialect,
    faults::{list, text},
};

#[derive(Clone, Debug)]
pub struct Seen {
    /// The body.
    pub json: Value,
    /// When it was received completely.
    pub at: Instant,
    pub(crate) headers: HeaderMap,
    pub(crate) dialect: Dialect,
    pub(crate) path: String,
}

impl Seen {
    /// The value of a header, if present.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The model asked for.
    pub fn model(&self) -> &str {
        match self.dialect {
            Dialect::Gemini => Dialect::model_in(&self.path),
            _ => text(&self.json["model"]),
        }
    }

    /// The system prompt.
    pub fn system(&self) -> String {
        match self.dialect {
            Dialect::Anthropic => texts(&self.json["system"]).concat(),
            Dialect::Responses => text(&self.json["instructions"]).to_owned(),
            Dialect::Gemini => texts(&self.json["systemInstruction"]["parts"]).concat(),
            Dialect::OpenAi => {
                let system = self.messages().iter().filter(|message| message["role"] == "system");
                system.flat_map(|message| texts(&message["content"])).collect()
            }
        }
    }

    /// Names of the tools, in order.
    pub fn tools(&self) -> Vec<&str> {
        let tools = list(&self.json["tools"]).iter();
        match self.dialect {
            Dialect::Anthropic | Dialect::Responses => {
                tools.map(|tool| text(&tool["name"])).collect()
            }
            Dialect::OpenAi => tools.map(|tool| text(&tool["function"]["name"])).collect(),
            Dialect::Gemini => tools
                .flat_map(|tool| list(&tool["functionDeclarations"]))
                .map(|function| text(&function["name"]))
                .collect(),
        }
    }

    /// The text that gave an agent its current task; empty for other requests. A conversation may
    /// have had other tasks before.
    pub fn task(&self) -> String {
        self.task_place().map_or_else(String::new, |(_, text)| text)
    }

    /// Whether an agent's current task is to plan, in which it may only read.
    pub fn is_planning(&self) -> bool {
        self.task().contains("Plan this phase.")
    }

    /// Whether an agent's current task is to fix what a gate or an audit rejected.
    pub fn is_fixing(&self) -> bool {
        self.task().contains("The checks failed.")
    }

    /// The index of the message that contains the current task, and its text.
    fn task_place(&self) -> Option<(usize, String)> {
        let is_task =
            |text: &String| text.starts_with("Phase ") && text.contains(", counted from 0: ");
        self.messages().iter().enumerate().rev().find_map(|(at, message)| {
            let text = texts(&message["content"]).into_iter().find(is_task)?;
            (message["role"] == "user").then_some((at, text))
        })
    }

    /// The number of replies to the current task, which is the index of the requested one.
    pub fn turn(&self) -> usize {
        let begin = self.task_place().map_or(0, |(at, _)| at);
        let messages = &self.messages()[begin..];
        match self.dialect {
            // Consecutive items of the model are one reply.
            Dialect::Responses => {
                let begins = |at: usize| {
                    is_reply(&messages[at]) && (at == 0 || !is_reply(&messages[at - 1]))
                };
                (0..messages.len()).filter(|at| begins(*at)).count()
            }
            _ => messages.iter().filter(|message| is_reply(message)).count(),
        }
    }

    /// Texts and results since the last reply, oldest first.
    pub fn news(&self) -> Vec<String> {
        let messages = self.messages();
        let last = messages.iter().rposition(is_reply);
        let news = messages[last.map_or(0, |at| at + 1)..].iter();
        news.filter(|message| message["role"] != "system")
            .flat_map(|message| [texts(&message["content"]), texts(&message["output"])].concat())
            .collect()
    }

    pub(crate) fn messages(&self) -> &[Value] {
        match self.dialect {
            Dialect::Responses => list(&self.json["input"]),
            Dialect::Gemini => list(&self.json["contents"]),
            _ => list(&self.json["messages"]),
        }
    }
}

/// Whether a message or item is from the model.
fn is_reply(message: &Value) -> bool {
    message["role"] == "assistant"
        || message["role"] == "model"
        || matches!(text(&message["type"]), "function_call" | "reasoning")
}

/// The texts of a content, which is a text or a list of blocks.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => blocks
            .iter()
            .flat_map(|block| [texts(&block["text"]), texts(&block["content"])].concat())
            .collect(),
        _ => Vec::new(),
    }
}
