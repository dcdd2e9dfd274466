//! Benchmark of a build step's git operations, with the `git` crate and with `git` commands.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use domain::ids::BuildId;
use forgeguard::store;
use git::{
    BuildBranch, BuildBranchName, CommitRequest, HostedRepository, NewFile, WorkingClone, Worktree,
};

use crate::{Result, figures, options::Options, table::Measure};

/// Files of the project before the step.
const FILES: usize = 200;
/// Files that the step writes.
const WRITTEN: usize = 5;

/// Milliseconds for worktree, five files, commit and push, with both.
pub fn measure(options: &Options) -> Result<Vec<Measure>> {
    let home = tempfile::tempdir()?;
    let ours = Ours::new(&home.path().join("ours"))?;
    let plain = Plain::new(&home.path().join("plain"))?;
    let (mut with_crate, mut with_commands) = (Vec::new(), Vec::new());
    for _ in 0..options.amount(15, 3) {
        let begun = Instant::now();
        ours.step()?;
        with_crate.push(figures::ms(begun.elapsed()));
        let begun = Instant::now();
        plain.step()?;
        with_commands.push(figures::ms(begun.elapsed()));
    }
    let (ours, plain) = (figures::median(&with_crate), figures::median(&with_commands));
    let value = format!("{ours:.1} ms beside {plain:.1} ms");
    let name = "git: worktree, 5 files, commit, push";
    Ok(vec![Measure::new(name, value).ratio(ours / plain)])
}

fn files() -> Vec<(String, String)> {
    let file = |n: usize| {
        let path = format!("src/part-{:02}/file-{n:03}.js", n % 20);
        (path, format!("export const number = {n};\n").repeat(40))
    };
    (0..FILES).map(file).collect()
}

fn write_some(worktree: &Path) -> Result<()> {
    for n in 0..WRITTEN {
        let text = format!("export const answer = {n};\n").repeat(60);
        fs::write(worktree.join(format!("src/part-{n:02}/new.js")), text)?;
    }
    Ok(())
}

struct Ours {
    home: PathBuf,
    clone: WorkingClone,
}

impl Ours {
    fn new(home: &Path) -> Result<Self> {
        fs::create_dir_all(home)?;
        let origin = HostedRepository::create(&home.join("origin.git"), "main")?;
        let files = files();
        let files: Vec<NewFile<'_>> = files
            .iter()
            .map(|(path, text)| NewFile { path, bytes: text.as_bytes(), executable: false })
            .collect();
        origin.import_tree(&files, "Begin", 1_700_000_000)?;
        let origin = origin.path().display().to_string();
        let clone = WorkingClone::open_or_create(&home.join("work.git"), &origin)?;
        clone.fetch()?;
        Ok(Self { home: home.to_owned(), clone })
    }

    fn step(&self) -> Result<()> {
        let id: BuildId = store::new_id();
        let name = BuildBranchName::of_build(&id.to_string())?;
        let branch = BuildBranch::create(&self.clone, name.clone(), self.clone.baseline()?.sha)?;
        let path = self.home.join(id.to_string());
        let worktree = Worktree::open_or_create(&self.clone, &name, &path)?;
        write_some(&path)?;
        let request = CommitRequest {
            title: "phase 0: Everything".to_owned(),
            body: String::new(),
            trailers: vec![("Build-Cycle".to_owned(), id.to_string())],
            at: store::now().timestamp(),
            allow_empty: false,
        };
        branch.commit(&worktree, &request)?.ok_or("there was nothing to commit")?;
        branch.push()?;
        Ok(())
    }
}

struct Plain {
    home: PathBuf,
}

impl Plain {
    fn new(home: &Path) -> Result<Self> {
        let first = home.join("first");
        for (path, text) in files() {
            let path = first.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&first))?;
            fs::write(path, text)?;
        }
        run(&first, &["init", "-q", "-b", "main"])?;
        run(&first, &["add", "-A"])?;
        run(&first, &["commit", "-q", "-m", "Begin"])?;
        run(home, &["clone", "-q", "--bare", "first", "origin.git"])?;
        run(home, &["clone", "-q", "--bare", "origin.git", "work.git"])?;
        Ok(Self { home: home.to_owned() })
    }

    fn step(&self) -> Result<()> {
        let id: BuildId = store::new_id();
        let (branch, path) = (format!("forge/build-{id}"), self.home.join(id.to_string()));
        let shown = path.display().to_string();
        run(
            &self.home.join("work.git"),
            &["worktree", "add", "-q", "-b", &branch, &shown, "main"],
        )?;
        write_some(&path)?;
        run(&path, &["add", "-A"])?;
        run(&path, &["commit", "-q", "-m", "phase 0: Everything"])?;
        run(&path, &["push", "-q", "origin", &branch])
    }
}

/// Runs git without user configuration.
fn run(directory: &Path, arguments: &[&str]) -> Result<()> {
    let output = Command::new("git")
        .current_dir(directory)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Bench")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "b@example.org")))
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)).into())
}
