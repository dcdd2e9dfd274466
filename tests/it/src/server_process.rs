//! The real program as a process of its own, which can be killed and started again on its data.

use std::{
    fs::{self, File},
    path::Path,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::harness::{ADMIN, PASSWORD, binary, send, text};

/// Longer than a start or an end takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server on a data directory of its own, and its administrator, who is signed in.
pub struct ServerProcess {
    folder: TempDir,
    settings: Vec<(String, String)>,
    child: Child,
    address: String,
    token: String,
    client: reqwest::Client,
}

impl ServerProcess {
    /// Starts on an empty data directory. `settings` are environment variables.
    pub async fn start(settings: &[(&str, &str)]) -> Self {
        let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
        Self::start_in(folder, settings).await
    }

    /// Starts on the data directory `data` of this folder.
    pub async fn start_in(folder: TempDir, settings: &[(&str, &str)]) -> Self {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let settings: Vec<_> = settings.iter().map(own).collect();
        let (child, address) = launch(folder.path(), &settings).await;
        let client = support::http_client().build().expect("a client");
        let mut server = Self { folder, settings, child, address, token: String::new(), client };
        let account = json!({ "email": ADMIN, "password": PASSWORD });
        let session = server.post("/api/session", account).await;
        server.token = text(&session["access_token"]);
        server
    }

    /// Ends it as a power cut would.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    /// Starts again on what the last process left.
    pub async fn start_again(&mut self) {
        (self.child, self.address) = launch(self.folder.path(), &self.settings).await;
    }

    /// Asks it to end.
    pub fn begin_to_stop(&self) {
        let pid = self.pid().expect("it runs").to_string();
        let told = std::process::Command::new("kill").args(["-TERM", &pid]).status();
        assert!(told.is_ok_and(|status| status.success()), "it can be told");
    }

    /// Waits for the end of the process.
    pub async fn ended(&mut self) -> ExitStatus {
        let ended = timeout(PATIENCE, self.child.wait()).await;
        ended
            .unwrap_or_else(|_| panic!("it does not end:\n{}", self.log()))
            .expect("it has a status")
    }

    /// Asks it to end, and sees that it ends well.
    pub async fn stop(mut self) {
        self.begin_to_stop();
        let status = self.ended().await;
        assert!(status.success(), "{status}:\n{}", self.log());
    }

    /// Its data directory.
    pub fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// All that it has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Its process, while it has not ended.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Memory that it holds, in KiB.
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

    /// The answer to a GET, which has to succeed.
    pub async fn get(&self, path: &str) -> Value {
        self.succeed(self.client.get(self.url(path))).await
    }

    /// The answer to a POST, which has to succeed.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        self.succeed(self.client.post(self.url(path)).json(&body)).await
    }

    /// The answer to a PUT, which has to succeed.
    pub async fn put(&self, path: &str, body: Value) -> Value {
        self.succeed(self.client.put(self.url(path)).json(&body)).await
    }

    /// An answer that is still being read.
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

/// Starts the program and waits until it says where it listens.
async fn launch(folder: &Path, settings: &[(String, String)]) -> (Child, String) {
    let log = folder.join("log");
    let log = File::options().create(true).append(true).open(log).expect("a file to log to");
    let mut child = Command::new(binary())
        .args(["serve", "--log-format", "json", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(folder.join("data"))
        .env_remove("DATABASE_URL")
        .env("FORGEGUARD_ADMIN_EMAIL", ADMIN)
        .env("FORGEGUARD_ADMIN_PASSWORD", PASSWORD)
        .envs(settings.iter().cloned())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it has an output")).lines();
    let line = timeout(PATIENCE, lines.next_line()).await.expect("it listens in time");
    let said = line.expect("its output can be read").expect("it says where it listens");
    let said: Value = serde_json::from_str(&said).expect("the line is JSON");
    let address = text(&said["address"]);
    (child, address.trim_start_matches("http://").to_owned())
}
