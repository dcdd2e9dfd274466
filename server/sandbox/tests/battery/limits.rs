//! Using up what the machine has.

use std::fs;
use std::time::Duration;

use sandbox::{Command, Ending};

use crate::support::{Site, at_each_level, processes_with, unique_sleep};

at_each_level!(
    a_fork_bomb_is_ended,
    a_fork_bomb_of_many_sessions_is_ended,
    many_threads_count_too,
    a_memory_bomb_bursts,
    memory_is_counted_over_the_tree,
    files_cannot_grow_without_end,
    the_disk_cannot_be_filled,
    nor_can_it_be_filled_with_temporary_files,
    open_files_are_limited,
    processor_time_is_limited,
);

async fn a_fork_bomb_is_ended(mut site: Site) {
    site.policy.limits.processes = 64;
    site.policy.limits.timeout = Duration::from_secs(20);
    let sleep = unique_sleep();
    // Each generation forks two more and stays; the sleepers show that all were found.
    let outcome =
        site.shell(&format!("f() {{ sleep {sleep} & f & f; }}; f 2>/dev/null; wait")).await;
    // Where the kernel itself keeps the count, the forks fail instead.
    assert_ne!(outcome.exit_code, Some(0));
    assert_ne!(outcome.ending, Ending::Cancelled);
    assert!(outcome.duration < Duration::from_secs(25), "{:?}", outcome.duration);
    assert_eq!(processes_with(&sleep), Vec::<i32>::new());
    site.assert_tidy();
}

/// The hard kind: no group to end, and every stopped process has children already.
async fn a_fork_bomb_of_many_sessions_is_ended(mut site: Site) {
    site.policy.limits.processes = 64;
    let mark = unique_sleep();
    // Should it not be ended, it ends itself.
    let program = "import os, time\n\
                   end = time.monotonic() + 15\n\
                   while time.monotonic() < end:\n\
                   \x20   try:\n\
                   \x20       if os.fork() == 0: os.setsid()\n\
                   \x20   except OSError: time.sleep(0.01)\n";
    let outcome = site.run(Command::new(["/usr/bin/python3", "-c", program, &mark])).await.unwrap();
    assert!(outcome.duration < Duration::from_secs(10), "{:?}", outcome.duration);
    assert_eq!(outcome.ending, Ending::TooManyProcesses);
    assert_eq!(processes_with(&mark), Vec::<i32>::new());
    site.assert_tidy();
}

async fn many_threads_count_too(mut site: Site) {
    site.policy.limits.processes = 32;
    let outcome = site
        .python(
            "import threading, time\n\
             for _ in range(200): threading.Thread(target=time.sleep, args=(60,)).start()\n",
        )
        .await;
    assert!(!outcome.succeeded());
    assert!(outcome.duration < Duration::from_secs(10), "{:?}", outcome.duration);
}

async fn a_memory_bomb_bursts(mut site: Site) {
    site.policy.limits.memory_bytes = 256 << 20;
    let outcome =
        site.python("blocks = []\nwhile True: blocks.append(bytearray(16 << 20))\n").await;
    assert!(outcome.output.text().contains("MemoryError"), "{}", outcome.output.text());
    assert_eq!(outcome.ending, Ending::Exited);
}

async fn memory_is_counted_over_the_tree(mut site: Site) {
    site.policy.limits.memory_bytes = 128 << 20;
    let outcome = site
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

async fn files_cannot_grow_without_end(mut site: Site) {
    site.policy.limits.file_size_bytes = 1 << 20;
    let outcome = site.shell("dd if=/dev/zero of=big bs=64k count=100").await;
    assert!(!outcome.succeeded());
    assert_eq!(fs::metadata(site.worktree().join("big")).unwrap().len(), 1 << 20);
}

/// Fills a folder, as far as anybody lets it.
async fn fill(mut site: Site, folder: &str) {
    let free = rustix::fs::statvfs(site.top.path()).unwrap();
    let spare = 64 << 20;
    site.policy.limits.free_disk_bytes = free.f_bavail * free.f_frsize - spare;
    let line = format!(
        "cd {folder}; for n in $(seq 256); do head -c 8388608 /dev/zero > $n || exit; done"
    );
    let outcome = site.shell(&line).await;
    assert_eq!(outcome.ending, Ending::DiskNearlyFull, "{}", outcome.output.text());
    assert_eq!(outcome.exit_code, None);
    site.assert_tidy();
}

async fn the_disk_cannot_be_filled(site: Site) {
    fill(site, ".").await;
}

async fn nor_can_it_be_filled_with_temporary_files(site: Site) {
    fill(site, "$TMPDIR").await;
}

async fn open_files_are_limited(mut site: Site) {
    site.policy.limits.open_files = 32;
    let outcome = site.python("files = [open('/dev/null') for _ in range(64)]").await;
    assert!(outcome.output.text().contains("Too many open files"), "{}", outcome.output.text());
}

async fn processor_time_is_limited(mut site: Site) {
    site.policy.limits.cpu_seconds = 1;
    // On a busy machine it takes a while to get a second of its time.
    site.policy.limits.timeout = Duration::from_secs(120);
    let command = Command::new(["/bin/sh", "-c", "while :; do :; done"]);
    let outcome = site.run(command).await.unwrap();
    assert!(matches!(outcome.signal(), Some(9 | 24)), "{outcome:?}");
    assert_eq!(outcome.ending, Ending::Exited);
}
