//! `forgeguard import`: creates a project of a server from a repository on this machine.

use std::{
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{ExitCode, Stdio},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use clap::Args;
use git::LocalRepository;
use serde_json::json;
use tokio::process::Command;

use super::{
    api_client::{Api, key},
    build_outcome::say,
    failure::Failure,
};
use crate::{config::Config, secret::Secret};

#[derive(Args, Debug)]
pub struct ImportArguments {
    /// The repository
    #[arg(value_name = "DIR", default_value = ".")]
    repository: PathBuf,
    /// Address of the server
    #[arg(
        long,
        value_name = "URL",
        env = "FORGEGUARD_SERVER",
        default_value = "http://127.0.0.1:8080"
    )]
    server: String,
    /// Name of the project [default: that of the directory]
    #[arg(long)]
    name: Option<String>,
    /// Branch to import; it becomes the default branch of the project [default: the one that is
    /// checked out]
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,
    /// Print the project as JSON
    #[arg(long)]
    json: bool,
}

/// What is imported.
struct Input {
    repository: PathBuf,
    name: String,
    branch: String,
}

pub async fn import(config: &Config, arguments: ImportArguments) -> Result<ExitCode, Failure> {
    let input = Input::read(&arguments)?;
    let server = arguments.server.trim_end_matches('/');
    let key = key(server)?;
    let mut api = Api::open(config, Some(server)).await?;
    let request = json!({ "name": input.name, "default_branch": input.branch });
    let project = api.post("/api/projects", &request).await?;
    api.close().await;
    let slug = project["slug"].as_str().unwrap_or_default();
    let repository = format!("{server}/git/{slug}.git");
    if let Err(cause) = push(&input, &repository, server, &key).await {
        return Err(Failure::new(format!(
            "the project {slug} was created, but its history was not pushed: {cause}; then run \
             `git -C {} push {repository} {}` with the forge key as user name, or delete the project \
             in its settings and import again",
            input.repository.display(),
            input.branch,
        )));
    }
    let address = format!("{server}/projects/{slug}");
    say(&format!("imported {} of {}", input.branch, input.repository.display()));
    match arguments.json {
        true => writeln!(io::stdout(), "{project}")?,
        false => writeln!(io::stdout(), "{address}")?,
    }
    Ok(ExitCode::SUCCESS)
}

impl Input {
    /// Everything that can be wrong with the repository, before the server is asked for anything.
    fn read(arguments: &ImportArguments) -> Result<Self, Failure> {
        let given = arguments.repository.display();
        let not_readable =
            |error: &dyn fmt::Display| Failure::invalid_input(format!("{given}: {error}"));
        let repository =
            arguments.repository.canonicalize().map_err(|error| not_readable(&error))?;
        let local = LocalRepository::open(&repository).map_err(|error| not_readable(&error))?;
        if local.is_shallow().map_err(|error| not_readable(&error))? {
            return Err(Failure::invalid_input(format!(
                "{given} does not have its whole history; run `git -C {given} fetch --unshallow` first"
            )));
        }
        let head = local.head_branch().map_err(|error| not_readable(&error))?;
        let branch = arguments.branch.clone().or(head).ok_or_else(|| {
            Failure::invalid_input("no branch is checked out; name the one to import with --branch")
        })?;
        if local.head_of(&branch).map_err(|error| not_readable(&error))?.is_none() {
            return Err(Failure::invalid_input(format!("{given} has no commit on {branch}")));
        }
        let name = arguments.name.clone().or_else(|| name_of(&repository));
        let name = name.ok_or_else(|| Failure::invalid_input("name the project with --name"))?;
        Ok(Self { repository, name, branch })
    }
}

fn name_of(repository: &Path) -> Option<String> {
    Some(repository.file_name()?.to_string_lossy().into_owned())
}

/// Pushes with the user's git, which shows its progress; otherwise what to fix.
async fn push(input: &Input, url: &str, server: &str, key: &Secret<String>) -> Result<(), String> {
    let credential = BASE64_STANDARD.encode(format!("{}:", key.expose()));
    // Not in an argument, which other users of the machine can see.
    let settings = [
        (format!("http.{server}/.extraHeader"), format!("Authorization: Basic {credential}")),
        // The key is for this server only.
        ("http.followRedirects".to_owned(), "false".to_owned()),
    ];
    let mut git = Command::new("git");
    git.arg("-C").arg(&input.repository).arg("push");
    // A hook of Git LFS would upload files, which the server does not store.
    git.args(["--no-verify", url]).arg(format!("refs/heads/{}", input.branch));
    git.env("GIT_TERMINAL_PROMPT", "0").env("GIT_CONFIG_COUNT", settings.len().to_string());
    for (at, (name, value)) in settings.iter().enumerate() {
        git.env(format!("GIT_CONFIG_KEY_{at}"), name).env(format!("GIT_CONFIG_VALUE_{at}"), value);
    }
    git.stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
    match git.status().await {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("fix what git reports above".to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err("git is not installed, install it".to_owned())
        }
        Err(error) => Err(format!("git cannot be started ({error}), fix this")),
    }
}
