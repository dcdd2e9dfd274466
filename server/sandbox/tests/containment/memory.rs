//! Limits on each kind of memory.

use std::fs;

use sandbox::{Command, Ending, Outcome};

use crate::support::{TestEnv, at_each_level, eventually, processes_with, unique_sleep};

at_each_level!(
    private_memory_is_limited,
    memfd_memory_is_limited,
    hidden_memfd_memory_is_limited,
    shared_anonymous_memory_is_limited,
    shared_memory_of_many_processes_is_limited,
    shared_memory_files_are_limited,
    system_v_segments_are_limited,
    locked_pages_of_files_are_limited,
    pages_in_pipes_are_limited,
    memory_shared_by_many_processes_is_counted_once,
    in_memory_file_systems_are_read_only,
    largest_run_is_ended_when_the_total_memory_is_exceeded,
    soak_private_memory_is_limited,
    soak_memfd_memory_is_limited,
    soak_hidden_memfd_memory_is_limited,
    soak_shared_anonymous_memory_is_limited,
    soak_shared_memory_of_many_processes_is_limited,
    soak_shared_memory_files_are_limited,
    soak_locked_pages_of_files_are_limited,
);

const MIB: u64 = 1 << 20;

/// Python code that allocates `SIZE` bytes.
const ALLOCATE_PRIVATE: &str = "
block = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
fill(block)
";
const ALLOCATE_MEMFD: &str = "
for _ in range(SIZE // PIECE):
    fd = os.memfd_create('x')
    os.ftruncate(fd, PIECE)
    block = mmap.mmap(fd, PIECE)
    fill(block)
    keep.append((fd, block))
";
/// Not mapped; the descriptors are queued in sockets, where they are not visible in `/proc`.
const ALLOCATE_HIDDEN_MEMFD: &str = "
import socket
for _ in range(SIZE // PIECE):
    fd = os.memfd_create('x')
    for _ in range(PIECE >> 20): os.write(fd, bytes(1 << 20))
    pair = socket.socketpair()
    socket.send_fds(pair[0], [b'x'], [fd])
    os.close(fd)
    keep.append(pair)
";
const ALLOCATE_SHARED_ANONYMOUS: &str = "
block = mmap.mmap(-1, SIZE, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
fill(block)
";
/// The part of each process is far below the limit.
const ALLOCATE_SHARED_IN_MANY_PROCESSES: &str = "
ready, done = os.pipe()
for _ in range(32):
    if os.fork() == 0:
        block = mmap.mmap(-1, SIZE // 32, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
        fill(block)
        os.write(done, b'x')
        time.sleep(1000)
for _ in range(32): os.read(ready, 1)
";
const ALLOCATE_SHARED_MEMORY_FILES: &str = "
for number in range(SIZE // PIECE):
    fd = os.open(f'/dev/shm/{number}', os.O_CREAT | os.O_RDWR)
    os.ftruncate(fd, PIECE)
    block = mmap.mmap(fd, PIECE)
    fill(block)
    keep.append(block)
";
const LOCK_FILE_PAGES: &str = "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open('file', os.O_CREAT | os.O_RDWR)
os.ftruncate(fd, PIECE)
block = mmap.mmap(fd, PIECE)
address = ctypes.addressof(ctypes.c_char.from_buffer(block))
if libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(PIECE)) != 0:
    sys.exit('refused')
";

fn program(kind: &str, bytes: u64) -> String {
    format!(
        "import mmap, os, sys, time
SIZE, PIECE, keep = {bytes}, {piece}, []
def fill(block):
    for at in range(0, len(block), 4096): block[at] = 1
try:
{body}
except (AttributeError, OSError) as error: sys.exit(f'refused: {{error}}')
time.sleep(1000)
",
        piece = bytes / 16,
        body = kind.replace('\n', "\n    "),
    )
}

/// Asserts that the allocation fails or the run is ended; otherwise the program sleeps.
async fn attempt(mut env: TestEnv, kind: &str, limit: u64) -> Outcome {
    env.policy.limits.memory_bytes = limit;
    env.policy.limits.file_size_bytes = 4 * limit;
    env.policy.limits.timeout = std::time::Duration::from_secs(120);
    let outcome = env.python(&program(kind, limit / 2 * 3)).await;
    let refused = outcome.exit_code.is_some_and(|code| code != 0);
    assert!(refused || outcome.ending == Ending::TooMuchMemory, "{outcome:?}");
    env.assert_no_run_left();
    outcome
}

const LIMIT: u64 = 128 * MIB;
const SOAK_LIMIT: u64 = 4096 * MIB;

async fn private_memory_is_limited(env: TestEnv) {
    attempt(env, ALLOCATE_PRIVATE, LIMIT).await;
}

async fn soak_private_memory_is_limited(env: TestEnv) {
    attempt(env, ALLOCATE_PRIVATE, SOAK_LIMIT).await;
}

async fn memfd_memory_is_limited(env: TestEnv) {
    attempt(env, ALLOCATE_MEMFD, LIMIT).await;
}

async fn soak_memfd_memory_is_limited(env: TestEnv) {
    attempt(env, ALLOCATE_MEMFD, SOAK_LIMIT).await;
}

async fn hidden_memfd_memory_is_limited(env: TestEnv) {
    attempt(env, ALLOCATE_HIDDEN_MEMFD, LIMIT).await;
}

async fn soak_hidden_memfd_memory_is_limited(env: TestEnv) {
    attempt(env, ALLOCATE_HIDDEN_MEMFD, SOAK_LIMIT).await;
}

async fn shared_anonymous_memory_is_limited(env: TestEnv) {
    let outcome = attempt(env, ALLOCATE_SHARED_ANONYMOUS, LIMIT).await;
    assert_eq!(outcome.ending, Ending::TooMuchMemory);
}

async fn soak_shared_anonymous_memory_is_limited(env: TestEnv) {
    attempt(env, ALLOCATE_SHARED_ANONYMOUS, SOAK_LIMIT).await;
}

async fn shared_memory_of_many_processes_is_limited(env: TestEnv) {
    let outcome = attempt(env, ALLOCATE_SHARED_IN_MANY_PROCESSES, LIMIT).await;
    assert_eq!(outcome.ending, Ending::TooMuchMemory);
}

async fn soak_shared_memory_of_many_processes_is_limited(env: TestEnv) {
    attempt(env, ALLOCATE_SHARED_IN_MANY_PROCESSES, SOAK_LIMIT).await;
}

/// From `linux/magic.h`.
const TMPFS_MAGIC: i64 = 0x0102_1994;

/// At the strict level these files are on the disk, so they cost no memory and count as disk.
async fn files_in_dev_shm(mut env: TestEnv, limit: u64) {
    env.policy.limits.memory_bytes = limit;
    env.policy.limits.file_size_bytes = limit;
    let sleep = unique_sleep();
    let text = program(ALLOCATE_SHARED_MEMORY_FILES, limit / 2 * 3);
    let line = format!("echo \"$0\" > program.py; python3 program.py && exec sleep {sleep}");
    let command = Command::new(["/bin/sh", "-c", &line, &text.replace("time.sleep(1000)", "")]);
    let during = async {
        eventually("the files exist", || !processes_with(&sleep).is_empty()).await;
        let process = processes_with(&sleep)[0];
        let file_system = rustix::fs::statfs(format!("/proc/{process}/root/dev/shm")).unwrap();
        assert_ne!(file_system.f_type, TMPFS_MAGIC);
    };
    tokio::select! {
        // `/dev/shm` is not accessible at the landlock level.
        outcome = env.run(command) => assert!(!outcome.unwrap().succeeded()),
        () = during => {}
    }
}

async fn shared_memory_files_are_limited(env: TestEnv) {
    files_in_dev_shm(env, LIMIT).await;
}

async fn soak_shared_memory_files_are_limited(env: TestEnv) {
    files_in_dev_shm(env, SOAK_LIMIT).await;
}

async fn system_v_segments_are_limited(env: TestEnv) {
    let outcome = env
        .python(
            "import ctypes, sys\n\
             libc = ctypes.CDLL(None)\n\
             sys.exit(any(libc.shmget(0, ctypes.c_size_t(size), 0o1600) >= 0\n\
             \x20            for size in (65537, 1 << 20, 1 << 30, (1 << 32) + 1)))\n",
        )
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
}

async fn locked_pages_of_files_are_limited(env: TestEnv) {
    let outcome = attempt(env, LOCK_FILE_PAGES, 256 * MIB).await;
    assert!(outcome.output.text().contains("refused"), "{outcome:?}");
}

async fn soak_locked_pages_of_files_are_limited(env: TestEnv) {
    attempt(env, LOCK_FILE_PAGES, SOAK_LIMIT).await;
}

async fn pages_in_pipes_are_limited(env: TestEnv) {
    let outcome = env
        .python(
            "import ctypes, os, sys\n\
             libc = ctypes.CDLL(None)\n\
             block = ctypes.create_string_buffer(4096)\n\
             vector = (ctypes.c_void_p * 2)(ctypes.addressof(block), 4096)\n\
             sys.exit(libc.vmsplice(os.pipe()[1], vector, 1, 8) >= 0)\n",
        )
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
}

/// For example databases and preforking servers.
async fn memory_shared_by_many_processes_is_counted_once(mut env: TestEnv) {
    env.policy.limits.memory_bytes = 256 * MIB;
    let outcome = env
        .python(
            "import mmap, os, time\n\
             shared = mmap.mmap(-1, 48 << 20)\n\
             private = bytearray(48 << 20)\n\
             for at in range(0, len(shared), 4096): shared[at] = private[at] = 1\n\
             for _ in range(8):\n\
             \x20   if os.fork() == 0:\n\
             \x20       sum(shared[at] + private[at] for at in range(0, len(shared), 4096))\n\
             \x20       time.sleep(1.5); os._exit(0)\n\
             for _ in range(8): os.wait()\n",
        )
        .await;
    assert!(outcome.succeeded(), "{outcome:?}");
}

/// For example the tmpfs that covers a hidden tree.
async fn in_memory_file_systems_are_read_only(mut env: TestEnv) {
    env.policy.readable = vec![env.top.path().to_owned()];
    let outcome = env
        .python(
            "import os\n\
             for line in open('/proc/self/mountinfo'):\n\
             \x20   place, kind = line.split()[4], line.split(' - ')[1].split()[0]\n\
             \x20   if kind not in ('tmpfs', 'ramfs', 'hugetlbfs', 'devtmpfs'): continue\n\
             \x20   try:\n\
             \x20       open(os.path.join(place, 'planted'), 'w').close()\n\
             \x20       print('wrote', place)\n\
             \x20   except OSError: pass\n",
        )
        .await;
    assert!(outcome.succeeded() && !outcome.output.text().contains("wrote"), "{outcome:?}");
}

async fn largest_run_is_ended_when_the_total_memory_is_exceeded(mut env: TestEnv) {
    env.runner = env.runner.clone().with_total_memory(192 * MIB);
    let other = env.top.path().join("other-worktree");
    let small = sandbox::Policy { worktree: other, ..env.policy.clone() };
    let allocate = |bytes: u64, end: &str| {
        let text = program(ALLOCATE_PRIVATE, bytes).replace("time.sleep(1000)", end);
        Command::new(["/usr/bin/python3", "-c", &text])
    };
    let until_end_file = "while not os.path.exists('end'): time.sleep(0.01)";
    let end = env.top.path().join("other-worktree/end");
    let small = env.runner.run(small, allocate(64 * MIB, until_end_file), Default::default(), None);
    let large = async {
        let outcome = env.run(allocate(160 * MIB, "time.sleep(1000)")).await;
        fs::write(end, "").unwrap();
        outcome
    };
    let (small, large) = tokio::join!(small, large);
    assert_eq!(large.unwrap().ending, Ending::TooMuchMemory);
    let small = small.unwrap();
    assert!(small.succeeded(), "{small:?}");
}
