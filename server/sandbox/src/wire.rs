//! What the service, the supervisor and the confined process tell each other.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::outcome::Ending;
use crate::policy::Limits;

/// The hidden first argument that makes a process the supervisor of one run.
pub const SUPERVISE: &str = "__sandbox";
/// The hidden first argument that makes a process put up the walls and become the command.
pub const CONFINE: &str = "__sandbox-confine";
/// The hidden first argument that makes a process try the walls from inside.
pub const TRY: &str = "__sandbox-try";
/// Set for every process of a run to the run's id, so that stray ones can be told.
pub const RUN_VARIABLE: &str = "SANDBOX_RUN";

/// A byte from service to supervisor: time is up.
pub const STOP_TIMED_OUT: u8 = b't';
/// A byte from service to supervisor: not wanted any more.
pub const STOP_CANCELLED: u8 = b'c';

/// Service to supervisor: one run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    /// The process to start; it will read `confinement`.
    pub inner: Vec<String>,
    /// How many generations below the supervisor are bubblewrap's own and not to be asked to
    /// end, since they would take the command with them at once.
    pub wrapper_depth: u8,
    pub confinement: Confinement,
}

/// Supervisor to the process that becomes the command.
#[derive(Debug, Serialize, Deserialize)]
pub struct Confinement {
    pub argv: Vec<String>,
    pub cwd: PathBuf,
    pub environment: Vec<(String, String)>,
    pub limits: Limits,
    pub walls: Option<Walls>,
}

/// What the process shuts itself in with.
#[derive(Debug, Serialize, Deserialize)]
pub struct Walls {
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    /// Whether TCP stays open as far as Landlock is concerned.
    pub tcp: bool,
    /// Whether to refuse to go on where Landlock is missing or too old.
    pub landlock_required: bool,
    pub sockets: Sockets,
    /// Whether the kernel's shared objects are the host's and so out of bounds.
    pub host_ipc: bool,
}

/// Which sockets can be made; pairs of connected local ones always can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sockets {
    /// None: they would be the host's.
    Closed,
    /// Internet, but no local ones: the host's daemons listen there.
    Internet,
    /// Internet and local, in namespaces of their own or on purpose.
    All,
}

/// Confined process to supervisor, just before it becomes the command, or instead.
#[derive(Debug, Serialize, Deserialize)]
pub enum SetUp {
    Ready { landlock_abi: Option<i32> },
    Failed { reason: String },
    ProgramNotFound,
}

/// Supervisor to service, once all is over.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    pub ending: Ending,
    pub exit_code: Option<i32>,
    /// `None` when the walls never stood.
    pub set_up: Option<SetUp>,
}

/// A message as its length in four bytes and JSON.
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
