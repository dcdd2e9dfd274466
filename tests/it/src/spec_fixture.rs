//! A repository and a spec, and the commands of `forgeguard` about their builds.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use model_server::{Dialect, KEY, ModelServer, Seen, Turn};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::{
    harness::binary,
    project_fixture::git,
    scripted_project::{CODE, TEST, turn_of},
};

pub const SPEC: &str = "# Greetings\n\n## Overview\nGreet people.\n\n## Requirements\n- FR-1: Greet by name\n\n\
    ## Pass Criteria\n- FR-1: the greeting has the name — test: greets by name\n\n\
    ## Files to create\n- `src/greet.js`\n- `test/greet.test.js`\n\n\
    ## Test Command\n```sh\nnode --test\n```\n";

/// The program in this folder, without settings of the environment.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(binary());
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for variable in ["ANTHROPIC_API_KEY", "DATABASE_URL", "FORGEGUARD_DATA_DIR"] {
        command.env_remove(variable);
    }
    command
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A repository with one commit, a spec beside it, and the settings of a model.
pub struct SpecFixture {
    pub folder: TempDir,
    pub model: ModelServer,
}

impl SpecFixture {
    pub async fn new(spec: &str) -> Self {
        let folder = TempDir::with_prefix("forgeguard-it-").unwrap();
        let repository = folder.path().join("repository");
        std::fs::create_dir(&repository).unwrap();
        git(&repository, &["init", "-q", "-b", "trunk"]);
        std::fs::write(repository.join("README.md"), "# Greetings\n").unwrap();
        git(&repository, &["add", "."]);
        git(&repository, &["commit", "-q", "-m", "Begin"]);
        std::fs::write(folder.path().join("spec.md"), spec).unwrap();
        let settings = "[models]\nusual = 'anthropic/m-1'\n[catalog.m-1]\ninput = 1\noutput = 2\n";
        std::fs::write(folder.path().join("forgeguard.toml"), settings).unwrap();
        Self { folder, model: ModelServer::start(Dialect::Anthropic).await }
    }

    pub fn repository(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    /// `forgeguard build` with these arguments.
    pub fn build(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.folder.path());
        command.args(["--data-dir", "data", "build", "--json"]).args(arguments);
        command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", self.model.base_url());
        command
    }

    /// A command about builds of the data directory.
    pub fn about(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.folder.path());
        command.args(["--data-dir", "data"]).args(arguments);
        command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", self.model.base_url());
        command
    }

    pub fn new_build(&self) -> Command {
        self.build(&["--spec", "spec.md", "--repo", "repository", "--budget-usd", "5"])
    }

    pub fn refs(&self) -> Vec<String> {
        let listed = Command::new("git")
            .args(["for-each-ref", "--format=%(refname) %(objectname)"])
            .current_dir(self.repository())
            .output()
            .unwrap();
        String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    /// Checks that the repository has the branch of the result and is otherwise unchanged.
    pub fn assert_only_the_branch_was_added(&self, before: &[String], branch: &str) {
        let after = self.refs();
        let (added, kept): (Vec<_>, Vec<_>) =
            after.iter().partition(|line| line.starts_with("refs/heads/forge/"));
        assert_eq!(kept, before.iter().collect::<Vec<_>>());
        assert_eq!(added.len(), 1, "{added:?}");
        assert!(added[0].starts_with(&format!("refs/heads/{branch} ")), "{added:?}");
        let shown = Command::new("git")
            .args(["show", &format!("{branch}:src/greet.js")])
            .current_dir(self.repository())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&shown.stdout), CODE);
        assert!(!self.repository().join("src").exists(), "files of the user have changed");
    }
}

/// A model that writes the code and its test.
pub fn played(seen: &Seen) -> Turn {
    let writes = [("src/greet.js", CODE.to_owned()), ("test/greet.test.js", TEST.to_owned())];
    turn_of(seen, &writes, "true", "src/greet.js")
}

/// Starts a build. Returns its process, its id, and the lines that it prints later.
pub async fn started(mut command: Command) -> (Child, String, mpsc::UnboundedReceiver<String>) {
    let mut child = command.spawn().unwrap();
    let stderr = child.stderr.take().unwrap();
    let (sender, mut lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            // They are not always read.
            let _ = sender.send(line);
        }
    });
    let first = lines.recv().await.unwrap();
    let id = first.strip_prefix("build ").unwrap_or_else(|| panic!("{first}")).to_owned();
    (child, id, lines)
}

pub async fn finished(mut command: Command) -> Output {
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

/// The result that a successful build prints.
#[track_caller]
pub fn result(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    parsed(output)
}

/// The JSON that a command prints.
#[track_caller]
pub fn parsed(output: &Output) -> Value {
    let lines = stdout(output);
    assert_eq!(lines.lines().count(), 1, "{lines}\n{}", stderr(output));
    serde_json::from_str(&lines).unwrap()
}
