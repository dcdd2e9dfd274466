//! The program as a process of its own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

use crate::{Result, account::Account};

/// The program, built in the profile of this one.
pub async fn build() -> Result<PathBuf> {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    let built = Command::from(support::cargo())
        .args(["build", "--quiet", "-p", "forgeguard"])
        .args(profile)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .status()
        .await?;
    if !built.success() {
        return Err("the program could not be built".into());
    }
    let own = std::env::current_exe()?;
    let folder = own.parent().ok_or("this program lies nowhere")?;
    Ok(folder.join("forgeguard"))
}

/// A server process.
pub struct Running {
    child: Child,
    /// Host and port.
    pub address: String,
    /// From the start of the process to the first answered request.
    pub took: Duration,
}

impl Running {
    /// Starts the server on a data directory and waits until it answers.
    pub async fn start(program: &Path, data: &Path, role: &str) -> Result<Self> {
        Self::start_with(Command::new(program), data, role).await
    }

    /// The same with a command that has something set already.
    pub async fn start_with(mut command: Command, data: &Path, role: &str) -> Result<Self> {
        let begun = Instant::now();
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--role", role])
            .arg("--data-dir")
            .arg(data)
            .env("FORGEGUARD_ADMIN_EMAIL", Account::EMAIL)
            .env("FORGEGUARD_ADMIN_PASSWORD", Account::PASSWORD)
            .env("FORGEGUARD_MAX_CONNECTIONS_PER_ADDRESS", "4096")
            .env("FORGEGUARD_LOG", "warn")
            .env("FORGEGUARD_DEMO_PACE", "0")
            .env_remove("DATABASE_URL")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child.stdout.take().ok_or("the server has no output")?;
        let mut lines = BufReader::new(stdout).lines();
        let line = lines.next_line().await?.ok_or("the server ended before it listened")?;
        let said: Value = serde_json::from_str(&line)?;
        let address = said["address"].as_str().and_then(|url| url.strip_prefix("http://"));
        let address = address.ok_or("the first line has no address")?.to_owned();
        let client = support::http_client().build()?;
        client.get(format!("http://{address}/healthz")).send().await?.error_for_status()?;
        Ok(Self { child, address, took: begun.elapsed() })
    }

    /// Memory that the process holds, in KiB.
    pub fn resident_kib(&self) -> Result<u64> {
        let id = self.child.id().ok_or("the server has ended")?;
        let status = fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
        Ok(number.ok_or("the system does not tell the memory of a process")?.parse()?)
    }

    /// Ends it as a supervisor would, and waits for its end.
    pub async fn stop(mut self) -> Result<()> {
        let id = self.child.id().ok_or("the server has ended")?;
        let asked = Command::new("kill").arg("-TERM").arg(id.to_string()).status().await?;
        let ended = self.child.wait().await?;
        if asked.success() && ended.success() {
            return Ok(());
        }
        Err(format!("the server did not end well: {ended}").into())
    }
}
