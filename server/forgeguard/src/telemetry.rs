//! Logging, and the first line with the address of the service.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::{LogFormat, LogSettings, NodeRole};

/// The log filter is invalid.
#[derive(Debug, thiserror::Error)]
#[error("log: {0}")]
pub struct BadFilter(#[from] tracing_subscriber::filter::ParseError);

/// Starts logging to standard error. Further calls have no effect.
pub fn init(settings: &LogSettings) -> Result<(), BadFilter> {
    let registry = tracing_subscriber::registry().with(EnvFilter::try_new(&settings.filter)?);
    let lines = fmt::layer().with_writer(io::stderr);
    // An error here means that a subscriber is already set, as in tests.
    let _ = match settings.format {
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
        LogFormat::Text => {
            let colours = io::stderr().is_terminal();
            registry.with(lines.compact().with_ansi(colours)).try_init()
        }
    };
    Ok(())
}

/// What is announced when the node is reachable.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "listening")]
pub struct Listening {
    pub role: NodeRole,
    /// Such as `http://127.0.0.1:8080`.
    pub address: String,
    /// Where to create the first account; None if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup_url: Option<String>,
    /// The data directory.
    pub data_dir: String,
}

impl Listening {
    /// Prints the announcement to standard output: one line of JSON, or a few lines of text.
    pub fn announce(&self, format: LogFormat) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match format {
            LogFormat::Json => writeln!(out, "{}", serde_json::to_string(self)?),
            LogFormat::Text => writeln!(out, "{}", self.friendly()),
        }?;
        out.flush()
    }

    fn friendly(&self) -> String {
        let (what, link) = match &self.setup_url {
            _ if self.role == NodeRole::Worker => ("health checks are at", &self.address),
            Some(url) => ("create the first account here (the link works once)", url),
            None => ("sign in here", &self.address),
        };
        format!(
            "\n  ForgeGuard is running; {what}:\n\n      {link}\n\n  Data: {}   Stop: Ctrl+C\n",
            self.data_dir
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_announcement_is_one_line() {
        let listening = Listening {
            role: NodeRole::All,
            address: "http://127.0.0.1:4711".into(),
            setup_url: None,
            data_dir: "data".into(),
        };
        let line = serde_json::to_string(&listening).unwrap();
        assert_eq!(
            line,
            r#"{"event":"listening","role":"all","address":"http://127.0.0.1:4711","data_dir":"data"}"#
        );
    }

    #[test]
    fn text_announcement_contains_one_link() {
        let listening = Listening {
            role: NodeRole::All,
            address: "http://127.0.0.1:1".into(),
            setup_url: Some("http://127.0.0.1:1/setup?token=t".into()),
            data_dir: "data".into(),
        };
        let text = listening.friendly();
        assert_eq!(text.matches("http://").count(), 1, "{text}");
    }
}
