//! What is said over the socket, and the codes it is closed with.

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};
use domain::ids::BuildId;
use serde::{Deserialize, Serialize};

/// Why a socket is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// The service stops.
    Stopping,
    /// Nobody is signed in, or no longer.
    NotSignedIn,
    /// The build is somebody else's.
    NotYours,
    /// There is no such build.
    NoSuchBuild,
    /// The client does not keep up.
    TooSlow,
    /// What the client sent is not of this protocol.
    NotUnderstood,
    /// Our fault.
    Failed,
}

/// What a client says.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Request {
    /// Who it is, first or again before the old token ends.
    Auth {
        /// An access token or a forge key.
        token: String,
    },
    /// Wants the events of a build.
    Subscribe {
        /// Which build.
        build_id: BuildId,
        /// The last event it has.
        #[serde(default)]
        after: u64,
    },
    /// Wants them no more.
    Unsubscribe {
        /// Which build.
        build_id: BuildId,
    },
    /// It is still there.
    Pong,
}

/// What the server says beside events and previews, which come ready-made.
#[derive(Debug, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Reply {
    /// Events follow from here on.
    Subscribed {
        /// Which build.
        build_id: BuildId,
        /// Seq of its newest event.
        head: u64,
    },
    /// The journal is shorter than the client believes.
    Reset {
        /// Which build.
        build_id: BuildId,
        /// Seq of its newest event.
        head: u64,
    },
    /// Something is wrong; the socket closes with the same code.
    Error {
        /// The close code.
        code: u16,
        /// Which build, where it is about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        build_id: Option<BuildId>,
        /// In plain words.
        message: &'static str,
    },
    /// Are you still there?
    Ping,
}

impl Close {
    /// The number on the wire.
    pub fn code(self) -> u16 {
        match self {
            Self::Stopping => 1001,
            Self::NotUnderstood => 1003,
            Self::Failed => 1011,
            Self::NotSignedIn => 4001,
            Self::NotYours => 4003,
            Self::NoSuchBuild => 4004,
            Self::TooSlow => 4008,
        }
    }

    /// In plain words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Stopping => "the service is stopping",
            Self::NotUnderstood => "this message is not understood",
            Self::Failed => "the service failed",
            Self::NotSignedIn => "sign in first",
            Self::NotYours => "this build is not yours",
            Self::NoSuchBuild => "there is no such build",
            Self::TooSlow => "the events come faster than you read",
        }
    }

    /// The frame that ends the socket.
    pub fn message(self) -> Message {
        let reason = Utf8Bytes::from_static(self.reason());
        Message::Close(Some(CloseFrame { code: self.code(), reason }))
    }

    /// The frame that says why, before the one that ends it.
    pub fn error(self, build_id: Option<BuildId>) -> Reply {
        Reply::Error { code: self.code(), build_id, message: self.reason() }
    }
}

impl Reply {
    /// As it is sent.
    pub fn message(&self) -> Message {
        Message::text(serde_json::to_string(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_the_protocol_writes_them() {
        let build = "0190a5b0-0000-7000-8000-000000000000";
        for text in [
            r#"{"op":"auth","token":"t"}"#.to_owned(),
            format!(r#"{{"op":"subscribe","build_id":"{build}","after":7}}"#),
            format!(r#"{{"op":"subscribe","build_id":"{build}"}}"#),
            format!(r#"{{"op":"unsubscribe","build_id":"{build}"}}"#),
            r#"{"op":"pong"}"#.to_owned(),
        ] {
            assert!(serde_json::from_str::<Request>(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn replies_read_as_the_protocol_writes_them() {
        let text = |reply: Reply| serde_json::to_string(&reply).unwrap();
        assert_eq!(text(Reply::Ping), r#"{"op":"ping"}"#);
        let expected = r#"{"op":"error","code":4001,"message":"sign in first"}"#;
        assert_eq!(text(Close::NotSignedIn.error(None)), expected);
    }
}
