//! Scripted turns of the model: replies and failures.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{dialect::Dialect, wire::Wire};

/// One response of the server.
#[derive(Clone, Debug)]
pub struct Turn {
    pub(crate) answer: Answer,
    pub(crate) wire: Wire,
}

#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Reply(Reply),
    Status(Status),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) parts: Vec<Part>,
    pub(crate) stop: Option<Stop>,
    pub(crate) tokens: Tokens,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Thinking(String),
    Text(String),
    Call { id: Option<String>, name: String, json: String },
}

#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) code: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    Text(String),
    /// An error of this kind and message, in the API's format.
    Error(String, String),
}

/// Why the model stops, in any API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The reply is complete.
    End,
    /// The model expects tool results.
    Tools,
    /// The limit was reached.
    Length,
    /// The model refuses.
    Refusal,
}

/// The reported usage. The counts are disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// Prompt tokens that are not cached.
    pub input: u64,
    pub output: u64,
    /// Prompt tokens read from the cache.
    pub cache_read: u64,
    /// Prompt tokens written to the cache; only in Anthropic's API.
    pub cache_write: u64,
}

impl Default for Tokens {
    fn default() -> Self {
        Self { input: 100, output: 20, cache_read: 0, cache_write: 0 }
    }
}

impl Turn {
    /// An empty reply.
    pub fn reply() -> Self {
        Self { answer: Answer::Reply(Reply::default()), wire: Wire::default() }
    }

    /// A reply with a text.
    pub fn says(text: impl Into<String>) -> Self {
        Self::reply().and_says(text)
    }

    /// Appends text.
    pub fn and_says(self, text: impl Into<String>) -> Self {
        self.part(Part::Text(text.into()))
    }

    /// Appends reasoning; Anthropic's API signs it and requires it back.
    pub fn thinks(self, text: impl Into<String>) -> Self {
        self.part(Part::Thinking(text.into()))
    }

    /// Appends a tool call with a unique id.
    pub fn calls(self, name: &str, input: Value) -> Self {
        self.calls_with(name, &input.to_string())
    }

    /// Appends a tool call with this text as input, which may be invalid JSON.
    pub fn calls_with(self, name: &str, json: &str) -> Self {
        self.part(Part::Call { id: None, name: name.into(), json: json.into() })
    }

    /// Appends a tool call with this id.
    pub fn calls_as(self, id: &str, name: &str, input: Value) -> Self {
        self.part(Part::Call { id: Some(id.into()), name: name.into(), json: input.to_string() })
    }

    /// Sets the stop reason. The default depends on whether there are tool calls.
    pub fn stops(mut self, stop: Stop) -> Self {
        self.reply_mut().stop = Some(stop);
        self
    }

    pub fn tokens(mut self, tokens: Tokens) -> Self {
        self.reply_mut().tokens = tokens;
        self
    }

    /// Responds with this status and an empty body.
    pub fn status(code: u16) -> Self {
        let status = Status { code, headers: Vec::new(), body: Body::Text(String::new()) };
        Self { answer: Answer::Status(status), wire: Wire::default() }
    }

    /// Responds with this status and an error in the API's format.
    pub fn error(code: u16, kind: &str, message: &str) -> Self {
        let mut turn = Self::status(code);
        turn.status_mut().body = Body::Error(kind.into(), message.into());
        turn
    }

    /// Adds a header to an error response.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.status_mut().headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body of an error response.
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.status_mut().body = Body::Text(body.into());
        self
    }

    /// Ends the body in the middle of the event after this many.
    pub fn cut_after(mut self, events: usize) -> Self {
        self.wire.cut_after(events);
        self
    }

    /// Resets the connection in the middle of the event after this many.
    pub fn reset_after(mut self, events: usize) -> Self {
        self.wire.reset_after(events);
        self
    }

    /// Stalls after this many events, without closing the connection.
    pub fn silent_after(mut self, events: usize) -> Self {
        self.wire.silent_after(events);
        self
    }

    /// Sends invalid JSON after this many events.
    pub fn garbled_after(mut self, events: usize) -> Self {
        self.wire.insert(events, None);
        self
    }

    /// Ends with an error after this many events.
    pub fn error_after(mut self, events: usize, kind: &str, message: &str) -> Self {
        self.wire.insert(events, Some((kind.into(), message.into())));
        self
    }

    /// Sends each byte separately.
    pub fn byte_by_byte(mut self) -> Self {
        self.wire.byte_by_byte();
        self
    }

    /// Waits between events or pieces.
    pub fn slowly(mut self, pace: Duration) -> Self {
        self.wire.slowly(pace);
        self
    }

    /// Splits all multi-byte characters.
    pub fn in_half_characters(mut self) -> Self {
        self.wire.in_half_characters();
        self
    }

    /// Uses CRLF line endings.
    pub fn crlf(mut self) -> Self {
        self.wire.crlf();
        self
    }

    /// Sends comments and the API's pings between events.
    pub fn with_pings(mut self) -> Self {
        self.wire.with_pings();
        self
    }

    fn part(mut self, part: Part) -> Self {
        self.reply_mut().parts.push(part);
        self
    }

    fn reply_mut(&mut self) -> &mut Reply {
        match &mut self.answer {
            Answer::Reply(reply) => reply,
            Answer::Status(_) => panic!("this turn is an error response"),
        }
    }

    fn status_mut(&mut self) -> &mut Status {
        match &mut self.answer {
            Answer::Status(status) => status,
            Answer::Reply(_) => panic!("this turn is a reply"),
        }
    }
}

impl Reply {
    pub(crate) fn stop(&self) -> Stop {
        let calls = self.parts.iter().any(|part| matches!(part, Part::Call { .. }));
        self.stop.unwrap_or(if calls { Stop::Tools } else { Stop::End })
    }
}

/// An error in the API's format, for a body or an event.
pub(crate) fn error_body(dialect: Dialect, kind: &str, message: &str) -> Value {
    match dialect {
        Dialect::Anthropic => {
            json!({"type": "error", "error": {"type": kind, "message": message}})
        }
        Dialect::OpenAi | Dialect::Responses => {
            json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
        }
        Dialect::Gemini => json!({"error": {"code": 400, "message": message, "status": kind}}),
    }
}
