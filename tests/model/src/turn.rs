//! What the model does next: a reply, or a way to fail.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{dialect::Dialect, wire::Wire};

/// One answer of the server.
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
    /// As the dialect writes an error of this kind and message.
    Error(String, String),
}

/// Why the model stops, said in either dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It has said all.
    End,
    /// It waits for results.
    Tools,
    /// It has written as much as it may.
    Length,
    /// It declines.
    Refusal,
}

/// What the server says it counted. No token is in two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// Of the prompt, and not cached.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Of the prompt, from the cache.
    pub cache_read: u64,
    /// Of the prompt, into the cache. Only Anthropic's dialect has a word for it.
    pub cache_write: u64,
}

impl Default for Tokens {
    fn default() -> Self {
        Self { input: 100, output: 20, cache_read: 0, cache_write: 0 }
    }
}

impl Turn {
    /// A reply with nothing in it yet.
    pub fn reply() -> Self {
        Self { answer: Answer::Reply(Reply::default()), wire: Wire::default() }
    }

    /// A reply of a text.
    pub fn says(text: impl Into<String>) -> Self {
        Self::reply().and_says(text)
    }

    /// Text after what is there.
    pub fn and_says(self, text: impl Into<String>) -> Self {
        self.part(Part::Text(text.into()))
    }

    /// Reasoning after what is there; Anthropic's dialect signs it and wants it back.
    pub fn thinks(self, text: impl Into<String>) -> Self {
        self.part(Part::Thinking(text.into()))
    }

    /// A tool call after what is there, with an id that no other turn has.
    pub fn calls(self, name: &str, input: Value) -> Self {
        self.calls_with(name, &input.to_string())
    }

    /// A tool call whose input is just this text, whether or not it is JSON.
    pub fn calls_with(self, name: &str, json: &str) -> Self {
        self.part(Part::Call { id: None, name: name.into(), json: json.into() })
    }

    /// A tool call with an id of one's choice.
    pub fn calls_as(self, id: &str, name: &str, input: Value) -> Self {
        self.part(Part::Call { id: Some(id.into()), name: name.into(), json: input.to_string() })
    }

    /// Why it stops; otherwise that follows from whether there are tool calls.
    pub fn stops(mut self, stop: Stop) -> Self {
        self.reply_mut().stop = Some(stop);
        self
    }

    /// What was counted.
    pub fn tokens(mut self, tokens: Tokens) -> Self {
        self.reply_mut().tokens = tokens;
        self
    }

    /// No reply: this status, with nothing in the body.
    pub fn status(code: u16) -> Self {
        let status = Status { code, headers: Vec::new(), body: Body::Text(String::new()) };
        Self { answer: Answer::Status(status), wire: Wire::default() }
    }

    /// No reply: this status, and an error as the dialect writes it.
    pub fn error(code: u16, kind: &str, message: &str) -> Self {
        let mut turn = Self::status(code);
        turn.status_mut().body = Body::Error(kind.into(), message.into());
        turn
    }

    /// A header of the answer that is no reply.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.status_mut().headers.push((name.into(), value.into()));
        self
    }

    /// The body of the answer that is no reply.
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.status_mut().body = Body::Text(body.into());
        self
    }

    /// Ends in the middle of the event after so many, as if that were all.
    pub fn cut_after(mut self, events: usize) -> Self {
        self.wire.cut_after(events);
        self
    }

    /// Breaks the connection in the middle of the event after so many.
    pub fn reset_after(mut self, events: usize) -> Self {
        self.wire.reset_after(events);
        self
    }

    /// Says nothing more after so many events, and keeps the connection.
    pub fn silent_after(mut self, events: usize) -> Self {
        self.wire.silent_after(events);
        self
    }

    /// Sends something that is no JSON after so many events.
    pub fn garbled_after(mut self, events: usize) -> Self {
        self.wire.insert(events, None);
        self
    }

    /// Sends an error after so many events, and nothing more.
    pub fn error_after(mut self, events: usize, kind: &str, message: &str) -> Self {
        self.wire.insert(events, Some((kind.into(), message.into())));
        self
    }

    /// Sends every byte by itself.
    pub fn byte_by_byte(mut self) -> Self {
        self.wire.byte_by_byte();
        self
    }

    /// Waits so long between two events, or between whatever pieces it sends.
    pub fn slowly(mut self, pace: Duration) -> Self {
        self.wire.slowly(pace);
        self
    }

    /// Cuts every character of several bytes in two.
    pub fn in_half_characters(mut self) -> Self {
        self.wire.in_half_characters();
        self
    }

    /// Ends lines with CR and LF.
    pub fn crlf(mut self) -> Self {
        self.wire.crlf();
        self
    }

    /// Signs of life between all events: comments, and what the dialect has for it.
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
            Answer::Status(_) => panic!("this turn is no reply"),
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

/// An error as a dialect writes it, in a body or in an event.
pub(crate) fn error_body(dialect: Dialect, kind: &str, message: &str) -> Value {
    match dialect {
        Dialect::Anthropic => {
            json!({"type": "error", "error": {"type": kind, "message": message}})
        }
        Dialect::OpenAi => {
            json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
        }
    }
}
