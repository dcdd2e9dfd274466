//! Limits on processes, memory, disk and CPU time.

use std::fs;
use std::time::Duration;

use sandbox::{Command, Ending, UsageMeter};

use crate::support::{TestEnv, at_each_level, eventually, processes_with, unique_sleep};

at_each_level!(
    fork_bomb_is_killed,
    fork_bomb_with_many_sessions_is_killed,
    soak_fork_bombs_are_killed,
    threads_count_as_processes,
    processes_with_names_that_are_not_utf_8_are_counted,
    memory_bomb_fails_with_an_allocation_error,
    memory_is_counted_over_the_tree,
    file_size_is_limited,
    sparse_file_of_fifty_gigabytes_is_refused,
    paths_longer_than_path_max_are_removed,
    worktree_cannot_fill_the_disk,
    temporary_files_cannot_fill_the_disk,
    open_files_are_limited,
    cpu_time_is_limited,
    usage_of_a_run_is_metered,
);

async fn usage_of_a_run_is_metered(mut env: TestEnv) {
    let meter = UsageMeter::default();
    env.runner = env.runner.metered_by(&meter);
    let start = meter.reading();
    let busy = "import os\n\
                block = b'x' * (64 << 20)\n\
                while not os.path.exists('stop'): pass\n";
    let used = || meter.load_since(start).0;
    let stopped = async {
        let is_metered = || used().memory_bytes >= 64 << 20 && used().cpu_percent > 0.0;
        eventually("its usage is reported", is_metered).await;
        fs::write(env.worktree().join("stop"), "").unwrap();
    };
    let (outcome, ()) = tokio::join!(env.python(busy), stopped);
    assert!(outcome.succeeded());
    assert_eq!(used().memory_bytes, 0);
    assert!(used().cpu_percent > 0.0);
}

async fn fork_bomb_is_killed(mut env: TestEnv) {
    env.policy.limits.processes = 64;
    env.policy.limits.timeout = Duration::from_secs(20);
    let sleep = unique_sleep();
    // Each process forks two more and keeps running; the sleepers show that all were killed.
    let outcome =
        env.shell(&format!("f() {{ sleep {sleep} & f & f; }}; f 2>/dev/null; wait")).await;
    // If the kernel enforces the limit, the forks fail instead.
    assert_ne!(outcome.exit_code, Some(0));
    assert_ne!(outcome.ending, Ending::Cancelled);
    assert!(outcome.duration < Duration::from_secs(25), "{:?}", outcome.duration);
    assert_eq!(processes_with(&sleep), Vec::<i32>::new());
    env.assert_no_run_left();
}

/// The supervisor must not wait for a process that executes a program at this moment.
async fn soak_fork_bombs_are_killed(mut env: TestEnv) {
    env.policy.limits.processes = 64;
    for _ in 0..300 {
        let outcome = env.shell("f() { sleep 60 & f & f; }; f 2>/dev/null; wait").await;
        assert!(outcome.duration < Duration::from_secs(5), "{:?}", outcome.duration);
    }
}

/// The hardest case: no common process group, and stopped processes already have children.
async fn fork_bomb_with_many_sessions_is_killed(mut env: TestEnv) {
    env.policy.limits.processes = 64;
    let mark = unique_sleep();
    // It exits after a while if it is not killed.
    let program = "import os, time\n\
                   end = time.monotonic() + 15\n\
                   while time.monotonic() < end:\n\
                   \x20   try:\n\
                   \x20       if os.fork() == 0: os.setsid()\n\
                   \x20   except OSError: time.sleep(0.01)\n";
    let outcome = env.run(Command::new(["/usr/bin/python3", "-c", program, &mark])).await.unwrap();
    assert!(outcome.duration < Duration::from_secs(10), "{:?}", outcome.duration);
    assert_eq!(outcome.ending, Ending::TooManyProcesses);
    assert_eq!(processes_with(&mark), Vec::<i32>::new());
    env.assert_no_run_left();
}

async fn threads_count_as_processes(mut env: TestEnv) {
    env.policy.limits.processes = 32;
    let outcome = env
        .python(
            "import threading, time\n\
             for _ in range(200): threading.Thread(target=time.sleep, args=(60,)).start()\n",
        )
        .await;
    assert!(!outcome.succeeded());
    assert!(outcome.duration < Duration::from_secs(10), "{:?}", outcome.duration);
}

async fn processes_with_names_that_are_not_utf_8_are_counted(mut env: TestEnv) {
    env.policy.limits.processes = 32;
    let outcome = env
        .python(
            "import os, time\n\
             open('/proc/self/comm', 'wb').write(b'\\xff)\\n(')\n\
             for _ in range(64):\n\
             \x20   if os.fork() == 0: break\n\
             time.sleep(60)\n",
        )
        .await;
    assert!(!outcome.succeeded());
    assert!(outcome.duration < Duration::from_secs(10), "{:?}", outcome.duration);
}

async fn memory_bomb_fails_with_an_allocation_error(mut env: TestEnv) {
    env.policy.limits.memory_bytes = 256 << 20;
    let outcome = env.python("blocks = []\nwhile True: blocks.append(bytearray(16 << 20))\n").await;
    assert!(outcome.output.text().contains("MemoryError"), "{}", outcome.output.text());
    assert_eq!(outcome.ending, Ending::Exited);
}

async fn memory_is_counted_over_the_tree(mut env: TestEnv) {
    env.policy.limits.memory_bytes = 128 << 20;
    let outcome = env
        .python(
            "import os, time\n\
             for _ in range(4):\n    if os.fork() == 0: break\n\
             block = bytearray(60 << 20)\n\
             time.sleep(60)\n",
        )
        .await;
    assert_eq!(outcome.ending, Ending::TooMuchMemory, "{}", outcome.output.text());
    assert!(outcome.duration < Duration::from_secs(10), "{:?}", outcome.duration);
}

async fn file_size_is_limited(mut env: TestEnv) {
    env.policy.limits.file_size_bytes = 1 << 20;
    let outcome = env.shell("dd if=/dev/zero of=big bs=64k count=100").await;
    assert!(!outcome.succeeded());
    assert_eq!(fs::metadata(env.worktree().join("big")).unwrap().len(), 1 << 20);
}

async fn sparse_file_of_fifty_gigabytes_is_refused(env: TestEnv) {
    let outcome = env
        .python(
            "import os, signal\n\
             signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n\
             size = 50 << 30\n\
             fd = os.open('sparse', os.O_CREAT | os.O_RDWR)\n\
             for act in (lambda: os.ftruncate(fd, size), lambda: os.posix_fallocate(fd, 0, size),\n\
             \x20           lambda: os.pwrite(fd, b'x', size - 1), lambda: os.truncate('sparse', size)):\n\
             \x20   try: act()\n\
             \x20   except OSError: continue\n\
             \x20   raise SystemExit('made')\n",
        )
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    assert_eq!(fs::metadata(env.worktree().join("sparse")).unwrap().len(), 0);
}

/// In the private directory and in the worktree; the next run in it succeeds.
async fn paths_longer_than_path_max_are_removed(env: TestEnv) {
    let outcome = env
        .python(
            "import os\n\
             for top in (os.environ['TMPDIR'], os.getcwd()):\n\
             \x20   os.chdir(top)\n\
             \x20   for _ in range(20):\n\
             \x20       os.mkdir('d' * 255); os.chdir('d' * 255)\n\
             \x20   open('f' * 255, 'w').close()\n\
             \x20   try: open(top + '/' + 'x' * (4096 - len(top)), 'w')\n\
             \x20   except OSError as error: print(error.errno)\n",
        )
        .await;
    assert_eq!(outcome.output.text(), "36\n36\n");
    assert!(env.shell("ls").await.succeeded());
    env.assert_removed().await;
}

/// Writes to a folder until the run is ended.
async fn fill(mut env: TestEnv, folder: &str) {
    let free = rustix::fs::statvfs(env.top.path()).unwrap();
    let headroom = 64 << 20;
    env.policy.limits.free_disk_bytes = free.f_bavail * free.f_frsize - headroom;
    let line = format!(
        "cd {folder}; for n in $(seq 256); do head -c 8388608 /dev/zero > $n || exit; done"
    );
    let outcome = env.shell(&line).await;
    assert_eq!(outcome.ending, Ending::DiskNearlyFull, "{}", outcome.output.text());
    assert_eq!(outcome.exit_code, None);
    env.assert_no_run_left();
}

async fn worktree_cannot_fill_the_disk(env: TestEnv) {
    fill(env, ".").await;
}

async fn temporary_files_cannot_fill_the_disk(env: TestEnv) {
    fill(env, "$TMPDIR").await;
}

async fn open_files_are_limited(mut env: TestEnv) {
    env.policy.limits.open_files = 32;
    let outcome = env.python("files = [open('/dev/null') for _ in range(64)]").await;
    assert!(outcome.output.text().contains("Too many open files"), "{}", outcome.output.text());
}

async fn cpu_time_is_limited(mut env: TestEnv) {
    env.policy.limits.cpu_seconds = 1;
    // A second of CPU time can take long on a busy machine.
    env.policy.limits.timeout = Duration::from_secs(120);
    let command = Command::new(["/bin/sh", "-c", "while :; do :; done"]);
    let outcome = env.run(command).await.unwrap();
    assert!(matches!(outcome.signal(), Some(9 | 24)), "{outcome:?}");
    assert_eq!(outcome.ending, Ending::Exited);
}
