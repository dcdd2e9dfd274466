//! The program in a separate process, which can be killed and restarted on its data.

use std::{
    fs::{self, File},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::harness::{ADMIN, ApiResponse, PASSWORD, binary, send, text};

/// Longer than a start or stop takes on a busy machine.
const PROCESS_TIMEOUT: Duration = Duration::from_secs(60);

/// A file system of this size for the data directory, visible only to the server and its commands.
/// It is removed with the process.
#[derive(Clone, Copy)]
pub struct SmallDisk {
    pub mebibytes: u32,
}

/// A server on its own data directory, and its signed-in administrator.
pub struct ServerProcess {
    folder: TempDir,
    settings: Vec<(String, String)>,
    disk: Option<SmallDisk>,
    child: Child,
    address: String,
    token: String,
    client: reqwest::Client,
}

/// Another node on the data of a server.
pub struct NodeProcess {
    folder: PathBuf,
    settings: Vec<(String, String)>,
    child: Child,
}

impl ServerProcess {
    /// Starts on an empty data directory. `settings` are environment variables.
    pub async fn start(settings: &[(&str, &str)]) -> Self {
        let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
        Self::start_in(folder, settings).await
    }

    /// Starts on the data directory `data` of this folder.
    pub async fn start_in(folder: TempDir, settings: &[(&str, &str)]) -> Self {
        Self::start_on(folder, settings, None).await
    }

    /// The same with the data directory on a separate disk.
    pub async fn start_on(
        folder: TempDir,
        settings: &[(&str, &str)],
        disk: Option<SmallDisk>,
    ) -> Self {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let settings: Vec<_> = settings.iter().map(own).collect();
        let (child, address) = launch(folder.path(), &settings, disk).await;
        let client = support::http_client().build().expect("a client");
        let token = String::new();
        let mut server = Self { folder, settings, disk, child, address, token, client };
        let account = json!({ "email": ADMIN, "password": PASSWORD });
        let session = server.post("/api/session", account).await;
        server.token = text(&session["access_token"]);
        server
    }

    /// The output of a start that must fail, on an empty data directory.
    pub async fn fail_to_start(settings: &[(&str, &str)]) -> String {
        let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
        let mut command = Command::new(binary());
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
        command.arg(folder.path()).envs(settings.iter().copied()).stdin(Stdio::null());
        let output = timeout(PROCESS_TIMEOUT, command.kill_on_drop(true).output()).await;
        let output = output.expect("it ends in time").expect("the program starts");
        assert!(!output.status.success(), "it has started");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Kills the process, as a power failure would.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    /// Restarts on the data of the last process.
    pub async fn restart(&mut self) {
        (self.child, self.address) = launch(self.folder.path(), &self.settings, self.disk).await;
    }

    /// Starts another node on the same data.
    pub async fn start_node(&self, node: &str) -> NodeProcess {
        let mut settings = self.settings.clone();
        settings.push(("FORGEGUARD_NODE".to_owned(), node.to_owned()));
        let folder = self.folder.path().to_owned();
        let (child, _) = launch(&folder, &settings, None).await;
        NodeProcess { folder, settings, child }
    }

    /// Starts another node on the same data, then kills this one.
    pub async fn fail_over_to(&mut self, node: &str) {
        self.settings.push(("FORGEGUARD_NODE".to_owned(), node.to_owned()));
        let (child, address) = launch(self.folder.path(), &self.settings, self.disk).await;
        self.kill().await;
        (self.child, self.address) = (child, address);
    }

    /// Requests a stop.
    pub fn request_stop(&self) {
        request_stop(self.pid());
    }

    /// Waits for the end of the process.
    pub async fn ended(&mut self) -> ExitStatus {
        let ended = timeout(PROCESS_TIMEOUT, self.child.wait()).await;
        ended
            .unwrap_or_else(|_| panic!("it does not end:\n{}", self.log()))
            .expect("it has a status")
    }

    /// Stops the server and asserts that it exits successfully.
    pub async fn stop(mut self) {
        self.request_stop();
        let status = self.ended().await;
        assert!(status.success(), "{status}:\n{}", self.log());
    }

    /// The data directory.
    pub fn data(&self) -> PathBuf {
        let data = self.folder.path().join("data");
        match (self.disk, self.pid()) {
            (Some(_), Some(pid)) => {
                let seen = data.strip_prefix("/").expect("temporary folders are absolute");
                Path::new("/proc").join(pid.to_string()).join("root").join(seen)
            }
            _ => data,
        }
    }

    /// Git in the hosted repository of a project.
    pub fn git(&self, project: &str) -> std::process::Command {
        let repository = self.folder.path().join(format!("data/repos/{project}.git"));
        let mut command = match (self.disk, self.pid()) {
            (Some(_), Some(pid)) => {
                let mut enter = std::process::Command::new("nsenter");
                enter.args(if is_root() { &[][..] } else { &["--user", "--preserve-credentials"] });
                enter.args(["--mount", "--target", &pid.to_string(), "--", "git"]);
                enter
            }
            _ => std::process::Command::new("git"),
        };
        command.arg("-C").arg(repository);
        command
    }

    /// The whole log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The process id, unless the process has ended.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Resident memory in KiB.
    pub fn resident_kib(&self) -> u64 {
        let pid = self.pid().expect("it runs");
        let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB")).expect("a size");
        number.parse().expect("a number")
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The administrator's access token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The response to a GET, which must succeed.
    pub async fn get(&self, path: &str) -> Value {
        self.succeed(self.client.get(self.url(path))).await
    }

    /// The same for a response that is not JSON.
    pub async fn get_text(&self, path: &str) -> String {
        let answer = send(self.client.get(self.url(path)).bearer_auth(&self.token)).await;
        assert!(answer.status.is_success(), "{}: {}", answer.status, answer.text);
        answer.text
    }

    /// The response to a POST, which must succeed.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        self.succeed(self.client.post(self.url(path)).json(&body)).await
    }

    /// The response to a PUT, which must succeed.
    pub async fn put(&self, path: &str, body: Value) -> Value {
        self.succeed(self.client.put(self.url(path)).json(&body)).await
    }

    /// The response to any request, whether or not it succeeds.
    pub async fn request(&self, method: Method, path: &str, body: Option<Value>) -> ApiResponse {
        let request = self.client.request(method, self.url(path)).bearer_auth(&self.token);
        send(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
    }

    /// A response whose body is still being read.
    pub async fn stream(&self, path: &str, accept: &str) -> reqwest::Response {
        let request = self.client.get(self.url(path)).bearer_auth(&self.token);
        let answer = request.header("accept", accept).send().await.expect("the server answers");
        answer.error_for_status().expect("the stream opens")
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn succeed(&self, request: reqwest::RequestBuilder) -> Value {
        let answer = send(request.bearer_auth(&self.token)).await;
        assert!(answer.status.is_success(), "{}: {}\n{}", answer.status, answer.text, self.log());
        answer.json()
    }
}

impl NodeProcess {
    /// Kills the process, and starts another one with the same name.
    pub async fn kill_and_restart(&mut self) {
        self.child.kill().await.expect("it can be killed");
        (self.child, _) = launch(&self.folder, &self.settings, None).await;
    }

    pub async fn stop(mut self) {
        request_stop(self.child.id());
        let ended = timeout(PROCESS_TIMEOUT, self.child.wait()).await.expect("it ends in time");
        assert!(ended.expect("a status").success(), "it has failed");
    }
}

/// Sends a request to stop to a process.
fn request_stop(pid: Option<u32>) {
    let pid = pid.expect("it runs").to_string();
    let sent = std::process::Command::new("kill").args(["-TERM", &pid]).status();
    assert!(sent.is_ok_and(|status| status.success()), "it can be sent");
}

/// Starts the program and waits until it prints its address.
async fn launch(
    folder: &Path,
    settings: &[(String, String)],
    disk: Option<SmallDisk>,
) -> (Child, String) {
    let path = folder.join("log");
    let log = File::options().create(true).append(true).open(&path).expect("a file to log to");
    let data = folder.join("data");
    let mut child = match disk {
        Some(disk) => on_disk(disk, &data),
        None => Command::new(binary()),
    }
    .args(["serve", "--log-format", "json", "--listen", "127.0.0.1:0", "--data-dir"])
    .arg(&data)
    .env_remove("DATABASE_URL")
    .env("FORGEGUARD_ADMIN_EMAIL", ADMIN)
    .env("FORGEGUARD_ADMIN_PASSWORD", PASSWORD)
    .env("FORGEGUARD_DEMO_PACE", "25")
    .envs(settings.iter().cloned())
    .current_dir(folder)
    .stdin(Stdio::null())
    .stdout(Stdio::piped())
    .stderr(log)
    .kill_on_drop(true)
    .spawn()
    .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it has an output")).lines();
    let line = timeout(PROCESS_TIMEOUT, lines.next_line()).await.expect("it listens in time");
    let Some(announcement) = line.expect("its output can be read") else {
        panic!("it does not start:\n{}", fs::read_to_string(path).unwrap_or_default());
    };
    let announcement: Value = serde_json::from_str(&announcement).expect("the line is JSON");
    let address = text(&announcement["address"]);
    (child, address.trim_start_matches("http://").to_owned())
}

/// The program in its own mount namespace, with a small disk for its data.
fn on_disk(SmallDisk { mebibytes }: SmallDisk, data: &Path) -> Command {
    const MOUNT: &str = r#"mount -t tmpfs -o "size=$1m" tmpfs "$2"; shift 2; exec "$@""#;
    fs::create_dir_all(data).expect("a place for the disk");
    let mut command = Command::new("unshare");
    command.args(if is_root() {
        &["--mount"][..]
    } else {
        &["--user", "--map-root-user", "--mount"]
    });
    command.args(["--", "sh", "-euc", MOUNT, "sh", &mebibytes.to_string()]).arg(data).arg(binary());
    command
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}
