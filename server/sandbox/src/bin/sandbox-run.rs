//! Runs one command line at a level in a directory: `sandbox-run LEVEL WORKTREE RUNS LINE`.
//! For trying the sandbox manually, and as a service that the tests can kill.

use std::io::Write;
use std::process::ExitCode;

use sandbox::{Command, Level, OutputChunk, Policy, Runner, SandboxError, run_helper_if_requested};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    run_helper_if_requested();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [level, worktree, runs, line] = arguments.as_slice() else {
        return fail("usage: sandbox-run strict|landlock|none WORKTREE RUNS LINE");
    };
    let level = match level.as_str() {
        "strict" => Level::Strict,
        "landlock" => Level::Landlock,
        "none" => Level::None,
        other => return fail(&format!("{other} is not a level")),
    };
    let policy = Policy::new(level, worktree);
    match run(policy, Command::shell(line), runs) {
        Ok(code) => code,
        Err(error) => fail(&error.to_string()),
    }
}

#[tokio::main]
async fn run(policy: Policy, command: Command, runs: &str) -> Result<ExitCode, SandboxError> {
    let (sender, mut chunks) = mpsc::channel::<OutputChunk>(64);
    let print = tokio::spawn(async move {
        while let Some(chunk) = chunks.recv().await {
            let _ = std::io::stdout().write_all(chunk.text.as_bytes());
            let _ = std::io::stdout().flush();
        }
    });
    let runner = Runner::new(runs)?;
    let outcome = runner.run(policy, command, CancellationToken::new(), Some(sender)).await?;
    let _ = print.await;
    Ok(ExitCode::from(outcome.exit_code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

fn fail(message: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{message}");
    ExitCode::from(125)
}
