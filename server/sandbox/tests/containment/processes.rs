//! Termination of process trees, and access to other processes.

use std::time::{Duration, Instant};

use sandbox::{Command, Ending};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{TestEnv, at_each_level, eventually, processes_with, unique_sleep};

at_each_level!(
    daemons_are_killed_when_the_command_exits,
    timeout_kills_the_whole_tree,
    cancellation_kills_processes_that_ignore_signals,
    command_can_clean_up_after_sigterm,
    dropped_run_is_killed,
    other_processes_cannot_be_traced,
    service_cannot_be_signalled,
    exit_codes_and_signals_are_reported,
    run_cancelled_before_start_executes_nothing,
);

/// Starts daemons in their own sessions, with an empty environment.
fn daemon(sleep: &str) -> String {
    format!(
        "(setsid env -i sh -c 'sleep {sleep} & exec sleep {sleep}' >/dev/null 2>&1 &) ; \
         (env -i setsid sleep {sleep} &) ; "
    )
}

async fn daemons_are_killed_when_the_command_exits(env: TestEnv) {
    let sleep = unique_sleep();
    let outcome = env.shell(&format!("{} echo done", daemon(&sleep))).await;
    assert_eq!(outcome.output.text(), "done\n");
    assert_eq!(processes_with(&sleep), Vec::<i32>::new());
    assert!(outcome.duration < Duration::from_secs(5), "{:?}", outcome.duration);
    env.assert_no_run_left();
}

async fn timeout_kills_the_whole_tree(mut env: TestEnv) {
    env.policy.limits.timeout = Duration::from_millis(300);
    let sleep = unique_sleep();
    let outcome = env.shell(&format!("{} sleep {sleep}", daemon(&sleep))).await;
    assert_eq!((outcome.ending, outcome.exit_code), (Ending::TimedOut, None));
    assert!(outcome.duration >= Duration::from_millis(300));
    assert!(outcome.duration < Duration::from_secs(20), "{:?}", outcome.duration);
    assert_eq!(processes_with(&sleep), Vec::<i32>::new());
}

async fn cancellation_kills_processes_that_ignore_signals(env: TestEnv) {
    let sleep = unique_sleep();
    let line = format!(
        "trap '' TERM HUP INT; {} (trap '' TERM; sleep {sleep}) & echo ready; \
         while :; do sleep {sleep}; done",
        daemon(&sleep)
    );
    let cancel = CancellationToken::new();
    let (sender, mut chunks) = mpsc::channel(8);
    let run =
        env.runner.run(env.policy.clone(), Command::shell(line), cancel.clone(), Some(sender));
    let cancelled = async {
        assert_eq!(chunks.recv().await.unwrap().text, "ready\n");
        eventually("the sleepers have started", || processes_with(&sleep).len() >= 4).await;
        cancel.cancel();
        Instant::now()
    };
    let (outcome, cancelled) = tokio::join!(run, cancelled);
    // Within seconds, on a busy machine too.
    assert!(cancelled.elapsed() < Duration::from_secs(30), "{:?}", cancelled.elapsed());
    assert_eq!(outcome.unwrap().ending, Ending::Cancelled);
    assert_eq!(processes_with(&sleep), Vec::<i32>::new());
}

async fn command_can_clean_up_after_sigterm(mut env: TestEnv) {
    // Time for the command to set its trap on a busy machine.
    env.policy.limits.timeout = Duration::from_secs(3);
    let outcome =
        env.shell("trap 'echo cleaned > cleaned; exit 0' TERM; while :; do sleep 0.01; done").await;
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert!(env.worktree().join("cleaned").exists());
}

async fn dropped_run_is_killed(env: TestEnv) {
    let sleep = unique_sleep();
    let run = env.run(Command::shell(format!("sleep {sleep}")));
    tokio::select! {
        outcome = run => panic!("the run ended: {outcome:?}"),
        () = eventually("the command runs", || processes_with(&sleep).len() == 1) => {}
    }
    eventually("the command is gone", || processes_with(&sleep).is_empty()).await;
    eventually("its directory is gone", || env.remaining_runs().is_empty()).await;
}

async fn other_processes_cannot_be_traced(env: TestEnv) {
    let program = format!(
        r#"
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
ATTACH, SEIZE, TRACEME = 16, 0x4206, 0
got = []
for pid in ({service}, os.getppid(), 1):
    for request in (ATTACH, SEIZE):
        if libc.ptrace(request, pid, 0, 0) == 0: got.append(("ptrace", pid))
    buffer = ctypes.create_string_buffer(64)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 64)
    if libc.process_vm_readv(pid, local, 1, local, 1, 0) > 0: got.append(("read", pid))
if libc.ptrace(TRACEME, 0, 0, 0) == 0: got.append("traceme")
for call in (321, 298, 250, 425, 304, 308, 438):
    if libc.syscall(call, 0, 0, 0, 0, 0) >= 0: got.append(call)
    elif ctypes.get_errno() not in (1, 38): got.append((call, ctypes.get_errno()))
sys.exit(repr(got) if got else 0)
"#,
        service = std::process::id()
    );
    let outcome = env.python(&program).await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
}

async fn service_cannot_be_signalled(env: TestEnv) {
    let line =
        format!("kill -0 {} && echo reached; kill -0 $PPID && echo reached", std::process::id());
    let outcome = env.shell(&line).await;
    let version = outcome.landlock_abi.unwrap_or_default();
    if env.level == sandbox::Level::Landlock && version < 6 {
        let report = sandbox::probe(&env.runner).await;
        assert!(report.landlock.caveats.iter().any(|caveat| caveat.contains("signals")));
    } else if env.level == sandbox::Level::Landlock {
        assert!(!outcome.output.text().contains("reached"), "{}", outcome.output.text());
    } else {
        // In its own PID namespace, the pid may exist by coincidence.
        let text = outcome.output.text();
        assert!(text.matches("reached").count() <= 1, "{text}");
    }
}

async fn exit_codes_and_signals_are_reported(env: TestEnv) {
    let outcome = env.shell("exit 7").await;
    assert_eq!((outcome.exit_code, outcome.signal()), (Some(7), None));
    let outcome = env.shell("kill -SEGV $$").await;
    assert_eq!((outcome.exit_code, outcome.signal()), (Some(139), Some(11)));
    assert_eq!(outcome.ending, Ending::Exited);
    assert_eq!(outcome.level, env.level);
}

async fn run_cancelled_before_start_executes_nothing(env: TestEnv) {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let sleep = unique_sleep();
    let command = Command::shell(format!("sleep {sleep}"));
    let outcome = env.runner.run(env.policy.clone(), command, cancel, None).await.unwrap();
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert_eq!(processes_with(&sleep), Vec::<i32>::new());
}
