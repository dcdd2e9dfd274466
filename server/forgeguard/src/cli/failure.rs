//! How a command fails: with one line that says what to do.

use std::{
    error::Error,
    io::{self, Write},
    process::ExitCode,
};

use crate::{api::problem::Problem, engine::EngineError, journal::AppendError, store};

/// A command that could not do its work.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// With these words.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }

    /// Says why and gives the exit code.
    pub fn report(self) -> ExitCode {
        // Nobody to tell means nobody to tell that either.
        let _ = writeln!(io::stderr(), "forgeguard: {}", self.0);
        ExitCode::FAILURE
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

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem.detail().to_owned())
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
