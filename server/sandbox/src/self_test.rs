//! Attempts to break out of the sandbox from inside, for the probe.

use std::fs;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Targets that must be out of reach.
#[derive(Debug, Serialize, Deserialize)]
pub struct SelfTest {
    /// A file that must be neither readable nor writable.
    pub secret: PathBuf,
    /// A listener of the host, to which connecting must fail.
    pub listener: SocketAddr,
}

/// Which attempts succeeded. Only `wrote_inside` is true if the confinement holds.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfTestResult {
    pub wrote_inside: bool,
    pub read_outside: bool,
    pub wrote_outside: bool,
    pub connected: bool,
}

/// Runs the self-test given as JSON and prints a [`SelfTestResult`] as JSON. Returns the exit code.
pub fn run_self_test(json: &str) -> i32 {
    let Ok(test) = serde_json::from_str::<SelfTest>(json) else { return 125 };
    let result = SelfTestResult {
        wrote_inside: fs::write("written", "by the self-test").is_ok(),
        read_outside: fs::read(&test.secret).is_ok(),
        wrote_outside: can_open_for_writing(&test.secret),
        connected: TcpStream::connect_timeout(&test.listener, CONNECT_TIMEOUT).is_ok(),
    };
    let Ok(text) = serde_json::to_string(&result) else { return 125 };
    if std::io::stdout().write_all(text.as_bytes()).is_ok() { 0 } else { 125 }
}

/// Does not create the file: one of the same name in a private view would be harmless.
fn can_open_for_writing(path: &Path) -> bool {
    fs::OpenOptions::new().write(true).open(path).is_ok()
}
