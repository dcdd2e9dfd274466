//! A private PostgreSQL server that does not wait for the disk: started by the first test that
//! needs it, shared by all, and stopped by a watcher half a minute after the last one ended.

use std::{
    env,
    fs::{self, File},
    net::{TcpListener, TcpStream},
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

/// A file lock, held until this process ends, that keeps the server running.
static NEEDED: OnceLock<File> = OnceLock::new();

/// Stops the server after it was unused for six checks. The last check holds the lock for starting,
/// so that no process starts to use it in between.
const WATCHER: &str = r#"
free=0
while [ "$free" -lt 6 ]; do
    sleep 5
    if flock -n -x "$1.needed" true; then free=$((free + 1)); else free=0; fi
done
flock -x "$1.lock" flock -n -x "$1.needed" sh -c '
    kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"
    while [ -e "$1/data/postmaster.pid" ]; do sleep 0.1; done
    rm -rf "$1"' sh "$1" || exec sh -c "$2" sh "$1" "$2"
"#;

/// The port of the server, which is started if necessary. User `postgres`, no password. Panics with
/// the reason if it cannot be started.
pub(crate) fn port() -> u16 {
    let home = env::temp_dir().join(format!("forgeguard-postgres-{}", own_uid()));
    let starting = lock_file(&home, "lock");
    starting.lock().expect("the start lock is granted");
    NEEDED.get_or_init(|| {
        let needed = lock_file(&home, "needed");
        needed.lock_shared().expect("the lock of need is granted");
        needed
    });
    if let Some(port) = running(&home) {
        return port;
    }
    let port = start(&home, &programs());
    watch(&home);
    port
}

fn lock_file(home: &Path, ending: &str) -> File {
    let path = home.with_extension(ending);
    File::options().create(true).append(true).open(&path).expect("lock files can be made")
}

fn running(home: &Path) -> Option<u16> {
    let port = fs::read_to_string(home.join("port")).ok()?.trim().parse().ok()?;
    TcpStream::connect(("127.0.0.1", port)).ok().map(|_| port)
}

fn start(home: &Path, programs: &Path) -> u16 {
    let _ = fs::remove_dir_all(home);
    fs::create_dir_all(home).expect("the folder of the server can be made");
    if let Some((uid, gid)) = owner() {
        chown(home, Some(uid), Some(gid)).expect("root may give a folder away");
    }
    let data = home.join("data");
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("some port is free")
        .port();
    run(command(&programs.join("initdb")).arg("-D").arg(&data).args([
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
    ]));
    let options = format!(
        "-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
         -c max_connections=200 -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
         -c max_wal_size=4GB"
    );
    run(command(&programs.join("pg_ctl"))
        .args(["start", "-w", "-t", "60", "-o", &options, "-l"])
        .arg(home.join("log"))
        .arg("-D")
        .arg(&data));
    fs::write(home.join("port"), port.to_string()).expect("the port can be noted");
    port
}

#[expect(clippy::zombie_processes, reason = "it outlives the test that starts it")]
fn watch(home: &Path) {
    Command::new("sh")
        .args(["-c", WATCHER, "sh"])
        .arg(home)
        .arg(WATCHER)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("a shell can be started");
}

/// Whether the programs are installed.
pub(crate) fn can_start() -> bool {
    find_programs().is_some()
}

/// The folder of `initdb` and `pg_ctl`.
fn programs() -> PathBuf {
    find_programs().expect("these tests need PostgreSQL: run scripts/need-for-tests")
}

fn find_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|entry| entry.path().join("bin")).collect();
    folders.sort();
    folders.reverse();
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    folders.into_iter().find(|f| f.join("initdb").is_file() && f.join("pg_ctl").is_file())
}

/// PostgreSQL cannot run as root, so root runs it as the package's user.
fn command(program: &Path) -> Command {
    let Some((uid, gid)) = owner() else { return Command::new(program) };
    let mut command = Command::new("setpriv");
    command.args([&format!("--reuid={uid}"), &format!("--regid={gid}"), "--clear-groups", "--"]);
    command.arg(program);
    command
}

/// The user and group to run as, if different from the current ones.
fn owner() -> Option<(u32, u32)> {
    (own_uid() == 0).then(|| {
        let users = fs::read_to_string("/etc/passwd").expect("a list of users");
        let line = users.lines().find(|line| line.starts_with("postgres:"));
        let mut fields = line.expect("a user named postgres").split(':').skip(2);
        let mut number = || fields.next().and_then(|field| field.parse().ok());
        number().zip(number()).expect("numbers of user and group")
    })
}

fn own_uid() -> u32 {
    fs::metadata("/proc/self").map(|process| process.uid()).expect("/proc is mounted")
}

fn run(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
    let status = command.current_dir("/").status();
    let done = matches!(&status, Ok(status) if status.success());
    assert!(done, "{command:?}: {status:?}");
}
