//! What the engine and the journal refuse, as problems.

use git::GitError;

use super::problem::Problem;
use crate::{engine::EngineError, journal::AppendError};

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::UnfinishedBuild(_)
            | EngineError::UnfinishedGeneration
            | EngineError::UnfinishedInterview
            | EngineError::NoModel
            | EngineError::NothingToWrite
            | EngineError::Ended
            | EngineError::NotSealed
            | EngineError::NothingToFollow
            | EngineError::NoChangesRequested
            | EngineError::Followed(_)
            | EngineError::Scripted
            | EngineError::DoesNotVerify(_)
            | EngineError::NoPhases
            | EngineError::Phases(_)
            | EngineError::NoSandbox(_)
            | EngineError::AlreadySettled => Self::conflict(sentence(&error)),
            EngineError::Unanswered(places) => {
                let why = || "answer this first".to_owned();
                let fields = places.iter().map(|place| (place.to_string(), why()));
                Self::invalid_fields(fields.collect())
            }
            EngineError::NotFound(what) => Self::not_found(what),
            EngineError::Append(error) => error.into(),
            EngineError::Git(error) => error.into(),
            EngineError::Store(error) => error.into(),
            EngineError::Closed => Self::busy("The service is stopping."),
            EngineError::Sandbox(_)
            | EngineError::Settings(_)
            | EngineError::Answers(_)
            | EngineError::Conversation(_)
            | EngineError::Envelope(_)
            | EngineError::Io(_)
            | EngineError::Prompt(_)
            | EngineError::Worktree(_)
            | EngineError::Agent(_) => Self::internal(error),
        }
    }
}

impl From<AppendError> for Problem {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Illegal(_) | AppendError::Refused(_) | AppendError::UnfinishedBuild => {
                Self::conflict(sentence(&error))
            }
            AppendError::UnknownBuild => Self::not_found("build"),
            AppendError::Closed => Self::busy("The service is stopping."),
            AppendError::LeaseLost
            | AppendError::Store(_)
            | AppendError::Panicked
            | AppendError::Damaged(..) => Self::internal(error),
        }
    }
}

impl From<GitError> for Problem {
    fn from(error: GitError) -> Self {
        match error {
            GitError::NoSuchFile(_) | GitError::BadPath(_) => Self::not_found("file"),
            GitError::NoSuchCommit(_) | GitError::BadSha(_) => Self::not_found("commit"),
            GitError::NoRepository(_) => Self::not_found("repository"),
            error => Self::internal(error),
        }
    }
}

/// The error's words as a sentence.
fn sentence(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
