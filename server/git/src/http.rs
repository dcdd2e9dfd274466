//! Cloning, fetching and pushing over HTTP, by way of `git upload-pack` and `git receive-pack`.
//!
//! The caller maps `GET …/info/refs?service=S` to [`Service::parse`] and [`advertise_refs`],
//! `POST …/git-upload-pack` to [`upload_pack`], and `POST …/git-receive-pack`, once it has judged
//! what is asked, to [`receive_pack`], after undoing a gzip `Content-Encoding`.

use std::{
    fs::File,
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

use crate::{
    error::GitError,
    guard,
    push::PushRequest,
    repository,
    wire::{self, FLUSH},
};

/// Content type of the answer of [`upload_pack`].
pub const RESULT: &str = "application/x-git-upload-pack-result";
/// Content type of the answer of [`receive_pack`].
pub const PUSH_RESULT: &str = "application/x-git-receive-pack-result";
/// Bytes of the largest pack that is taken in, once it is unpacked by index.
pub const MOST_PUSHED: u64 = 512 * 1024 * 1024;

/// What `git receive-pack` is told whatever the repository's own settings say: nothing is deleted
/// or forced, what is broken is refused, and no program of anybody's is started.
const RECEIVING: [&str; 10] = [
    "receive.denyDeletes=true",
    "receive.denyNonFastForwards=true",
    "receive.denyCurrentBranch=refuse",
    "receive.fsckObjects=true",
    "receive.autogc=false",
    "receive.updateServerInfo=false",
    "gpg.program=false",
    "receive.advertisePushOptions=false",
    "core.alternateRefsCommand=true",
    "core.fsmonitor=false",
];

/// What a client may ask for.
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

    /// Content type of the answer of [`advertise_refs`] and of [`refusal`].
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

/// The first answer, with status 200, that makes a client stop with this message.
pub fn refusal(service: Service, why: &str) -> Vec<u8> {
    let error = wire::packet(format!("ERR {why}\n").as_bytes());
    [service.announced(), error].concat()
}

/// The first answer to a client. `protocol` is its `Git-Protocol` header; what is not a known
/// version is ignored.
pub async fn advertise_refs(
    path: &Path,
    service: Service,
    protocol: Option<&str>,
) -> Result<Vec<u8>, GitError> {
    let mut command = command(path, service, protocol, &["--advertise-refs"])?;
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .await
        .map_err(GitError::io(format!("run git {}", service.program())))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(GitError::Program { name: service.program(), said });
    }
    Ok([service.announced(), output.stdout].concat())
}

/// Takes in a push whose every reference was found allowed; gives the answer's body. `body` is the
/// whole request, read from its beginning. Objects come in only together with the references, and
/// each of these moves only forward and only from where the client saw it.
///
/// It is not ended in the midst of its work, which would leave locks behind: let it come to its end.
pub async fn receive_pack(
    path: &Path,
    protocol: Option<&str>,
    request: &PushRequest,
    body: File,
) -> Result<Vec<u8>, GitError> {
    let hosted = repository::open(path)?;
    for update in &request.updates {
        match update.build_branch() {
            Some(build) => guard::check(&hosted, &build)?,
            None => repository::direct(&hosted, &update.name).map(drop)?,
        }
    }
    drop(hosted);
    let mut command = command(path, Service::ReceivePack, protocol, &[])?;
    let output = command
        .stdin(body)
        .stderr(Stdio::piped())
        .kill_on_drop(false)
        .output()
        .await
        .map_err(GitError::io("run git receive-pack"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        tracing::warn!(said, "a push failed");
    }
    Ok(output.stdout)
}

/// Answers one request. Dropping the answer ends the process.
pub fn upload_pack(
    path: &Path,
    protocol: Option<&str>,
    mut body: impl AsyncRead + Send + Unpin + 'static,
) -> Result<UploadPack, GitError> {
    let mut child = command(path, Service::UploadPack, protocol, &[])?
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(GitError::io("run git upload-pack"))?;
    let name = Service::UploadPack.program();
    let lost = || GitError::Program { name, said: "its streams are gone".to_owned() };
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

fn command(
    path: &Path,
    service: Service,
    protocol: Option<&str>,
    flags: &[&str],
) -> Result<Command, GitError> {
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
        .env("GIT_NO_LAZY_FETCH", "1")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"])
        .args(["-c", "transfer.hideRefs=refs/forge"]);
    match service {
        Service::UploadPack => {
            command.args(["-c", "uploadpack.allowFilter=true", "upload-pack", "--strict"]);
        }
        Service::ReceivePack => {
            command.args(RECEIVING.iter().flat_map(|setting| ["-c", setting]));
            command.args(["-c", &format!("receive.maxInputSize={MOST_PUSHED}"), "receive-pack"]);
        }
    }
    command.arg("--stateless-rpc").args(flags).arg(path).stdout(Stdio::piped()).kill_on_drop(true);
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
