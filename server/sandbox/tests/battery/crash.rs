//! The service, or the supervisor, gone from one moment to the next.

use std::fs;
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};

use sandbox::{Command, SandboxError, end_leftovers};

use crate::support::{Site, at_each_level, eventually, processes_with, program, unique_sleep};

at_each_level!(
    a_killed_service_leaves_no_process,
    a_killed_supervisor_leaves_no_process,
    leftovers_of_a_double_crash_are_ended,
    the_environment_of_the_service_stays_outside,
);

/// A stand-in for the service, running one command.
#[allow(clippy::disallowed_methods)]
fn service(site: &Site, line: &str) -> Process {
    let mut process = Process::new(program());
    process
        .arg(site.level.as_str())
        .arg(site.worktree())
        .arg(site.runner.runs())
        .arg(line)
        .stdin(Stdio::null());
    process
}

fn start_sleepers(site: &Site, sleep: &str) -> Child {
    let line = format!("(env -i setsid sleep {sleep} &); trap '' TERM; sleep {sleep}; :");
    service(site, &line).spawn().unwrap()
}

fn supervisor(runs: &Path) -> i32 {
    let run = fs::read_dir(runs).unwrap().flatten().next().unwrap();
    let record = fs::read_to_string(run.path().join("record.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    i32::try_from(record["supervisor"].as_i64().unwrap()).unwrap()
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

async fn a_killed_service_leaves_no_process(site: Site) {
    let sleep = unique_sleep();
    let mut service = start_sleepers(&site, &sleep);
    eventually("the sleepers are there", || processes_with(&sleep).len() >= 2).await;
    service.kill().unwrap();
    service.wait().unwrap();
    eventually("the sleepers are gone", || processes_with(&sleep).is_empty()).await;

    let leftovers = end_leftovers(site.runner.runs()).unwrap();
    assert_eq!(leftovers.len(), 1);
    assert_eq!(leftovers[0].label, "/bin/sh");
    site.assert_tidy();
}

async fn a_killed_supervisor_leaves_no_process(site: Site) {
    let sleep = unique_sleep();
    // A daemon that keeps its environment, as all do that do not mean to hide.
    let line = format!("(setsid sleep {sleep} &); sleep {sleep}; :");
    let killed = async {
        eventually("the sleepers are there", || processes_with(&sleep).len() >= 2).await;
        kill(supervisor(site.runner.runs()));
    };
    let (outcome, ()) = tokio::join!(site.run(Command::shell(line)), killed);
    assert!(matches!(outcome, Err(SandboxError::SupervisorLost)), "{outcome:?}");
    eventually("the sleepers are gone", || processes_with(&sleep).is_empty()).await;
    site.assert_tidy();
}

async fn leftovers_of_a_double_crash_are_ended(site: Site) {
    let sleep = unique_sleep();
    let line = format!("(setsid sleep {sleep} &); (setsid sleep {sleep} &); sleep {sleep}; :");
    let mut service = service(&site, &line).spawn().unwrap();
    eventually("the sleepers are there", || processes_with(&sleep).len() >= 3).await;
    // Stopped, the service cannot notice; so both are gone at once.
    let supervisor = supervisor(site.runner.runs());
    let service_pid = i32::try_from(service.id()).unwrap();
    let stopped = rustix::process::Pid::from_raw(service_pid).unwrap();
    rustix::process::kill_process(stopped, rustix::process::Signal::STOP).unwrap();
    kill(supervisor);
    service.kill().unwrap();
    service.wait().unwrap();
    assert_eq!(end_leftovers(site.runner.runs()).unwrap().len(), 1);
    assert_eq!(processes_with(&sleep), Vec::<i32>::new());
    site.assert_tidy();
}

async fn the_environment_of_the_service_stays_outside(site: Site) {
    let output = service(&site, "env; cat /proc/self/environ /proc/$$/environ /proc/$PPID/environ")
        .env("ANTHROPIC_API_KEY", "key-of-the-service")
        .env("LD_PRELOAD", "/no/such/library-of-the-service.so")
        .env("GIT_SSH_COMMAND", "command-of-the-service")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("PATH=") && text.contains("CI=1"), "{text}");
    assert!(!text.contains("of-the-service"), "{text}");
}
