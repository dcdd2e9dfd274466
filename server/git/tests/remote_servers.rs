//! Git servers for tests: `git http-backend` behind a small HTTP server, and `sshd`.

#![allow(clippy::disallowed_methods, reason = "the servers are programs")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use git::remote::{KeyPair, generate_key};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// `ada:tok-1` in Base64.
const LOGIN: &str = "Basic YWRhOnRvay0x";

/// Serves the repositories in a folder to `ada` with the token `tok-1`, through `git http-backend`.
pub async fn http_server(root: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, root.clone()));
        }
    });
    address
}

/// One request of a connection.
async fn answer(stream: TcpStream, root: PathBuf) {
    let Some(request) = Request::read(stream).await else { return };
    let Request { mut stream, method, path, query, headers, body } = request;
    let header = |name: &str| {
        headers.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str())
    };
    if header("authorization") != LOGIN {
        let refused = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\n\
            Content-Length: 0\r\nConnection: close\r\n\r\n";
        let _ = stream.write_all(refused.as_bytes()).await;
        return;
    }
    let mut backend = tokio::process::Command::new("git");
    backend
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REMOTE_USER", "ada")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", header("content-type"))
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut backend = backend.spawn().unwrap();
    backend.stdin.take().unwrap().write_all(&body).await.unwrap();
    let output = backend.wait_with_output().await.unwrap().stdout;
    let text = String::from_utf8_lossy(&output);
    let status = text.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    let start = format!("HTTP/1.1 {status}\r\nConnection: close\r\n");
    let _ = stream.write_all(start.as_bytes()).await;
    let _ = stream.write_all(&output).await;
}

pub struct Request {
    pub stream: TcpStream,
    method: String,
    path: String,
    query: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub async fn read(stream: TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).await.ok()?;
        let mut words = line.split_whitespace();
        let (method, target) = (words.next()?.to_owned(), words.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (path, query) = (path.to_owned(), query.to_owned());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).await.ok()?;
            let Some((name, value)) = line.trim().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length: usize = length.map_or(Some(0), |(_, value)| value.parse().ok())?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body).await.ok()?;
        Some(Self { stream: reader.into_inner(), method, path, query, headers, body })
    }
}

/// `sshd` on a free port, for one key that may only read and write repositories in a folder.
pub struct Sshd {
    pub port: u16,
    process: std::process::Child,
    folder: TempDir,
}

impl Sshd {
    pub async fn start(key: &KeyPair) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let host = generate_key("host").await.unwrap();
        fs::write(path("host"), &host.private_key).unwrap();
        fs::set_permissions(path("host"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .unwrap();
        fs::write(path("authorized"), &key.public_key).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        fs::create_dir_all("/run/sshd").ok();
        let program =
            ["/usr/sbin/sshd", "/usr/bin/sshd"].into_iter().find(|p| Path::new(p).exists());
        let program = program.expect("sshd is installed: scripts/need-for-tests");
        let process = Command::new(program)
            .args(["-D", "-e", "-f", "/dev/null", "-p", &port.to_string()])
            .args(["-o", "ListenAddress=127.0.0.1", "-o", "StrictModes=no", "-o", "PidFile=none"])
            .args(["-o", "UsePAM=no", "-o", "PermitRootLogin=prohibit-password"])
            .args(["-o", &format!("HostKey={}", path("host").display())])
            .args(["-o", &format!("AuthorizedKeysFile={}", path("authorized").display())])
            .stderr(fs::File::create(path("log")).unwrap())
            .spawn()
            .unwrap();
        let sshd = Self { port, process, folder };
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::task::yield_now().await;
        }
        sshd
    }

    pub fn url(&self, repository: &Path) -> String {
        let user = String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout);
        format!("ssh://{}@127.0.0.1:{}{}", user.unwrap().trim(), self.port, repository.display())
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
