//! A request as a test wants to see it, whichever the dialect.

use std::time::Instant;

use axum::http::HeaderMap;
use serde_json::Value;

use crate::{
    dialect::Dialect,
    faults::{list, text},
};

/// One request.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The body.
    pub json: Value,
    /// When all of it was there.
    pub at: Instant,
    pub(crate) headers: HeaderMap,
    pub(crate) dialect: Dialect,
}

impl Seen {
    /// A header's value, if it was sent.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The model asked for.
    pub fn model(&self) -> &str {
        text(&self.json["model"])
    }

    /// The system prompt.
    pub fn system(&self) -> String {
        match self.dialect {
            Dialect::Anthropic => texts(&self.json["system"]).concat(),
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
            Dialect::Anthropic => tools.map(|tool| text(&tool["name"])).collect(),
            Dialect::OpenAi => tools.map(|tool| text(&tool["function"]["name"])).collect(),
        }
    }

    /// How many replies the conversation holds: the index of the one that is asked for.
    pub fn turn(&self) -> usize {
        self.messages().iter().filter(|message| message["role"] == "assistant").count()
    }

    /// Texts and results since the last reply, oldest first.
    pub fn news(&self) -> Vec<String> {
        let messages = self.messages();
        let last = messages.iter().rposition(|message| message["role"] == "assistant");
        let news = messages[last.map_or(0, |at| at + 1)..].iter();
        news.filter(|message| message["role"] != "system")
            .flat_map(|message| texts(&message["content"]))
            .collect()
    }

    pub(crate) fn messages(&self) -> &[Value] {
        list(&self.json["messages"])
    }
}

/// The texts of a content: it is one, or a list of blocks that have some.
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
