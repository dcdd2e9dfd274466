//! A git repository over HTTP, by `git http-backend`.

use std::{path::PathBuf, process::Command, sync::Arc};

use axum::{
    body::Body,
    http::{Method, Response, Uri},
};
use bytes::Bytes;
use tempfile::TempDir;
use tokio::{io::AsyncWriteExt, process};

/// A bare repository, `me/shelf.git`, whose default branch `main` has one commit.
#[derive(Clone)]
pub struct GitRepository {
    root: Arc<TempDir>,
}

impl GitRepository {
    pub(crate) fn create() -> Self {
        let repository = Self { root: Arc::new(TempDir::new().expect("a directory")) };
        let path = repository.path().display().to_string();
        let created =
            Command::new("git").args(["init", "--quiet", "--bare", "-b", "main", &path]).status();
        assert!(created.expect("git runs").success());
        repository.run(&["config", "http.receivepack", "true"]);
        repository.commit("main", "First commit");
        repository
    }

    pub fn path(&self) -> PathBuf {
        self.root.path().join("me/shelf.git")
    }

    /// Adds a commit without changes to a branch; creates it at `main` if it does not exist.
    pub fn commit(&self, branch: &str, message: &str) -> String {
        let parent = self.head(branch).or_else(|| self.head("main"));
        let tree = match &parent {
            Some(parent) => self.run(&["rev-parse", &format!("{parent}^{{tree}}")]),
            None => self.run(&["hash-object", "-t", "tree", "-w", "/dev/null"]),
        };
        let mut arguments = vec!["commit-tree", &tree, "-m", message];
        if let Some(parent) = &parent {
            arguments.extend(["-p", parent]);
        }
        let commit = self.run(&arguments);
        self.run(&["update-ref", &format!("refs/heads/{branch}"), &commit]);
        commit
    }

    /// The commit of a branch.
    pub fn head(&self, branch: &str) -> Option<String> {
        let reference = format!("refs/heads/{branch}");
        let output = self.command(&["rev-parse", "--verify", "--quiet", &reference]).output();
        let output = output.expect("git runs");
        let head = String::from_utf8(output.stdout).expect("a hash").trim().to_owned();
        (!head.is_empty()).then_some(head)
    }

    /// The output of a git command in the repository.
    pub fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("git runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {errors}");
        String::from_utf8(output.stdout).expect("text").trim().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.path()).args(arguments);
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Someone");
            command.env(format!("GIT_{who}_EMAIL"), "someone@example.org");
        }
        command
    }

    /// Answers a request of `git fetch` or `git push`.
    pub(crate) async fn serve(
        &self,
        method: Method,
        uri: Uri,
        header: impl Fn(&str) -> String,
        body: Bytes,
    ) -> Response<Body> {
        let mut child = process::Command::new("git")
            .arg("http-backend")
            .env("GIT_PROJECT_ROOT", self.root.path())
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("REMOTE_USER", "me")
            .env("PATH_INFO", uri.path())
            .env("QUERY_STRING", uri.query().unwrap_or_default())
            .env("REQUEST_METHOD", method.as_str())
            .env("CONTENT_TYPE", header("content-type"))
            .env("CONTENT_LENGTH", body.len().to_string())
            .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
            .env("GIT_PROTOCOL", header("git-protocol"))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("git runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        let feed = tokio::spawn(async move { stdin.write_all(&body).await });
        let output = child.wait_with_output().await.expect("git ends").stdout;
        let _ = feed.await;
        let end = output.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("headers");
        let headers = String::from_utf8_lossy(&output[..end]).into_owned();
        let mut response = Response::builder();
        for line in headers.lines() {
            let (name, value) = line.split_once(": ").expect("a header");
            response = match name {
                "Status" => response.status(&value[..3]),
                _ => response.header(name, value),
            };
        }
        response.body(Body::from(output[end + 4..].to_vec())).expect("a response")
    }
}
