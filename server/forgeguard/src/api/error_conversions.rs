//! Conversions of errors of the engine, the journal and git into API errors.

use git::GitError;

use super::api_error::ApiError;
use crate::{engine::EngineError, journal::AppendError, threads::BlockingError};

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        if error.is_out_of_space() {
            return Self::storage_full(error);
        }
        match error {
            EngineError::BuildLimit(_)
            | EngineError::UnfinishedGeneration
            | EngineError::UnfinishedInterview
            | EngineError::NoModel
            | EngineError::NoBuildModel
            | EngineError::NoQuestionModel
            | EngineError::ModelUnavailable(_)
            | EngineError::ExecutorUnavailable { .. }
            | EngineError::UndecryptableKey(_)
            | EngineError::UnknownPrice(_)
            | EngineError::NothingToWrite
            | EngineError::Ended
            | EngineError::NotSealed
            | EngineError::NothingToFollow
            | EngineError::NothingToDeliver
            | EngineError::NothingToRerun
            | EngineError::UnfinishedRerun
            | EngineError::RerunInterrupted(_)
            | EngineError::DeliveryOff
            | EngineError::NoRemote
            | EngineError::NoChangesRequested
            | EngineError::CommentsChanged
            | EngineError::Followed(_)
            | EngineError::RemoteConnected(_)
            | EngineError::BuildBeforeRemote(_)
            | EngineError::Archived
            | EngineError::Scripted
            | EngineError::DoesNotVerify(_)
            | EngineError::NoBaselineBranch(_)
            | EngineError::NoPhases
            | EngineError::MergeFirst(_)
            | EngineError::InvalidSpec(_)
            | EngineError::Phases(_)
            | EngineError::ContractGaps(_)
            | EngineError::Requirements(_)
            | EngineError::NoSandbox(_)
            | EngineError::AlreadySettled => Self::conflict(sentence(&error)),
            EngineError::Unanswered(places) => {
                let why = || "an answer is required".to_owned();
                let fields = places.iter().map(|place| (place.to_string(), why()));
                Self::invalid_fields(fields.collect())
            }
            EngineError::NoCostLimit(_) => Self::invalid("budgets.usd_micros", sentence(&error)),
            EngineError::InvalidLimit(invalid) => {
                Self::invalid(format!("budgets.{}", invalid.field), invalid.reason)
            }
            EngineError::FetchFailed(_) => Self::invalid("use_last_fetch", sentence(&error)),
            EngineError::InvalidRemote(invalid) | EngineError::InvalidStart(invalid) => {
                Self::invalid(invalid.field, invalid.reason)
            }
            EngineError::NotFound(what) => Self::not_found(what),
            EngineError::Append(error) => error.into(),
            EngineError::Git(error) => error.into(),
            EngineError::Store(error) => error.into(),
            EngineError::Closed => Self::busy("The service is stopping."),
            EngineError::Blocking(error) => error.into(),
            EngineError::TreeDiffers { .. }
            | EngineError::Sandbox(_)
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

impl From<BlockingError> for ApiError {
    fn from(error: BlockingError) -> Self {
        tracing::error!(%error, "blocking work of a request failed");
        Self::busy("The project's files could not be read in time. Try again later.")
    }
}

impl From<AppendError> for ApiError {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Illegal(_)
            | AppendError::Refused(_)
            | AppendError::BuildLimit
            | AppendError::AlreadyFollowed => Self::conflict(sentence(&error)),
            AppendError::UnknownBuild => Self::not_found("build"),
            AppendError::Closed => Self::busy("The service is stopping."),
            AppendError::Store(error) => (&*error).into(),
            AppendError::LeaseLost | AppendError::Panicked | AppendError::Damaged(..) => {
                Self::internal(error)
            }
        }
    }
}

impl From<GitError> for ApiError {
    fn from(error: GitError) -> Self {
        if error.is_out_of_space() {
            return Self::storage_full(error);
        }
        match error {
            GitError::NoSuchFile(_) | GitError::BadPath(_) => Self::not_found("file"),
            GitError::NoSuchCommit(_) | GitError::BadSha(_) => Self::not_found("commit"),
            GitError::NoRepository(_) => Self::not_found("repository"),
            GitError::TreeTooLarge => Self::conflict(sentence(&error)),
            error => Self::internal(error),
        }
    }
}

/// The error's message as a sentence.
pub fn sentence(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
