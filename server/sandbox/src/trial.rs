//! Trying the walls from inside, for the probe.

use std::fs;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

const CONNECT_PATIENCE: Duration = Duration::from_secs(1);

/// What to try.
#[derive(Debug, Serialize, Deserialize)]
pub struct Trial {
    /// A file to be read and overwritten, which must not succeed.
    pub secret: PathBuf,
    /// A listener of the host, which must not be reached.
    pub listener: SocketAddr,
}

/// What came of it. Only the first may be true behind walls.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    pub wrote_inside: bool,
    pub read_outside: bool,
    pub wrote_outside: bool,
    pub connected: bool,
}

/// Tries everything in `trial`, a JSON text, and prints the findings as JSON.
pub fn attempt(trial: &str) -> i32 {
    let Ok(trial) = serde_json::from_str::<Trial>(trial) else { return 125 };
    let findings = Findings {
        wrote_inside: fs::write("written", "by the trial").is_ok(),
        read_outside: fs::read(&trial.secret).is_ok(),
        wrote_outside: overwrite(&trial.secret),
        connected: TcpStream::connect_timeout(&trial.listener, CONNECT_PATIENCE).is_ok(),
    };
    let Ok(text) = serde_json::to_string(&findings) else { return 125 };
    if std::io::stdout().write_all(text.as_bytes()).is_ok() { 0 } else { 125 }
}

/// A file of the same name in a view of one's own does no harm; its being there does not count.
fn overwrite(path: &Path) -> bool {
    fs::OpenOptions::new().write(true).open(path).is_ok()
}
