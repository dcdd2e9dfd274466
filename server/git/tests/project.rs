//! A project on disk: origin, working clone, and a directory for worktrees.

#![allow(clippy::disallowed_methods, reason = "the real `git` is the client")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use git::{
    Arrival, BuildBranch, BuildBranchName, CommitRequest, GitError, HostedRepository, NewFile, Sha,
    WorkingClone, Worktree,
};
use tempfile::TempDir;

pub const BUILD: &str = "0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a";
pub const OTHER_BUILD: &str = "0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5b";
pub const AT: i64 = 1_790_000_000;

pub struct Project {
    pub dir: TempDir,
    pub origin: HostedRepository,
    pub clone: WorkingClone,
    pub first: Sha,
}

impl Project {
    /// Default branch `main` with one commit, fetched.
    pub fn new() -> Self {
        Self::with_default_branch("main")
    }

    pub fn with_default_branch(branch: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let origin = HostedRepository::create(&dir.path().join("origin.git"), branch).unwrap();
        let file = |path, bytes, executable| NewFile { path, bytes, executable };
        let files = [
            file("README.md", b"# Demo\n".as_slice(), false),
            file("src/app.js", b"export const answer = 41;\n", false),
            file("run.sh", b"#!/bin/sh\n", true),
            file(".gitignore", b"node_modules/\n*.log\n", false),
        ];
        let first = origin.import_tree(&files, "First commit\n", AT).unwrap();
        let url = origin.path().display().to_string();
        let clone = WorkingClone::open_or_create(&dir.path().join("clone.git"), &url).unwrap();
        clone.fetch().unwrap();
        Project { dir, origin, clone, first }
    }

    pub fn build(&self) -> (BuildBranch, Worktree) {
        let branch = BuildBranch::create(&self.clone, name(), self.first).unwrap();
        let worktree = Worktree::open_or_create(&self.clone, &name(), &self.files()).unwrap();
        (branch, worktree)
    }

    pub fn files(&self) -> PathBuf {
        self.dir.path().join("files")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The commits of `main` at origin and, if it exists, in the clone.
    pub fn mains(&self) -> (String, String) {
        let show = |dir: &Path| try_git(dir, &["rev-parse", "--verify", "-q", "refs/heads/main"]);
        (show(self.origin.path()).1, show(self.clone.path()).1)
    }

    /// Commits to the build's branch as a user and pushes to origin.
    pub fn human_commit(&self, file: &str, content: &str) -> Sha {
        let person = self.path("person");
        if !person.exists() {
            git(self.dir.path(), &["clone", "-q", "origin.git", "person"]);
        }
        git(&person, &["fetch", "-q", "origin"]);
        let remote = format!("origin/{}", name());
        git(&person, &["checkout", "-q", "-B", name().as_str(), &remote]);
        fs::write(person.join(file), content).unwrap();
        git(&person, &["add", "-A"]);
        git(&person, &["commit", "-q", "-m", "A person was here"]);
        git(&person, &["push", "-q", "origin", name().as_str()]);
        git(&person, &["rev-parse", "HEAD"]).parse().unwrap()
    }
}

pub fn name() -> BuildBranchName {
    BuildBranchName::of_build(BUILD).unwrap()
}

pub fn request(title: &str) -> CommitRequest {
    CommitRequest {
        title: title.to_owned(),
        body: String::new(),
        trailers: vec![("Build-Cycle".into(), BUILD.into()), ("Phase".into(), "1".into())],
        at: AT,
        allow_empty: false,
    }
}

pub fn write(worktree: &Worktree, path: &str, content: &str) {
    let path = worktree.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Takes in what was pushed to the branch.
pub fn integrate(branch: &BuildBranch, worktree: &Worktree) -> Result<Option<Arrival>, GitError> {
    let arrival = branch.fetch(worktree, branch.head()?, &[], AT)?;
    if let Some(arrival) = &arrival {
        branch.advance(worktree, arrival.head)?;
    }
    Ok(arrival)
}

/// Whether a commit of the worktree would be empty.
pub fn is_clean(branch: &BuildBranch, worktree: &Worktree) -> bool {
    branch.changed_files(worktree, branch.head().unwrap()).unwrap().is_empty()
}

/// Output of the git client, which must succeed.
pub fn git(dir: &Path, args: &[&str]) -> String {
    let (ok, out) = try_git(dir, args);
    assert!(ok, "git {args:?} in {dir:?} failed: {out}");
    out
}

pub fn try_git(dir: &Path, args: &[&str]) -> (bool, String) {
    let output = client(dir).args(args).output().unwrap();
    let text = if output.status.success() { &output.stdout } else { &output.stderr };
    (output.status.success(), String::from_utf8_lossy(text).trim().to_owned())
}

/// The git client without the developer's configuration.
pub fn client(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(["-c", "safe.directory=*", "-c", "commit.gpgsign=false"])
        .stdin(Stdio::null());
    command
}
