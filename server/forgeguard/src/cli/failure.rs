//! How a command fails: with one line on standard error.

use std::{
    error::Error,
    io::{self, Write},
    process::ExitCode,
};

use crate::{
    api::api_error::ApiError,
    engine::{EngineError, specs::SpecError},
    journal::AppendError,
    store,
};

/// Exit code for input that cannot be used, such as a spec that cannot be built.
pub const INVALID_INPUT: u8 = 4;

/// The error message of a command.
#[derive(Debug)]
pub struct Failure {
    words: String,
    code: Option<u8>,
}

impl Failure {
    pub fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), code: None }
    }

    /// The user has to change the input; nothing was started.
    pub fn invalid_input(words: impl Into<String>) -> Self {
        Self { words: words.into(), code: Some(INVALID_INPUT) }
    }

    /// Prints the message and returns the exit code; `usual` unless the failure has its own.
    pub fn report(self, usual: u8) -> ExitCode {
        // If standard error is closed, the exit code has to suffice.
        let _ = writeln!(io::stderr(), "forgeguard: {}", self.words);
        ExitCode::from(self.code.unwrap_or(usual))
    }

    fn of(error: &dyn Error) -> Self {
        Self::after(error.to_string(), error.source())
    }

    /// With the error that led to it.
    pub fn with_cause(words: String, cause: &dyn Error) -> Self {
        Self::after(words, Some(cause))
    }

    fn after(mut words: String, mut source: Option<&dyn Error>) -> Self {
        while let Some(cause) = source {
            let cause_words = cause.to_string();
            if !words.contains(&cause_words) {
                words = format!("{words}: {cause_words}");
            }
            source = cause.source();
        }
        Self::new(words)
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::new(error.detail())
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        match error {
            SpecError::Settings(error) => Self::invalid_input(error.to_string()),
            SpecError::Engine(error) => error.into(),
        }
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
    reqwest::Error,
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
