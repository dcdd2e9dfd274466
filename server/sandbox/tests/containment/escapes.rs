//! Escape attempts through the kernel, libraries and sockets.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use crate::network::networks;
use crate::support::{SECRET, TestEnv, at_each_level, processes_with, unique_sleep};

at_each_level!(
    io_uring_is_unavailable,
    namespaces_cannot_be_nested,
    terminal_input_injection_is_rejected,
    preloaded_library_has_no_additional_access,
    daemon_sockets_cannot_be_connected_to,
    hard_links_across_the_sandbox_are_rejected,
    daemon_with_many_forks_and_sessions_is_killed,
);

async fn io_uring_is_unavailable(env: TestEnv) {
    let outcome = env
        .python(
            "import ctypes, errno, sys\n\
             libc = ctypes.CDLL(None, use_errno=True)\n\
             room = ctypes.create_string_buffer(4096)\n\
             for call in (425, 426, 427, 0x40000000 | 425):\n\
             \x20   if libc.syscall(call, 8, room, 0, 0, 0, 0) >= 0: sys.exit(f'{call} works')\n\
             \x20   if ctypes.get_errno() != errno.ENOSYS: sys.exit(f'{call}: {ctypes.get_errno()}')\n",
        )
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
}

async fn namespaces_cannot_be_nested(env: TestEnv) {
    let outcome = env
        .python(
            "import ctypes, os, sys\n\
             libc = ctypes.CDLL(None)\n\
             kinds = [0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x20000]\n\
             made = []\n\
             for kind in kinds:\n\
             \x20   for flags in (kind, kind | 0x10000000):\n\
             \x20       if libc.unshare(flags) == 0: made.append(('unshare', kind))\n\
             \x20       pid = libc.syscall(56, flags | 17, 0, 0, 0, 0)\n\
             \x20       if pid == 0: os._exit(0)\n\
             \x20       if pid > 0: made.append(('clone', kind))\n\
             \x20       arguments = (ctypes.c_uint64 * 11)(flags, 0, 0, 0, 17)\n\
             \x20       pid = libc.syscall(435, arguments, 88)\n\
             \x20       if pid == 0: os._exit(0)\n\
             \x20       if pid > 0: made.append(('clone3', kind))\n\
             for name in os.listdir('/proc/self/ns'):\n\
             \x20   try: fd = os.open(f'/proc/self/ns/{name}', os.O_RDONLY)\n\
             \x20   except OSError: continue\n\
             \x20   if libc.setns(fd, 0) == 0: made.append(('setns', name))\n\
             sys.exit(repr(made) if made else 0)\n",
        )
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
}

/// Opens a terminal, so that only the filter can reject the calls.
async fn terminal_input_injection_is_rejected(env: TestEnv) {
    let outcome = env
        .python(
            "import ctypes, errno, os, sys\n\
             libc = ctypes.CDLL(None, use_errno=True)\n\
             try: terminal = os.openpty()[1]\n\
             except OSError: terminal = 0\n\
             TIOCSTI, TIOCLINUX, high = 0x5412, 0x541c, 1 << 32\n\
             for request in (TIOCSTI, TIOCLINUX, TIOCSTI | high, TIOCLINUX | high):\n\
             \x20   argument = ctypes.c_char_p(b'x')\n\
             \x20   if libc.syscall(16, terminal, ctypes.c_ulong(request), argument) == 0:\n\
             \x20       sys.exit(f'{request:x} works')\n\
             \x20   if ctypes.get_errno() != errno.EPERM: sys.exit(f'{request:x}')\n",
        )
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
}

/// It is loaded into the command's processes, but not into the supervisor.
#[allow(clippy::disallowed_methods, reason = "the library is compiled outside the sandbox")]
async fn preloaded_library_has_no_additional_access(mut env: TestEnv) {
    let source = env.top.path().join("preload.c");
    let library = env.worktree().join("preload.so");
    let program = r#"
        #include <stdio.h>
        #include <unistd.h>
        __attribute__((constructor)) static void reach(void) {
            char text[64] = "";
            FILE *secret = fopen("SECRET_PATH", "r");
            if (secret) fgets(text, sizeof text, secret);
            FILE *out = fopen("SECRET_PATH", "w");
            FILE *log = fopen("LOG_PATH", "a");
            if (log) fprintf(log, "loaded %d %d %s\n", secret != NULL, out != NULL, text);
        }
    "#;
    let log = env.worktree().join("log");
    let program = program
        .replace("SECRET_PATH", env.secret().to_str().unwrap())
        .replace("LOG_PATH", log.to_str().unwrap());
    fs::write(&source, program).unwrap();
    let mut compiler = Process::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    assert!(compiler.status().unwrap().success());
    env.policy.environment = vec![("LD_PRELOAD".into(), library.to_str().unwrap().into())];
    assert!(env.shell("/bin/ls; (setsid /bin/ls &); /bin/ls").await.succeeded());
    let log = fs::read_to_string(log).unwrap();
    assert!(log.lines().count() >= 2 && log.lines().all(|line| line == "loaded 0 0 "), "{log}");
    assert_eq!(fs::read_to_string(env.secret()).unwrap(), SECRET);
}

/// Sockets of daemons such as Docker, D-Bus and databases, on this machine and created by the test.
async fn daemon_sockets_cannot_be_connected_to(mut env: TestEnv) {
    let top = env.top.path().to_owned();
    let names = ["docker.sock", "dbus/system_bus_socket", "postgresql/.s.PGSQL.5432", "bus"];
    let mut paths: Vec<PathBuf> = names.iter().map(|name| top.join("run").join(name)).collect();
    paths.push(Path::new("/tmp").join(format!("sandbox-test-{}.sock", unique_sleep())));
    let listeners: Vec<UnixListener> = paths
        .iter()
        .map(|path| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            UnixListener::bind(path).unwrap()
        })
        .collect();
    let own = "/var/run/docker.sock /run/docker.sock /run/dbus/system_bus_socket \
               /run/postgresql/.s.PGSQL.5432 /tmp/.s.PGSQL.5432 /var/run/postgresql/.s.PGSQL.5432";
    let program = format!(
        "import os, socket\n\
         for path in {paths:?} + {own:?}.split():\n\
         \x20   for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):\n\
         \x20       try:\n\
         \x20           client = socket.socket(socket.AF_UNIX, kind)\n\
         \x20           client.connect(path)\n\
         \x20           print('reached', path)\n\
         \x20       except OSError: pass\n\
         \x20   try:\n\
         \x20       os.symlink(path, 'link.sock')\n\
         \x20       client = socket.socket(socket.AF_UNIX)\n\
         \x20       client.connect('link.sock')\n\
         \x20       print('reached by a link', path)\n\
         \x20   except OSError: pass\n\
         \x20   finally: os.unlink('link.sock')\n"
    );
    for network in networks(env.level) {
        env.policy.network = network;
        let outcome = env.python(&program).await;
        assert!(outcome.succeeded(), "{}", outcome.output.text());
        assert_eq!(outcome.output.text(), "");
    }
    for listener in listeners {
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err());
    }
    fs::remove_file(paths.last().unwrap()).unwrap();
}

async fn hard_links_across_the_sandbox_are_rejected(env: TestEnv) {
    fs::write(env.worktree().join("inside"), "inside").unwrap();
    let top = env.top.path().display();
    let program = format!(
        r#"
import ctypes, os
libc = ctypes.CDLL(None)
def attempt(act, *arguments, **named):
    try: act(*arguments, **named)
    except OSError: pass
for at in ("{top}/data/secret.key", "{top}/other-worktree/file"):
    attempt(os.link, at, "in")
    attempt(os.rename, at, "in")
    attempt(os.link, "inside", at + ".out")
    attempt(os.rename, "inside", at)
    attempt(os.symlink, at, "link")
    attempt(os.link, "link", "in", follow_symlinks=True)
    attempt(os.unlink, "link")
    for flags in (os.O_PATH, os.O_RDONLY):
        try: fd = os.open(at, flags)
        except OSError: continue
        libc.linkat(fd, b"", -100, b"in", 0x1000)
        attempt(os.link, f"/proc/self/fd/{{fd}}", "in", follow_symlinks=True)
fd = os.open("inside", os.O_RDONLY)
libc.linkat(fd, b"", -100, b"{top}/data/out", 0x1000)
attempt(os.link, f"/proc/self/fd/{{fd}}", "{top}/other-worktree/out", follow_symlinks=True)
"#
    );
    let outcome = env.python(&program).await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    // Only a link to the symbolic link may exist.
    let made = fs::symlink_metadata(env.worktree().join("in"));
    assert!(made.is_err() || made.unwrap().is_symlink());
    for (path, content) in [
        (env.worktree().join("inside"), "inside"),
        (env.secret(), SECRET),
        (env.top.path().join("other-worktree/file"), SECRET),
    ] {
        assert_eq!(fs::metadata(&path).unwrap().nlink(), 1, "{path:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    for directory in ["data", "other-worktree"] {
        assert_eq!(fs::read_dir(env.top.path().join(directory)).unwrap().count(), 1);
    }
}

/// Each process exits after forking, so the last one has no ancestors in the tree.
async fn daemon_with_many_forks_and_sessions_is_killed(env: TestEnv) {
    let sleep = unique_sleep();
    let program = format!(
        "import os\n\
         if os.fork() == 0:\n\
         \x20   for _ in range(20):\n\
         \x20       os.setsid()\n\
         \x20       if os.fork() > 0: os._exit(0)\n\
         \x20   os.closerange(0, 64)\n\
         \x20   os.execve('/bin/sleep', ['sleep', '{sleep}'], {{}})\n"
    );
    assert!(env.python(&program).await.succeeded());
    assert_eq!(processes_with(&sleep), Vec::<i32>::new());
    env.assert_no_run_left();
}
