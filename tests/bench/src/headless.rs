//! Benchmark of `forgeguard build`: from the start of the process to the first call of a model. Beside
//! it, a plain copy of the same files, which some file systems make several times slower for minutes
//! after many files were deleted.

use std::{
    fs,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use model_server::{Dialect, KEY, ModelServer, Turn};
use tokio::{process::Command, sync::mpsc};

use crate::{Result, binary, figures, options::Options, table::Measure};

/// Files of the repository, in folders of [`FILES_PER_FOLDER`].
const FILES: u64 = 5_000;
const FILES_PER_FOLDER: u64 = 50;

const SPEC: &str = "# Greetings\n\n## Requirements\n- FR-1: Greet by name\n\n\
    ## Pass Criteria\n- FR-1: the greeting has the name\n\n\
    ## Files to create\n- `src/greet.js`\n\n## Test Command\n```sh\ntrue\n```\n";

/// What `forgeguard build` needs at most until the model is called.
const LIMIT: Duration = Duration::from_secs(60);

pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let program = binary::build().await?;
    let folder = tempfile::tempdir()?;
    let files = options.amount(FILES, FILES / 10);
    make_repository(&folder.path().join("repository"), files).await?;
    fs::write(folder.path().join("spec.md"), SPEC)?;
    let settings = "[models]\nusual = 'anthropic/m-1'\n[catalog.m-1]\ninput = 1\noutput = 2\n";
    fs::write(folder.path().join("forgeguard.toml"), settings)?;
    let (mut times, mut copies) = (Vec::new(), Vec::new());
    for round in 0..options.amount(11, 3) {
        let data = folder.path().join(format!("data-{round}"));
        times.push(figures::ms(first_call(&program, folder.path(), &data).await?));
        copies.push(figures::ms(copy(folder.path(), &format!("copy-{round}")).await?));
    }
    let (median, copied) = (figures::median(&times), figures::median(&copies));
    let name = format!("headless: start to first model call, {files} files");
    let value = format!("{median:.0} ms beside {copied:.0} ms for a copy");
    Ok(vec![Measure::new(name, value).at_most(median, 500.0, " ms")])
}

/// Starts a build on a new data directory, and kills it once the model was called.
async fn first_call(program: &Path, folder: &Path, data: &Path) -> Result<Duration> {
    let model = ModelServer::start(Dialect::Anthropic).await;
    let (sender, mut calls) = mpsc::unbounded_channel();
    model.play(move |_| {
        // Later calls are not read.
        let _ = sender.send(Instant::now());
        Turn::status(529)
    });
    let begun = Instant::now();
    let mut build = Command::new(program)
        .args(["build", "--spec", "spec.md", "--repo", "repository", "--budget-usd", "5"])
        .arg("--data-dir")
        .arg(data)
        .current_dir(folder)
        .env("ANTHROPIC_API_KEY", KEY)
        .env("ANTHROPIC_BASE_URL", model.base_url())
        .env_remove("DATABASE_URL")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let called = tokio::time::timeout(LIMIT, calls.recv()).await?.ok_or("no model was called")?;
    build.kill().await?;
    Ok(called - begun)
}

/// Copies the files of the repository.
async fn copy(folder: &Path, name: &str) -> Result<Duration> {
    let begun = Instant::now();
    let mut command = Command::new("cp");
    command.args(["-r", "repository/src", name]).current_dir(folder);
    match command.status().await?.success() {
        true => Ok(begun.elapsed()),
        false => Err("the files could not be copied".into()),
    }
}

async fn make_repository(folder: &Path, files: u64) -> Result<()> {
    for number in 0..files {
        let within = folder.join(format!("src/part-{}", number / FILES_PER_FOLDER));
        fs::create_dir_all(&within)?;
        let text = format!("export const value = {number};\n");
        fs::write(within.join(format!("file-{number}.js")), text)?;
    }
    git(folder, &["init", "-q", "-b", "main"]).await?;
    git(folder, &["add", "."]).await?;
    let person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    git(folder, &[&person[..], &["commit", "-q", "-m", "Begin"]].concat()).await
}

async fn git(folder: &Path, arguments: &[&str]) -> Result<()> {
    match Command::new("git").args(arguments).current_dir(folder).status().await?.success() {
        true => Ok(()),
        false => Err(format!("git {arguments:?} failed").into()),
    }
}
