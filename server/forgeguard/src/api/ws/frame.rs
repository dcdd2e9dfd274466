//! The messages of the socket, and its close codes.

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};
use domain::ids::BuildId;
use serde::{Deserialize, Serialize};
use tungstenite::error::ProtocolError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    Stopping,
    /// Missing or expired credentials.
    NotSignedIn,
    /// No access to the build.
    Forbidden,
    UnknownBuild,
    /// The client reads too slowly.
    TooSlow,
    /// The client does not answer pings.
    Unresponsive,
    /// Not a valid WebSocket frame.
    ProtocolError,
    /// Text that is not UTF-8.
    InvalidText,
    TooBig,
    /// Not a message of this protocol.
    InvalidMessage,
    /// An internal error.
    Failed,
}

/// A message of the client.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Request {
    /// Signs in, or renews the credential before it expires.
    Auth {
        /// An access token or a forge key.
        token: String,
    },
    /// Follows a build.
    Subscribe {
        build_id: BuildId,
        /// Seq of the last event that the client has.
        #[serde(default)]
        after: u64,
    },
    /// Stops following a build.
    Unsubscribe {
        build_id: BuildId,
    },
    Pong,
}

/// A message of the server, other than events and previews.
#[derive(Debug, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Reply {
    /// Events follow.
    Subscribed {
        build_id: BuildId,
        /// Seq of the newest event.
        head: u64,
    },
    /// The client's cursor is ahead of the journal.
    Reset {
        build_id: BuildId,
        /// Seq of the newest event.
        head: u64,
    },
    /// Sent before the socket is closed with the same code.
    Error {
        code: u16,
        #[serde(skip_serializing_if = "Option::is_none")]
        build_id: Option<BuildId>,
        message: &'static str,
    },
    Ping,
}

impl Close {
    pub fn code(self) -> u16 {
        match self {
            Self::Stopping => 1001,
            Self::ProtocolError => 1002,
            Self::InvalidMessage => 1003,
            Self::InvalidText => 1007,
            Self::TooBig => 1009,
            Self::Failed => 1011,
            Self::NotSignedIn => 4001,
            Self::Forbidden => 4003,
            Self::UnknownBuild => 4004,
            Self::TooSlow | Self::Unresponsive => 4008,
        }
    }

    pub fn reason(self) -> &'static str {
        match self {
            Self::Stopping => "the service is stopping",
            Self::InvalidMessage => "unknown message",
            Self::Failed => "internal error",
            Self::NotSignedIn => "sign in first",
            Self::Forbidden => "you do not have access to this build",
            Self::UnknownBuild => "this build does not exist",
            Self::TooSlow => "the client reads too slowly",
            Self::Unresponsive => "pings were not answered",
            Self::ProtocolError => "invalid WebSocket frame",
            Self::InvalidText => "text must be UTF-8",
            Self::TooBig => "messages are limited to 16 KiB",
        }
    }

    pub fn message(self) -> Message {
        let reason = Utf8Bytes::from_static(self.reason());
        Message::Close(Some(CloseFrame { code: self.code(), reason }))
    }

    /// The message that explains the close frame after it.
    pub fn error(self, build_id: Option<BuildId>) -> Reply {
        Reply::Error { code: self.code(), build_id, message: self.reason() }
    }
}

impl Close {
    /// The close code for a frame that could not be read; None if the connection is lost.
    pub fn of_error(error: axum::Error) -> Option<Self> {
        match error.into_inner().downcast_ref()? {
            tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
            tungstenite::Error::Protocol(_) => Some(Self::ProtocolError),
            tungstenite::Error::Utf8(_) => Some(Self::InvalidText),
            tungstenite::Error::Capacity(_) => Some(Self::TooBig),
            _ => None,
        }
    }
}

impl Reply {
    pub fn message(&self) -> Message {
        Message::text(serde_json::to_string(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_parsed_as_documented() {
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
    fn replies_are_serialized_as_documented() {
        let text = |reply: Reply| serde_json::to_string(&reply).unwrap();
        assert_eq!(text(Reply::Ping), r#"{"op":"ping"}"#);
        let expected = r#"{"op":"error","code":4001,"message":"sign in first"}"#;
        assert_eq!(text(Close::NotSignedIn.error(None)), expected);
    }
}
