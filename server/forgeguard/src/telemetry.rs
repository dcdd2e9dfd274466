//! What the process says: log lines, and the first line with the address.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::{LogFormat, LogSettings};

/// The filter is not one that `tracing` understands.
#[derive(Debug, thiserror::Error)]
#[error("log: {0}")]
pub struct BadFilter(#[from] tracing_subscriber::filter::ParseError);

/// Starts writing log lines to standard error. A second call changes nothing.
pub fn init(settings: &LogSettings) -> Result<(), BadFilter> {
    let registry = tracing_subscriber::registry().with(EnvFilter::try_new(&settings.filter)?);
    let lines = fmt::layer().with_writer(io::stderr);
    // An error here means that a subscriber is there already, as in tests.
    let _ = match settings.format {
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
        LogFormat::Text => {
            let colours = io::stderr().is_terminal();
            registry.with(lines.compact().with_ansi(colours)).try_init()
        }
    };
    Ok(())
}

/// What is said once the node can be reached.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "listening")]
pub struct Listening {
    /// Where it answers, such as `http://127.0.0.1:8080`.
    pub address: String,
    /// Where the first account is made, while there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup_url: Option<String>,
    /// Where all data is.
    pub data_dir: String,
}

impl Listening {
    /// Says it on standard output: one JSON line, or a few lines around one link.
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
            Some(url) => ("make the first account here (the link works once)", url),
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
    fn scripts_read_the_address_from_one_line() {
        let listening = Listening {
            address: "http://127.0.0.1:4711".into(),
            setup_url: None,
            data_dir: "data".into(),
        };
        let line = serde_json::to_string(&listening).unwrap();
        assert_eq!(
            line,
            r#"{"event":"listening","address":"http://127.0.0.1:4711","data_dir":"data"}"#
        );
    }

    #[test]
    fn people_get_one_link() {
        let listening = Listening {
            address: "http://127.0.0.1:1".into(),
            setup_url: Some("http://127.0.0.1:1/setup?token=t".into()),
            data_dir: "data".into(),
        };
        let text = listening.friendly();
        assert_eq!(text.matches("http://").count(), 1, "{text}");
    }
}
