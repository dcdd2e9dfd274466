//! Errors of the engine.

use domain::{
    contract::ContractType, executor::Executor, generation::GenerationKind, phases::PhasesError,
    questionnaire::QuestionId, validation::ValidationError,
};

use super::models::UnavailableModel;
use crate::{agent::AgentError, journal::AppendError, store, threads};

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The project has as many unfinished builds as its settings permit.
    #[error(
        "other builds of this project are not finished ({0}); wait until one ends, cancel one, or permit \
         more builds at a time in the project's settings"
    )]
    BuildLimit(String),
    /// A generation of the project is unfinished.
    #[error(
        "contracts of this project are already being generated; wait until that finishes, or cancel it"
    )]
    UnfinishedGeneration,
    /// The previous message is not answered yet.
    #[error("your last message is still being answered; wait for the reply, or cancel it")]
    UnfinishedInterview,
    /// No model is available for interviews.
    #[error(
        "no model is configured for interviews: an administrator can set a provider's key in the \
         installation settings. The form works without a model"
    )]
    NoModel,
    /// No model is available for agents.
    #[error(
        "no model is configured: an administrator can set a provider's key in the installation \
         settings, or ANTHROPIC_API_KEY or OPENAI_API_KEY in the service's environment"
    )]
    NoBuildModel,
    /// No model is available for questions about builds.
    #[error(
        "no model is configured to answer questions: an administrator can set a provider's key in \
         the installation settings"
    )]
    NoQuestionModel,
    /// A model that an administrator chose cannot be used on this node.
    #[error(transparent)]
    ModelUnavailable(#[from] UnavailableModel),
    /// The coding agent of a build cannot be used on this node.
    #[error("{} cannot be used: {reason}", .executor.label())]
    ExecutorUnavailable { executor: Executor, reason: String },
    /// A key that was set in the app cannot be decrypted on this node.
    #[error("{0}")]
    UndecryptableKey(String),
    /// A cost limit cannot be enforced.
    #[error(
        "the price of the model {0} is not known, so a limit in US dollars cannot be enforced: \
         remove that limit, or set the price under [catalog] in forgeguard.toml"
    )]
    UnknownPrice(String),
    /// A build would cost money without a limit; with a suggested one in millionths of a dollar.
    #[error(
        "the model is paid and no limit applies: set a limit in US dollars or tokens{suggestion}, \
         or choose \"unlimited\" for US dollars",
        suggestion = .0.map_or_else(String::new, |limit| format!(", such as ${}", limit / 1_000_000))
    )]
    NoCostLimit(Option<u64>),
    /// A limit of a build is higher than that of its project or of the installation.
    #[error(transparent)]
    InvalidLimit(ValidationError),
    /// A choice for a build cannot be used.
    #[error("{}: {}", .0.field, .0.reason)]
    InvalidStart(ValidationError),
    /// A remote repository, a credential for one or an issue at one cannot be used.
    #[error("{}: {}", .0.field, .0.reason)]
    InvalidRemote(ValidationError),
    /// The fetch before a build failed.
    #[error(
        "the remote repository could not be fetched: {0}. Try again, or start from the last fetched \
         state"
    )]
    FetchFailed(String),
    /// The branch has no commit, or was deleted after the build was queued.
    #[error(
        "the branch {0}, from which the build starts, is not in the project's repository: push it, \
         or start from another branch"
    )]
    NoBaselineBranch(String),
    /// No branch contains the work of all items that this one depends on.
    #[error(
        "it depends on several items whose branches are not merged, so no branch contains the work of \
         all of them: merge {0} into the default branch"
    )]
    MergeFirst(String),
    /// The spec of an item of the backlog is not valid any more.
    #[error("its spec cannot be built: {0}")]
    InvalidSpec(String),
    /// All contracts exist.
    #[error("all nine contracts exist; regenerate individual contracts instead")]
    NothingToWrite,
    /// Required answers are missing.
    #[error("the questionnaire has questions that must be answered first")]
    Unanswered(Vec<QuestionId>),
    /// The generation has ended and cannot be resumed.
    #[error("this generation has ended; start a new one")]
    Ended,
    /// The stored answers cannot be read.
    #[error("the answers cannot be read: {0}")]
    Answers(serde_json::Error),
    /// A stored conversation cannot be read.
    #[error("a conversation cannot be read: {0}")]
    Conversation(serde_json::Error),
    /// Only sealed builds are delivered.
    #[error("this build is not sealed; only a sealed build can be delivered")]
    NothingToDeliver,
    /// The project's settings exclude it.
    #[error("pull requests are turned off in the settings of this project")]
    DeliveryOff,
    /// The project has no remote repository.
    #[error(
        "this project has no remote repository; connect one in its settings, then open the pull \
         request"
    )]
    NoRemote,
    /// Only gates of sealed builds run again.
    #[error("this build is not sealed; only the gates of a sealed build can be run again")]
    NothingToRerun,
    /// The gates of the build are running again already.
    #[error("the gates of this build are running already; wait for their results")]
    UnfinishedRerun,
    /// No attempt came to its end.
    #[error(
        "the gates were interrupted {0} times by a stop or an error of the service; request another \
         run"
    )]
    RerunInterrupted(u32),
    /// There is nothing to export.
    #[error("this build is not sealed; only a sealed build can be downloaded")]
    NotSealed,
    /// Only sealed builds can be reviewed.
    #[error("this build is not sealed; only a sealed build can have a follow-up")]
    NothingToFollow,
    /// No changes are requested.
    #[error("the newest decision about this build does not request changes")]
    NoChangesRequested,
    /// Comments that were selected are not stored any more.
    #[error("the comments of the pull request have changed; select them again")]
    CommentsChanged,
    /// The build has an active follow-up.
    #[error("this build has a follow-up already: build {0}")]
    Followed(String),
    /// A project follows at most one remote repository.
    #[error("this project is connected to {0}; disconnect it first")]
    RemoteConnected(String),
    /// The default branch must not be replaced under a build.
    #[error(
        "build {0} of this project is not finished; wait until it finishes, or cancel it, then \
         connect the repository"
    )]
    BuildBeforeRemote(String),
    /// An archived project accepts no builds.
    #[error(
        "this project is archived and read-only; unarchive it in its settings to start a build"
    )]
    Archived,
    /// A scripted build cannot implement anything else.
    #[error(
        "the demo project plays recorded builds, which cannot carry out other changes. Create a \
         project and configure a model to request your own"
    )]
    Scripted,
    /// A build that does not verify is not signed.
    #[error("the build does not verify, so it is not signed: {0}")]
    DoesNotVerify(String),
    /// A stored envelope cannot be read, or a new one cannot be written.
    #[error("the seal's envelope cannot be used: {0}")]
    Envelope(serde_json::Error),
    /// A file cannot be written.
    #[error("a file cannot be written: {0}")]
    Io(#[from] std::io::Error),
    /// A prompt's template failed.
    #[error("a prompt could not be written: {0}")]
    Prompt(#[from] askama::Error),
    /// The repository has no commit.
    #[error("the project has no phases contract yet; write one, then start the build")]
    NoPhases,
    /// The phases contract cannot be used.
    #[error("the phases contract cannot be used: {0}")]
    Phases(#[from] PhasesError),
    /// With the number of gaps of each contract.
    #[error(
        "contracts still have gaps ({list}): fill in or remove each `[TODO: …]`, then start the build",
        list = listed(.0)
    )]
    ContractGaps(Vec<(ContractType, usize)>),
    /// Requirements that no build could prove; at least one finding.
    #[error(
        "requirements and phases do not match: {list} Correct the contracts, then start the build",
        list = .0.join(" ")
    )]
    Requirements(Vec<String>),
    /// Commands cannot be confined on this machine.
    #[error("no sandbox works on this machine: {0}")]
    NoSandbox(String),
    /// The question is already resolved.
    #[error("the question is already resolved")]
    AlreadySettled,
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The journal rejected the append.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// A repository failed.
    #[error("{0}")]
    Git(#[from] git::GitError),
    /// The build's files cannot be opened.
    #[error("the worktree cannot be opened: {0}")]
    Worktree(String),
    /// An agent's run could not be recorded.
    #[error("an agent's run failed: {0}")]
    Agent(#[from] AgentError),
    /// A command could not be run.
    #[error("a command could not be run: {0}")]
    Sandbox(#[from] sandbox::SandboxError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The stored settings cannot be read.
    #[error("the project's settings cannot be read: {0}")]
    Settings(#[from] serde_json::Error),
    /// Blocking work timed out.
    #[error(transparent)]
    Blocking(#[from] threads::BlockingError),
    /// A commit does not contain the checked tree.
    #[error("commit {commit} has tree {found}, but the gates judged tree {judged}")]
    TreeDiffers {
        commit: git::Sha,
        /// Its tree.
        found: git::Sha,
        /// The expected tree.
        judged: git::Sha,
    },
    /// The service is stopping.
    #[error("the service is shutting down")]
    Closed,
}

fn listed(gaps: &[(ContractType, usize)]) -> String {
    gaps.iter().map(|(kind, count)| format!("{kind}: {count}")).collect::<Vec<_>>().join(", ")
}

impl From<zip::result::ZipError> for EngineError {
    fn from(error: zip::result::ZipError) -> Self {
        Self::Io(error.into())
    }
}

impl EngineError {
    /// The error for an existing generation of this kind.
    pub(super) fn unfinished(kind: GenerationKind) -> impl Fn(store::Error) -> Self {
        move |error| match (error, kind) {
            (store::Error::AlreadyExists(_), GenerationKind::Contracts) => {
                Self::UnfinishedGeneration
            }
            (store::Error::AlreadyExists(_), GenerationKind::Answers) => Self::UnfinishedInterview,
            (error, _) => error.into(),
        }
    }

    /// Whether the state machine rejected the event because the build has changed in the meantime.
    pub fn is_illegal(&self) -> bool {
        matches!(
            self,
            Self::Append(AppendError::Illegal(_))
                | Self::Agent(AgentError::Append(AppendError::Illegal(_)))
        )
    }

    /// Whether a retry can succeed without any change: the database is unavailable or read-only, or
    /// the disk is full.
    pub fn is_temporary(&self) -> bool {
        let append = match self {
            Self::Append(error) | Self::Agent(AgentError::Append(error)) => Some(error),
            _ => None,
        };
        append.is_some_and(AppendError::is_temporary)
            || matches!(self, Self::Store(error) | Self::Agent(AgentError::Store(error))
                if error.is_temporary())
            || self.is_out_of_space()
    }

    /// Whether the disk is full, for something other than the database.
    pub fn is_out_of_space(&self) -> bool {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        match self {
            Self::Git(error) => error.is_out_of_space(),
            Self::Sandbox(error) => error.is_out_of_space(),
            Self::Io(error) => matches!(error.kind(), StorageFull | QuotaExceeded),
            _ => false,
        }
    }

    /// Whether retries are useless until the settings change.
    pub fn is_misconfiguration(&self) -> bool {
        use sandbox::SandboxError::{NetworkNeedsStrict, NetworkTurnedOff};
        matches!(
            self,
            Self::Sandbox(NetworkNeedsStrict | NetworkTurnedOff)
                | Self::ModelUnavailable(_)
                | Self::NoBaselineBranch(_)
        )
    }

    /// Whether the worker has nothing more to do for the build.
    pub fn is_over(&self) -> bool {
        let append = match self {
            Self::Append(error) | Self::Agent(AgentError::Append(error)) => Some(error),
            _ => None,
        };
        matches!(self, Self::Closed)
            || matches!(append, Some(AppendError::LeaseLost | AppendError::Closed))
    }
}
