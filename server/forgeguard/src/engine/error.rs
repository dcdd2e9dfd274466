//! How a command to the engine can be refused, or fail.

use domain::{generation::GenerationKind, ids::BuildId, phases::PhasesError, questionnaire::Place};

use crate::{agent::AgentError, journal::AppendError, store};

/// Why the engine did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The project has a build that has not ended.
    #[error("the project has an unfinished build")]
    UnfinishedBuild(Option<BuildId>),
    /// Contracts of the project are being written.
    #[error("contracts of this project are being written already; wait for that, or cancel it")]
    UnfinishedGeneration,
    /// What the person said before is not answered yet.
    #[error("what you said last is being answered; wait for that, or cancel it")]
    UnfinishedInterview,
    /// There is nobody to talk to.
    #[error(
        "no model is set up that could answer: set ANTHROPIC_API_KEY or OPENAI_API_KEY and start \
         the service again. The form works without one"
    )]
    NoModel,
    /// There is nothing left to write.
    #[error("all nine contracts are there; write single ones again instead")]
    NothingToWrite,
    /// Answers without which nothing can be written.
    #[error("the questionnaire has questions that must be answered first")]
    Unanswered(Vec<Place>),
    /// It has ended, and not in a way that could go on.
    #[error("this generation has ended; start another one")]
    Ended,
    /// The stored answers cannot be read.
    #[error("the answers cannot be read: {0}")]
    Answers(serde_json::Error),
    /// A stored conversation cannot be read.
    #[error("a conversation cannot be read: {0}")]
    Conversation(serde_json::Error),
    /// There is nothing to show to others.
    #[error("this build is not sealed; only a sealed build can be taken along")]
    NotSealed,
    /// Only what is sealed has been judged.
    #[error("this build is not sealed; only a sealed build can have a follow-up")]
    NothingToFollow,
    /// There is nothing to carry out.
    #[error("the newest decision about this build does not request changes")]
    NoChangesRequested,
    /// One is enough.
    #[error("this build has a follow-up already: build {0}")]
    Followed(BuildId),
    /// What is played from a script cannot carry out anything else.
    #[error(
        "this project is built by a script that comes with ForgeGuard, which cannot carry out \
         requested changes; a project of your own with a model can"
    )]
    Scripted,
    /// What does not verify is not signed.
    #[error("the build does not verify, so it is not signed: {0}")]
    DoesNotVerify(String),
    /// A stored envelope cannot be read, or none be written.
    #[error("the seal's envelope cannot be used: {0}")]
    Envelope(serde_json::Error),
    /// A file cannot be written.
    #[error("a file cannot be written: {0}")]
    Io(#[from] std::io::Error),
    /// A prompt's template failed.
    #[error("a prompt could not be written: {0}")]
    Prompt(#[from] askama::Error),
    /// There is nothing to build from.
    #[error("the project has no phases contract yet; write one, then start the build")]
    NoPhases,
    /// The phases contract cannot be used.
    #[error("the phases contract cannot be used: {0}")]
    Phases(#[from] PhasesError),
    /// Agents' commands cannot be confined on this machine.
    #[error("no sandbox holds on this machine: {0}")]
    NoSandbox(String),
    /// Somebody was faster, or the question is closed.
    #[error("the question is settled already")]
    AlreadySettled,
    /// There is no such thing.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The journal said no.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// A repository failed.
    #[error("{0}")]
    Git(#[from] git::GitError),
    /// The build's files cannot be opened.
    #[error("the worktree cannot be opened: {0}")]
    Worktree(String),
    /// An agent could not even record how it ended.
    #[error("an agent's run broke: {0}")]
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
    /// The service is ending.
    #[error("the service is shutting down")]
    Closed,
}

impl From<zip::result::ZipError> for EngineError {
    fn from(error: zip::result::ZipError) -> Self {
        Self::Io(error.into())
    }
}

impl EngineError {
    /// What it means that there is a generation of this kind already.
    pub(super) fn unfinished(kind: GenerationKind) -> impl Fn(store::Error) -> Self {
        move |error| match (error, kind) {
            (store::Error::AlreadyExists(_), GenerationKind::Contracts) => {
                Self::UnfinishedGeneration
            }
            (store::Error::AlreadyExists(_), GenerationKind::Answers) => Self::UnfinishedInterview,
            (error, _) => error.into(),
        }
    }

    /// The state machine refused the event: the build is not as it was when this was decided.
    pub fn is_illegal(&self) -> bool {
        matches!(
            self,
            Self::Append(AppendError::Illegal(_))
                | Self::Agent(AgentError::Append(AppendError::Illegal(_)))
        )
    }

    /// The worker that sees this has nothing more to say about the build.
    pub fn is_over(&self) -> bool {
        let append = match self {
            Self::Append(error) | Self::Agent(AgentError::Append(error)) => Some(error),
            _ => None,
        };
        matches!(self, Self::Closed)
            || matches!(append, Some(AppendError::LeaseLost | AppendError::Closed))
    }
}
