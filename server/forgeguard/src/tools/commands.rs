//! Shell commands in the sandbox, for agents and gates.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use domain::failure::ErrorClass;
use sandbox::{Command, Ending, Outcome, OutputChunk, Policy, Runner, SandboxError};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::error::{Fatal, ToolError};
use crate::text;

/// Queued pieces of output; further ones are dropped.
const QUEUED_PIECES: usize = 64;
/// Lines of a program become events, which are shown at once.
const PROGRAM_OUTPUT_DELAY: Duration = Duration::from_millis(5);
/// Bytes of output in a tool's result.
const SHOWN: usize = 16 * 1024;

/// Receives output while it arrives, as `{…about, "text", "dropped_bytes"}`. Must not block.
pub type PreviewSink = Arc<dyn Fn(Value) + Send + Sync>;

/// Runs shell commands for one build. Clones share all state.
#[derive(Clone)]
pub struct Commands {
    runner: Runner,
    policy: Policy,
    cancel: CancellationToken,
    preview: PreviewSink,
}

/// A copy of the files that is discarded, so that commands may write to it.
#[async_trait]
pub trait ScratchCopy: Send + Sync {
    /// Commands in the copy, which is made for the first of them.
    ///
    /// # Errors
    /// If the copy cannot be made.
    async fn commands(&self) -> Result<Commands, String>;
}

/// A shell command.
#[derive(Clone, Debug)]
pub struct ShellLine {
    pub line: String,
    /// After this time its process tree is killed.
    pub timeout: Duration,
    /// Whether it has network access.
    pub network: bool,
    /// A label for the list of running processes, such as `gate:test`.
    pub label: String,
    /// Fields of its output previews other than the text, such as the run and the call.
    pub about: Map<String, Value>,
}

/// A program of an external agent. It has no network but the listener that the caller serves.
#[derive(Debug)]
pub struct ProgramRun {
    pub argv: Vec<String>,
    /// In addition to the usual variables.
    pub environment: Vec<(String, String)>,
    /// Its home directory, which is not removed when it ends.
    pub home: PathBuf,
    /// After this time its process tree is killed.
    pub timeout: Duration,
    /// A label for the list of running processes.
    pub label: String,
    /// Receives the listener.
    pub listeners: mpsc::Sender<TcpListener>,
}

impl Commands {
    /// `policy` applies to every command, except for its timeout. Its network rules apply to commands
    /// that require network access.
    pub fn new(
        runner: Runner,
        policy: Policy,
        cancel: CancellationToken,
        preview: PreviewSink,
    ) -> Self {
        Self { runner, policy, cancel, preview }
    }

    /// The sandbox level.
    pub fn level(&self) -> sandbox::Level {
        self.policy.level
    }

    /// The same with another token, whose cancellation kills commands.
    pub fn cancelled_by(&self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self.clone() }
    }

    /// The same in another directory with the build's files, whose `.git` file contains `pointer`.
    pub fn in_directory(mut self, files: &Path, pointer: Vec<u8>) -> Self {
        self.policy.worktree = files.to_owned();
        self.policy.git_pointer = Some(pointer);
        self
    }

    /// The same, keeping up to so many bytes of each command's output.
    pub fn keeping(mut self, output_bytes: usize) -> Self {
        self.policy.limits.output_bytes = output_bytes;
        self
    }

    /// Runs a command in the root of the worktree until its last process ends. Its output is previewed
    /// while it arrives.
    ///
    /// # Errors
    /// If it could not be run; a command that fails is an [`Outcome`].
    pub async fn run(&self, shell: ShellLine) -> Result<Outcome, SandboxError> {
        let ShellLine { line, timeout, network, label, about } = shell;
        let mut policy = self.policy.clone();
        policy.limits.timeout = timeout;
        policy.network = match (network, policy.network) {
            (false, _) => None,
            (true, Some(rules)) => Some(rules),
            (true, None) => return Err(SandboxError::NetworkTurnedOff),
        };
        let (sender, mut pieces) = mpsc::channel::<OutputChunk>(QUEUED_PIECES);
        let command = Command::shell(line).labelled(label);
        let run = self.runner.run(policy, command, self.cancel.clone(), Some(sender));
        let show = async {
            while let Some(piece) = pieces.recv().await {
                let mut payload = about.clone();
                payload.insert("text".into(), piece.text.into());
                payload.insert("dropped_bytes".into(), piece.dropped_bytes.into());
                (self.preview)(Value::Object(payload));
            }
        };
        let (outcome, ()) = tokio::join!(run, show);
        outcome
    }

    /// Runs a program in the root of the worktree until its last process ends, and sends its output.
    /// If it is stopped, it is interrupted first.
    ///
    /// # Errors
    /// If it could not be run; a program that fails is an [`Outcome`].
    pub async fn run_program(
        &self,
        program: ProgramRun,
        output: mpsc::Sender<OutputChunk>,
    ) -> Result<Outcome, SandboxError> {
        let ProgramRun { argv, environment, home, timeout, label, listeners } = program;
        let mut policy = self.policy.clone();
        policy.limits.timeout = timeout;
        policy.environment.extend(environment);
        policy.network = None;
        policy.service = Some(listeners);
        policy.home = Some(home);
        let command = Command::new(argv).labelled(label).interrupted_first();
        let command = command.with_output_delay(PROGRAM_OUTPUT_DELAY);
        self.runner.run(policy, command, self.cancel.clone(), Some(output)).await
    }
}

/// Fields of the previews of a tool call's output.
pub(super) fn about_call(run_id: domain::ids::RunId, call_id: &str) -> Map<String, Value> {
    let about = json!({"run_id": run_id, "call_id": call_id});
    about.as_object().cloned().unwrap_or_default()
}

/// The result of a command for an agent: whether it succeeded, and a text. It contains no durations,
/// so that equal failures have equal texts.
///
/// # Errors
/// [`Fatal::Cancelled`] if the run was cancelled.
pub(super) fn report(outcome: &Outcome, timeout: Duration) -> Result<(bool, String), Fatal> {
    let how = match outcome.ending {
        Ending::Cancelled => return Err(Fatal::Cancelled),
        Ending::Exited => match (outcome.exit_code, outcome.signal()) {
            (Some(code), None) => format!("exit code {code}"),
            (Some(code), Some(signal)) => format!("exit code {code} (signal {signal})"),
            (None, _) => "ended without an exit code".to_owned(),
        },
        ending => stopped(ending, timeout).unwrap_or_default(),
    };
    let output = text::ends(&outcome.output.text(), SHOWN);
    let refusals: String =
        outcome.network_refusals.iter().map(|refusal| format!("\n{refusal}")).collect();
    let restored = match outcome.git_pointer_restored {
        true => "\n[the worktree's .git file was changed by the command and has been restored]",
        false => "",
    };
    let shown = if output.trim().is_empty() { "(no output)" } else { output.trim_end() };
    Ok((outcome.succeeded(), format!("{how}\n{shown}{refusals}{restored}")))
}

/// Why a command was killed; `None` if it exited.
pub fn stopped(ending: Ending, timeout: Duration) -> Option<String> {
    let why = match ending {
        Ending::Exited | Ending::Cancelled => return None,
        Ending::TimedOut => format!("it ran longer than {} s", timeout.as_secs()),
        Ending::TooManyProcesses => "it started too many processes".to_owned(),
        Ending::TooMuchMemory => "it used too much memory".to_owned(),
        Ending::DiskNearlyFull => "the disk is nearly full".to_owned(),
    };
    Some(format!("stopped: {why}"))
}

/// The effect of a sandbox failure on the run.
pub(super) fn sandbox_failed(error: SandboxError) -> ToolError {
    let error_class = match error {
        SandboxError::CommandEmpty | SandboxError::DirectoryOutside(_) => {
            return ToolError::for_model(error.to_string());
        }
        SandboxError::SupervisorLost | SandboxError::System { .. } => ErrorClass::Resource,
        _ => ErrorClass::Config,
    };
    ToolError::broken(error_class, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandbox::{CappedOutput, Level};

    fn outcome(ending: Ending, exit_code: Option<i32>, text: &str) -> Outcome {
        Outcome {
            ending,
            exit_code,
            output: CappedOutput {
                head: text.into(),
                tail: Vec::new(),
                cut_bytes: 0,
                total_bytes: text.len() as u64,
                sha256: String::new(),
            },
            duration: Duration::from_millis(7),
            level: Level::None,
            landlock_abi: None,
            network_refusals: Vec::new(),
            git_pointer_restored: false,
        }
    }

    #[test]
    fn exit_of_a_command_is_reported() {
        let minute = Duration::from_secs(60);
        for (outcome, expected) in [
            (outcome(Ending::Exited, Some(0), "ok\n"), (true, "exit code 0\nok")),
            (outcome(Ending::Exited, Some(2), " \n"), (false, "exit code 2\n(no output)")),
            (outcome(Ending::Exited, Some(137), "x"), (false, "exit code 137 (signal 9)\nx")),
            (outcome(Ending::TimedOut, None, "x"), (false, "stopped: it ran longer than 60 s\nx")),
            (
                outcome(Ending::DiskNearlyFull, None, "x"),
                (false, "stopped: the disk is nearly full\nx"),
            ),
        ] {
            let (ok, text) = report(&outcome, minute).unwrap();
            assert_eq!((ok, text.as_str()), expected);
        }
        let cancelled = outcome(Ending::Cancelled, None, "");
        assert_eq!(report(&cancelled, minute), Err(Fatal::Cancelled));
    }

    #[test]
    fn refused_connections_are_shown_after_the_output() {
        let refusal = "network: connection to 10.0.0.1:80 refused".to_owned();
        let outcome = outcome(Ending::Exited, Some(7), "curl: (56)\n");
        let outcome = Outcome { network_refusals: vec![refusal], ..outcome };
        let (_, text) = report(&outcome, Duration::from_secs(60)).unwrap();
        assert_eq!(text, "exit code 7\ncurl: (56)\nnetwork: connection to 10.0.0.1:80 refused");
    }

    #[tokio::test]
    async fn command_with_network_is_refused_when_network_is_turned_off() {
        let folder = tempfile::tempdir().unwrap();
        let runner = Runner::new(folder.path().join("runs")).unwrap();
        let policy = Policy::new(Level::None, folder.path());
        let commands = Commands::new(runner, policy, CancellationToken::new(), Arc::new(|_| {}));
        let line = ShellLine {
            line: "touch started".into(),
            timeout: Duration::from_secs(60),
            network: true,
            label: "gate:test".into(),
            about: Map::new(),
        };
        let refusal = commands.run(line).await.unwrap_err();
        assert!(matches!(refusal, SandboxError::NetworkTurnedOff), "{refusal}");
        assert!(!folder.path().join("started").exists());
    }

    #[test]
    fn failed_sandbox_setup_blocks_the_build() {
        let error = SandboxError::NotConfined { level: Level::Landlock, reason: "old".into() };
        let ToolError::Fatal(Fatal::Broken { error_class, message }) = sandbox_failed(error) else {
            panic!("not fatal");
        };
        assert_eq!(error_class, ErrorClass::Config);
        assert!(message.contains("was not run"), "{message}");
        let empty = sandbox_failed(SandboxError::CommandEmpty);
        assert!(matches!(empty, ToolError::ForModel(_)));
    }
}
