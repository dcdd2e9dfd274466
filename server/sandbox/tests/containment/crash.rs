//! Crashes of the service and of the supervisor.

use std::fs;
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};

use sandbox::{Command, SandboxError, end_leftovers};

use crate::support::{TestEnv, at_each_level, eventually, processes_with, program, unique_sleep};

at_each_level!(
    killed_service_leaves_no_process,
    killed_supervisor_leaves_no_process,
    leftovers_are_killed_when_service_and_supervisor_crash,
    service_environment_is_not_visible,
);

/// A process that acts as the service and runs one command.
#[allow(clippy::disallowed_methods, reason = "the service to kill is a process of its own")]
fn service(env: &TestEnv, line: &str) -> Process {
    let mut process = Process::new(program());
    process
        .arg(env.level.as_str())
        .arg(env.worktree())
        .arg(env.runner.runs())
        .arg(line)
        .stdin(Stdio::null());
    process
}

fn start_sleepers(env: &TestEnv, sleep: &str) -> Child {
    let line = format!("(env -i setsid sleep {sleep} &); trap '' TERM; sleep {sleep}; :");
    service(env, &line).spawn().unwrap()
}

fn supervisor(runs: &Path) -> i32 {
    let run =
        fs::read_dir(runs).unwrap().flatten().find(|entry| entry.file_name() != "removed").unwrap();
    let record = fs::read_to_string(run.path().join("record.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    i32::try_from(record["supervisor"].as_i64().unwrap()).unwrap()
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

async fn killed_service_leaves_no_process(env: TestEnv) {
    let sleep = unique_sleep();
    let mut service = start_sleepers(&env, &sleep);
    eventually("the sleepers have started", || processes_with(&sleep).len() >= 2).await;
    service.kill().unwrap();
    service.wait().unwrap();
    eventually("the sleepers are gone", || processes_with(&sleep).is_empty()).await;

    let leftovers = end_leftovers(env.runner.runs());
    assert_eq!(leftovers.len(), 1);
    assert_eq!(leftovers[0].label, "/bin/sh");
    env.assert_no_run_left();
}

async fn killed_supervisor_leaves_no_process(env: TestEnv) {
    let sleep = unique_sleep();
    // The daemon keeps its environment, by which it is found.
    let line = format!("(setsid sleep {sleep} &); sleep {sleep}; :");
    let killed = async {
        eventually("the sleepers have started", || processes_with(&sleep).len() >= 2).await;
        kill(supervisor(env.runner.runs()));
    };
    let (outcome, ()) = tokio::join!(env.run(Command::shell(line)), killed);
    assert!(matches!(outcome, Err(SandboxError::SupervisorLost)), "{outcome:?}");
    eventually("the sleepers are gone", || processes_with(&sleep).is_empty()).await;
    env.assert_no_run_left();
}

async fn leftovers_are_killed_when_service_and_supervisor_crash(env: TestEnv) {
    let sleep = unique_sleep();
    let line = format!("(setsid sleep {sleep} &); (setsid sleep {sleep} &); sleep {sleep}; :");
    let mut service = service(&env, &line).spawn().unwrap();
    eventually("the sleepers have started", || processes_with(&sleep).len() >= 3).await;
    // A stopped service cannot react, so both crash at the same time.
    let supervisor = supervisor(env.runner.runs());
    let service_pid = i32::try_from(service.id()).unwrap();
    let stopped = rustix::process::Pid::from_raw(service_pid).unwrap();
    rustix::process::kill_process(stopped, rustix::process::Signal::STOP).unwrap();
    kill(supervisor);
    service.kill().unwrap();
    service.wait().unwrap();
    assert_eq!(end_leftovers(env.runner.runs()).len(), 1);
    assert_eq!(processes_with(&sleep), Vec::<i32>::new());
    env.assert_no_run_left();
}

async fn service_environment_is_not_visible(env: TestEnv) {
    let output = service(&env, "env; cat /proc/self/environ /proc/$$/environ /proc/$PPID/environ")
        .env("ANTHROPIC_API_KEY", "key-of-the-service")
        .env("LD_PRELOAD", "/no/such/library-of-the-service.so")
        .env("GIT_SSH_COMMAND", "command-of-the-service")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("PATH=") && text.contains("CI=1"), "{text}");
    assert!(!text.contains("of-the-service"), "{text}");
}
