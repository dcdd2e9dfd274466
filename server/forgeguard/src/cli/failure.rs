//! How a command fails: with one line on standard error.

use std::{
    error::Error,
    io::{self, Write},
    process::ExitCode,
};

use crate::{api::api_error::ApiError, engine::EngineError, journal::AppendError, store};

/// The error message of a command.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }

    /// Prints the message and returns the exit code.
    pub fn report(self, code: u8) -> ExitCode {
        // If standard error is closed, the exit code has to suffice.
        let _ = writeln!(io::stderr(), "forgeguard: {}", self.0);
        ExitCode::from(code)
    }

    fn of(error: &dyn Error) -> Self {
        let mut words = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_words = cause.to_string();
            if !words.contains(&cause_words) {
                words = format!("{words}: {cause_words}");
            }
            source = cause.source();
        }
        Self(words)
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self(error.detail().to_owned())
    }
}

macro_rules! from_errors {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::of(&error)
            }
        }
    )+};
}

from_errors!(
    io::Error,
    serde_json::Error,
    store::Error,
    EngineError,
    AppendError,
    crate::agent::recording::RecordingError,
    crate::config::ConfigError,
    crate::server::StartError,
    crate::telemetry::BadFilter,
    sandbox::SandboxError,
);
