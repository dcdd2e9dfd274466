//! Cloning and fetching over HTTP, by way of `git upload-pack`. Pushing is refused.
//!
//! The caller maps `GET …/info/refs?service=S` to [`Service::parse`] and [`advertise_refs`], and
//! `POST …/git-upload-pack` to [`upload_pack`], after undoing a gzip `Content-Encoding`.

use std::{
    path::Path,
    pin::Pin,
    process::Stdio,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWriteExt, ReadBuf},
    process::{Child, ChildStdout, Command},
    task::JoinHandle,
};

use crate::{error::GitError, repository};

/// Content type of the answer of [`advertise_refs`].
pub const ADVERTISEMENT: &str = "application/x-git-upload-pack-advertisement";
/// Content type of the answer of [`upload_pack`].
pub const RESULT: &str = "application/x-git-upload-pack-result";
/// Content type of [`push_refusal`].
pub const PUSH_ADVERTISEMENT: &str = "application/x-git-receive-pack-advertisement";

/// What a client may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// Clone and fetch.
    UploadPack,
}

impl Service {
    /// Reads the `service` parameter. [`GitError::PushRefused`] for a push: answer it with
    /// [`push_refusal`], so that the git client shows why.
    pub fn parse(name: &str) -> Result<Self, GitError> {
        match name {
            "git-upload-pack" => Ok(Service::UploadPack),
            "git-receive-pack" => Err(GitError::PushRefused),
            other => Err(GitError::UnknownService(other.chars().take(40).collect())),
        }
    }
}

/// The body, with status 200, that makes a pushing client stop with our message.
pub fn push_refusal() -> Vec<u8> {
    let mut body = packet("# service=git-receive-pack\n");
    body.extend_from_slice(b"0000");
    body.extend_from_slice(&packet(&format!("ERR {}\n", GitError::PushRefused)));
    body
}

/// The first answer to a client. `protocol` is its `Git-Protocol` header; what is not a known
/// version is ignored.
pub async fn advertise_refs(path: &Path, protocol: Option<&str>) -> Result<Vec<u8>, GitError> {
    let mut command = command(path, protocol, &["--advertise-refs"])?;
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .await
        .map_err(GitError::io("run git upload-pack"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(GitError::UploadPack(said));
    }
    let mut body = packet("# service=git-upload-pack\n");
    body.extend_from_slice(b"0000");
    body.extend_from_slice(&output.stdout);
    Ok(body)
}

/// Answers one request. Dropping the answer ends the process.
pub fn upload_pack(
    path: &Path,
    protocol: Option<&str>,
    mut body: impl AsyncRead + Send + Unpin + 'static,
) -> Result<UploadPack, GitError> {
    let mut child = command(path, protocol, &[])?
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(GitError::io("run git upload-pack"))?;
    let lost = || GitError::UploadPack("its streams are gone".to_owned());
    let mut input = child.stdin.take().ok_or_else(lost)?;
    let output = child.stdout.take().ok_or_else(lost)?;
    let feeding = tokio::spawn(async move {
        // A client that stops reading or sending ends the process either way.
        if let Err(error) = tokio::io::copy(&mut body, &mut input).await {
            tracing::debug!(%error, "request body of a fetch ended early");
        }
        let _ = input.shutdown().await;
    });
    Ok(UploadPack { output, feeding, _child: child })
}

/// The answer of `git upload-pack` as it comes.
#[derive(Debug)]
pub struct UploadPack {
    output: ChildStdout,
    feeding: JoinHandle<()>,
    /// Killed on drop.
    _child: Child,
}

impl AsyncRead for UploadPack {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.output).poll_read(context, buffer)
    }
}

impl Drop for UploadPack {
    fn drop(&mut self) {
        self.feeding.abort();
    }
}

fn command(path: &Path, protocol: Option<&str>, flags: &[&str]) -> Result<Command, GitError> {
    repository::open(path)?;
    let mut command = Command::new("git");
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"])
        .args(["-c", "uploadpack.allowFilter=true", "-c", "transfer.hideRefs=refs/forge"])
        .args(["upload-pack", "--strict", "--stateless-rpc"])
        .args(flags)
        .arg(path)
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    if let Some(version) = protocol.and_then(version) {
        command.env("GIT_PROTOCOL", version);
    }
    Ok(command)
}

fn version(header: &str) -> Option<&'static str> {
    header.split(':').find_map(|part| match part.trim() {
        "version=1" => Some("version=1"),
        "version=2" => Some("version=2"),
        _ => None,
    })
}

/// Git's framing: four hex digits of length, themselves counted, and the text.
fn packet(text: &str) -> Vec<u8> {
    format!("{:04x}{text}", text.len() + 4).into_bytes()
}
