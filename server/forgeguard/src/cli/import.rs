//! `forgeguard import`: creates a project of a server from a repository on this machine.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use clap::Args;
use git::{LocalRepository, PushTarget};
use serde_json::json;

use super::{
    api_client::{Api, key},
    build_outcome::say,
    failure::Failure,
    local_branch::ChosenBranch,
};
use crate::config::Config;

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
    repository: LocalRepository,
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
    let url = format!("{server}/git/{slug}.git");
    // Git takes a forge key as the name of a user.
    let authorization = format!("Basic {}", BASE64_STANDARD.encode(format!("{}:", key.expose())));
    let to = PushTarget { url: &url, server, authorization: &authorization };
    let cause = match input.repository.push(&input.branch, to).await {
        Ok(true) => None,
        Ok(false) => Some("git reports why above".to_owned()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(cause) = cause {
        return Err(Failure::new(format!(
            "the project {slug} was created, but its history was not pushed: {cause}. Fix this and run \
             `git push {url} {}` with the forge key as user name, or delete the project in its settings \
             and import again",
            input.branch,
        )));
    }
    let address = format!("{server}/projects/{slug}");
    say(&format!("imported {} of {}", input.branch, arguments.repository.display()));
    match arguments.json {
        true => writeln!(io::stdout(), "{project}")?,
        false => writeln!(io::stdout(), "{address}")?,
    }
    Ok(ExitCode::SUCCESS)
}

impl Input {
    /// Everything that can be wrong with the repository, before the server is asked for anything.
    fn read(arguments: &ImportArguments) -> Result<Self, Failure> {
        let ChosenBranch { path, repository, branch } =
            ChosenBranch::find(&arguments.repository, arguments.branch.as_deref(), "--branch")?;
        let name = arguments.name.clone().or_else(|| name_of(&path));
        let name = name.ok_or_else(|| Failure::invalid_input("name the project with --name"))?;
        Ok(Self { repository, name, branch })
    }
}

fn name_of(directory: &Path) -> Option<String> {
    Some(directory.file_name()?.to_string_lossy().into_owned())
}
