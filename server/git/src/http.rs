//! Smart HTTP: clone, fetch and push through `git upload-pack` and `git receive-pack`.
//!
//! The caller maps `GET …/info/refs?service=S` to [`Service::parse`] and [`advertise_refs`], `POST
//! …/git-upload-pack` to [`upload_pack`], and `POST …/git-receive-pack`, after authorising the
//! commands, to [`receive_pack`], and decompresses gzip bodies.
//!
//! `git` runs with limits on memory, CPU time and file sizes.

use std::{
    io,
    path::Path,
    pin::Pin,
    process::Stdio,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncSeek, AsyncSeekExt, AsyncWriteExt, ReadBuf},
    process::{Child, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
};

use crate::{
    error::GitError,
    guard,
    pack::PackSize,
    program::{self, MEMORY_SETTINGS},
    push::PushRequest,
    repository,
    wire::{self, FLUSH},
};

/// Content type of the response of [`upload_pack`].
pub const RESULT: &str = "application/x-git-upload-pack-result";
/// Content type of the response of [`receive_pack`].
pub const PUSH_RESULT: &str = "application/x-git-receive-pack-result";

/// A pack is written as received, plus missing delta bases.
const MAX_FILE_TO_PUSH_RATIO: u64 = 4;
/// Larger pushes are stored as packs. Smaller ones with few objects are unpacked to loose objects,
/// so that many small pushes do not create many packs.
const MAX_LOOSE_PUSH_SIZE: u64 = 64 * MIB;
const MIB: u64 = 1024 * 1024;
/// A repack removes each folder once, so one more attempt almost always succeeds.
const MAX_ATTEMPTS: u32 = 5;

/// Overrides of the repository's settings for `git receive-pack`: no deletions or forced updates,
/// objects are checked, and no configured programs run.
const RECEIVE_SETTINGS: [&str; 10] = [
    "receive.denyDeletes=true",
    "receive.denyCurrentBranch=refuse",
    "receive.fsckObjects=true",
    "receive.autogc=false",
    "receive.updateServerInfo=false",
    "gpg.program=false",
    "receive.advertisePushOptions=false",
    "core.alternateRefsCommand=true",
    "core.fsmonitor=false",
    "core.maxTreeDepth=256",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// Clone and fetch.
    UploadPack,
    /// Push.
    ReceivePack,
}

impl Service {
    /// Reads the `service` parameter.
    pub fn parse(name: &str) -> Result<Self, GitError> {
        match name {
            "git-upload-pack" => Ok(Service::UploadPack),
            "git-receive-pack" => Ok(Service::ReceivePack),
            other => Err(GitError::UnknownService(other.chars().take(40).collect())),
        }
    }

    /// Content type of the responses of [`advertise_refs`] and [`refusal`].
    pub fn advertisement(self) -> &'static str {
        match self {
            Service::UploadPack => "application/x-git-upload-pack-advertisement",
            Service::ReceivePack => "application/x-git-receive-pack-advertisement",
        }
    }

    fn program(self) -> &'static str {
        match self {
            Service::UploadPack => "upload-pack",
            Service::ReceivePack => "receive-pack",
        }
    }

    fn announced(self) -> Vec<u8> {
        let name = format!("# service=git-{}\n", self.program());
        [wire::packet(name.as_bytes()).as_slice(), FLUSH].concat()
    }
}

/// A response to the first request, with status 200, that makes the client fail with this message.
pub fn refusal(service: Service, why: &str) -> Vec<u8> {
    let error = wire::packet(format!("ERR {why}\n").as_bytes());
    [service.announced(), error].concat()
}

/// The response to the first request. `protocol` is the `Git-Protocol` header; unknown versions are
/// ignored. `hidden` is a reference that a client which pushes does not see.
pub async fn advertise_refs(
    path: &Path,
    service: Service,
    protocol: Option<&str>,
    hidden: Option<&str>,
) -> Result<Vec<u8>, GitError> {
    let settings: Vec<String> =
        hidden.map(|reference| format!("receive.hideRefs={reference}")).into_iter().collect();
    let mut command = command(path, service, protocol, &settings)?;
    let output = command
        .arg("--advertise-refs")
        .arg(path)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .await
        .map_err(GitError::io(format!("run git {}", service.program())))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(GitError::Program { name: service.program(), stderr });
    }
    Ok([service.announced(), output.stdout].concat())
}

/// Applies a push whose updates were authorised and whose pack was measured, and returns the
/// response body. `body` is the rest of the request, at most `max_size` bytes. Objects and
/// references are updated together; each reference moves only forward, and only from the commit
/// that the client saw, unless the request replaces the first commit.
///
/// Repeated if git could not store the objects: a concurrent repack removes a folder of loose objects
/// that it emptied, perhaps just before this push moves one there, and git then rejects all updates.
///
/// Must not be cancelled, because killing git would leave lock files.
pub async fn receive_pack(
    path: &Path,
    protocol: Option<&str>,
    request: &PushRequest,
    pack: PackSize,
    max_size: u64,
    mut body: impl AsyncRead + AsyncSeek + Unpin,
) -> Result<Vec<u8>, GitError> {
    let hosted = repository::open(path)?;
    for update in &request.updates {
        match update.build_branch() {
            Some(build) => guard::check(&hosted, &build)?,
            None => repository::direct(&hosted, &update.name).map(drop)?,
        }
    }
    drop(hosted);
    let failed = || GitError::io("read a push");
    let start = body.stream_position().await.map_err(failed())?;
    for _ in 1..MAX_ATTEMPTS {
        let answer = run_receive_pack(path, protocol, request, pack, max_size, &mut body).await?;
        if !request.is_not_stored(&answer) {
            return Ok(answer);
        }
        tracing::info!(path = %path.display(), "git could not store the objects of a push");
        body.seek(io::SeekFrom::Start(start)).await.map_err(failed())?;
    }
    run_receive_pack(path, protocol, request, pack, max_size, &mut body).await
}

async fn run_receive_pack(
    path: &Path,
    protocol: Option<&str>,
    request: &PushRequest,
    pack: PackSize,
    max_size: u64,
    body: impl AsyncRead + Unpin,
) -> Result<Vec<u8>, GitError> {
    let unpack_limit = if pack.expanded > MAX_LOOSE_PUSH_SIZE { 1 } else { 100 };
    let settings = [
        format!("receive.maxInputSize={max_size}"),
        format!("receive.unpackLimit={unpack_limit}"),
        format!("receive.denyNonFastForwards={}", !request.replaces_first_commit()),
    ];
    let mut command = command(path, Service::ReceivePack, protocol, &settings)?;
    let failed = || GitError::io("run git receive-pack");
    let mut child = command
        .arg(path)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(false)
        .spawn()
        .map_err(failed())?;
    let body = AsyncReadExt::chain(io::Cursor::new(request.encode()), body);
    let max_file_size = max_size.saturating_mul(MAX_FILE_TO_PUSH_RATIO);
    let feeding = limited(&mut child, Some(max_file_size)).map(|input| feed(input, body));
    let feeding = feeding.map_err(failed())?;
    let (output, ()) = tokio::join!(child.wait_with_output(), feeding);
    let output = output.map_err(failed())?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        tracing::warn!(stderr, "a push failed");
    }
    Ok(output.stdout)
}

/// Handles one request. Dropping the response kills the process.
pub fn upload_pack(
    path: &Path,
    protocol: Option<&str>,
    body: impl AsyncRead + Send + Unpin + 'static,
) -> Result<UploadPack, GitError> {
    let failed = || GitError::io("run git upload-pack");
    let mut child = command(path, Service::UploadPack, protocol, &[])?
        .arg(path)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed())?;
    let input = limited(&mut child, None).map_err(failed())?;
    let output = child.stdout.take().ok_or_else(no_stream).map_err(failed())?;
    Ok(UploadPack { output, feeding: tokio::spawn(feed(input, body)), _child: child })
}

/// Sets resource limits for the process and its children, and returns its standard input.
fn limited(child: &mut Child, max_file_size: Option<u64>) -> io::Result<ChildStdin> {
    program::limit_resources(child, max_file_size)?;
    child.stdin.take().ok_or_else(no_stream)
}

async fn feed(mut input: ChildStdin, mut body: impl AsyncRead + Unpin) {
    // A process that stops reading has responded or exited.
    if let Err(error) = tokio::io::copy(&mut body, &mut input).await {
        tracing::debug!(%error, "git did not read all of a request");
    }
    let _ = input.shutdown().await;
}

fn no_stream() -> io::Error {
    io::Error::other("its streams are gone")
}

/// The streamed response of `git upload-pack`.
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
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.output).poll_read(context, buffer)
    }
}

impl Drop for UploadPack {
    fn drop(&mut self) {
        self.feeding.abort();
    }
}

fn command(
    path: &Path,
    service: Service,
    protocol: Option<&str>,
    settings: &[String],
) -> Result<Command, GitError> {
    repository::open(path)?;
    let mut command = Command::from(program::command());
    command
        .env("GIT_NO_LAZY_FETCH", "1")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"])
        .args(["-c", "transfer.hideRefs=refs/forge"])
        .args(MEMORY_SETTINGS.iter().flat_map(|setting| ["-c", setting]))
        .args(settings.iter().flat_map(|setting| ["-c", setting]));
    match service {
        Service::UploadPack => {
            command.args(["-c", "uploadpack.allowFilter=true", "upload-pack", "--strict"]);
        }
        Service::ReceivePack => {
            command
                .args(RECEIVE_SETTINGS.iter().flat_map(|setting| ["-c", setting]))
                .arg("receive-pack");
        }
    }
    command.arg("--stateless-rpc").stdout(Stdio::piped()).kill_on_drop(true);
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
