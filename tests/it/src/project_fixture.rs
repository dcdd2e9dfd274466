//! A server with an empty project, and the scripted model that will build it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use model_server::{Dialect, KEY, ModelServer};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    harness::{Instance, Person, text},
    server_process::{ServerProcess, SmallDisk},
};

pub struct ProjectFixture {
    pub server: ServerProcess,
    pub model: ModelServer,
    pub project: String,
}

impl ProjectFixture {
    /// `settings` are written to forgeguard.toml, after the model `m-1`, which costs 1 and 2 USD.
    pub async fn new(dialect: Dialect, settings: &str) -> Self {
        Self::with(dialect, settings, &[], None).await
    }

    /// The same with more environment variables, or on a separate disk.
    pub async fn with(
        dialect: Dialect,
        settings: &str,
        environment: &[(&str, &str)],
        disk: Option<SmallDisk>,
    ) -> Self {
        let model = ModelServer::start(dialect).await;
        let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
        let (name, key, address) = match dialect {
            Dialect::Anthropic => ("anthropic/m-1", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
            Dialect::OpenAi | Dialect::Responses | Dialect::Gemini => {
                ("openai/m-1", "OPENAI_API_KEY", "OPENAI_BASE_URL")
            }
        };
        let api = if dialect == Dialect::Responses { "responses" } else { "chat" };
        let file = format!(
            "{settings}\n[models]\nusual = \"{name}\"\n\
             [catalog.m-1]\ninput = 1\noutput = 2\napi = \"{api}\"\n"
        );
        fs::write(folder.path().join("forgeguard.toml"), file).expect("a file");
        let base_url = model.base_url();
        let environment = [environment, &[(key, KEY), (address, base_url.as_str())]].concat();
        let server = ServerProcess::start_on(folder, &environment, disk).await;
        // The model has a price, so that a build would need a limit.
        let unlimited = json!({ "budgets": { "usd_micros": "unlimited" }, "models": {} });
        server.put("/api/settings", unlimited).await;
        let project = server.post("/api/projects", json!({ "name": "P", "description": "" })).await;
        let project = text(&project["id"]);
        Self { server, model, project }
    }

    /// Sets a property of the project, such as `contracts/phases` or `settings`.
    pub async fn set(&self, what: &str, value: Value) {
        self.server.put(&format!("/api/projects/{}/{what}", self.project), value).await;
    }

    /// The hosted repository.
    pub fn hosted(&self) -> PathBuf {
        self.server.data().join(format!("repos/{}.git", self.project))
    }
}

/// Git's output in this repository, without the last newline.
pub fn git(repository: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git can be run");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

pub fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Pushes the files of a directory as the only commit of the project.
pub async fn push(instance: &Instance, person: &Person, project: &str, files: &Path) {
    let key = text(&person.post("/api/forge-keys", json!({ "name": "git" })).await.json()["key"]);
    let address = instance.url.replace("http://", &format!("http://git:{key}@"));
    let url = format!("{address}/git/{project}.git");
    let files = files.to_owned();
    let push = move || {
        git(&files, &["init", "-q", "-b", "main"]);
        git(&files, &["add", "-A"]);
        git(&files, &["commit", "-q", "-m", "All files"]);
        git(&files, &["push", "-q", &url, "main"])
    };
    tokio::task::spawn_blocking(push).await.unwrap();
}
