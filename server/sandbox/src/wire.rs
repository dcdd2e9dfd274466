//! Messages between the service, the supervisor and the confined process.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cgroup::RunGroup;
use crate::outcome::Ending;
use crate::policy::Limits;
use crate::run_dir::RunDir;
use crate::usage_meter::Usage;

/// The hidden first argument that makes a process the supervisor of one run.
pub const SUPERVISE: &str = "__sandbox";
/// The hidden first argument that makes a process confine itself and execute the command.
pub const CONFINE: &str = "__sandbox-confine";
/// The hidden first argument that makes a process test its confinement.
pub const SELF_TEST: &str = "__sandbox-self-test";
/// Environment variable with the run's id, by which stray processes of a run are recognised.
pub const RUN_VARIABLE: &str = "SANDBOX_RUN";

/// Sent by the service to the supervisor: the timeout has elapsed.
pub const STOP_TIMED_OUT: u8 = b't';
/// Sent by the service to the supervisor: the run was cancelled.
pub const STOP_CANCELLED: u8 = b'c';
/// Sent by the service to the supervisor: all runs together use too much memory.
pub const STOP_TOO_MUCH_MEMORY: u8 = b'm';

/// From the service to the supervisor: the run to start.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    /// Program and arguments of the process to start, which reads `confinement` from its standard
    /// input.
    pub program: Vec<String>,
    /// Levels of bubblewrap processes below the supervisor. They must not receive SIGTERM, because
    /// they would kill the command at once.
    pub wrapper_depth: u8,
    /// The run's control group, if there is one.
    pub control_group: Option<RunGroup>,
    /// Whether the command gets SIGINT rather than SIGTERM before it is killed.
    pub interrupted_first: bool,
    pub confinement: Confinement,
}

/// From the supervisor to the process that becomes the command.
#[derive(Debug, Serialize, Deserialize)]
pub struct Confinement {
    pub argv: Vec<String>,
    pub worktree: PathBuf,
    /// Relative to the worktree. It had no symbolic links when it was checked.
    pub cwd: PathBuf,
    pub environment: Vec<(String, String)>,
    pub limits: Limits,
    /// Listeners to open. If there are any, a descriptor follows: the socket over which they are
    /// passed to the service, in this order.
    pub listeners: Vec<SocketAddr>,
    pub restrictions: Option<Restrictions>,
}

/// Restrictions that the process applies to itself with Landlock and seccomp.
#[derive(Debug, Serialize, Deserialize)]
pub struct Restrictions {
    pub read: Vec<PathBuf>,
    pub writable: Writable,
    /// Whether Landlock leaves TCP unrestricted.
    pub tcp: bool,
    /// Whether to fail if Landlock is missing or too old.
    pub landlock_required: bool,
    pub sockets: Sockets,
    /// Whether a control group counts all memory, including memory that belongs to no process.
    pub memory_is_counted: bool,
    /// Whether System V and POSIX IPC objects are the host's, and therefore forbidden.
    pub host_ipc: bool,
}

/// The only writable paths of a command: its worktree and the private files of its run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Writable {
    worktree: PathBuf,
    run: RunFiles,
}

/// Where a run keeps its temporary files.
#[derive(Debug, Serialize, Deserialize)]
enum RunFiles {
    /// A directory private to this run.
    InPlace(PathBuf),
    /// `/tmp` and `/dev/shm`, in a mount namespace private to this run.
    InView,
}

impl Writable {
    /// On the host's file system.
    pub fn in_place(worktree: PathBuf, run: &RunDir) -> Self {
        Self { worktree, run: RunFiles::InPlace(run.temporary()) }
    }

    /// In a view that shows the run's directory at `/tmp` and `/dev/shm`.
    pub fn in_view(worktree: PathBuf) -> Self {
        Self { worktree, run: RunFiles::InView }
    }

    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let run = match &self.run {
            RunFiles::InPlace(temporary) => vec![temporary.as_path()],
            RunFiles::InView => vec![Path::new("/tmp"), Path::new("/dev/shm")],
        };
        std::iter::once(self.worktree.as_path()).chain(run)
    }
}

/// Which sockets can be created. Connected local pairs always can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sockets {
    /// None, because they would be in the host's network.
    Closed,
    /// Internet and local sockets, in a private network namespace.
    All,
}

/// From the confined process to the supervisor, just before or instead of executing the command.
#[derive(Debug, Serialize, Deserialize)]
pub enum SetUp {
    Ready { landlock_abi: Option<i32> },
    Failed { reason: String },
    ProgramNotFound,
}

/// From the supervisor to the service: usage while the command runs, then the report.
#[derive(Debug, Serialize, Deserialize)]
pub enum SupervisorMessage {
    Usage(Usage),
    Ended(Report),
}

/// How a run ended, sent after its processes were killed.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    pub ending: Ending,
    pub exit_code: Option<i32>,
    /// `None` if the confined process sent nothing.
    pub set_up: Option<SetUp>,
}

/// Encodes a message as a big-endian `u32` length followed by JSON.
pub fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?;
    Ok([length.to_be_bytes().as_slice(), &body].concat())
}

pub fn send(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&encode(message)?)
}

pub fn receive<T: DeserializeOwned>(mut from: impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize];
    from.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}
