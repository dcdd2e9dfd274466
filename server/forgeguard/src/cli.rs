//! The command line: one binary, `forgeguard`.
//!
//! Talk goes to standard error; what a script wants goes to standard output.

mod demo;
mod doctor;
mod failure;
mod key;
mod openapi;
mod scenario;
mod serve;
mod status;
mod usage;
mod user;
mod verify;
mod writing_usage;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};
use domain::ids::BuildId;
use uuid::Uuid;

use crate::{
    config::{self, Config, Settings},
    server, telemetry,
};
use failure::Failure;

/// Builds software under governance, and leaves a branch that its reader can trust.
#[derive(Parser)]
#[command(name = "forgeguard", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    settings: Settings,
    /// Settings file [default: forgeguard.toml, if there is one]
    #[arg(long, env = "FORGEGUARD_CONFIG", value_name = "FILE", global = true)]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Start the service
    Serve,
    /// Run the bundled demo build here and now, answer its question, and print its seal
    Demo {
        /// Print the seal as JSON
        #[arg(long)]
        json: bool,
        /// Keep the data there instead of in a temporary directory
        #[arg(long, value_name = "DIR")]
        keep: Option<PathBuf>,
    },
    /// Check a build's journal and seal; or a bundle, without any service
    Verify {
        /// The build's id, or a bundle's file
        #[arg(value_name = "BUILD|BUNDLE")]
        what: String,
        /// The key that a bundle must be signed with, as `seal-key` prints it
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Print the key that others check this installation's seals with
    SealKey,
    /// Print what the models of a build have said, as a scenario that the offline model plays
    Scenario {
        /// The build's id
        build: BuildId,
    },
    /// Say what a build used, by role, model and contract read; or what writing contracts did
    Usage {
        /// The build's or the generation's id
        id: Uuid,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Say how many builds there are in which state
    Status,
    /// Manage accounts
    #[command(subcommand)]
    User(UserCommand),
    /// Manage forge keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// Bring the database up to date and stop
    Migrate,
    /// Say what works on this machine, and what to do about the rest
    Doctor {
        /// Ask each model for one word, which costs next to nothing
        #[arg(long)]
        ask: bool,
    },
    /// Print the OpenAPI document
    #[command(hide = true)]
    Openapi,
}

#[derive(Subcommand)]
enum UserCommand {
    /// Make an account; its password is read from standard input
    Add {
        /// The address to sign in with
        email: String,
        /// As shown to others [default: the part before the @]
        #[arg(long)]
        name: Option<String>,
        /// May manage accounts
        #[arg(long)]
        admin: bool,
    },
}

#[derive(Subcommand)]
enum KeyCommand {
    /// Make a forge key and print it, this once
    Create {
        /// Whose key it is
        email: String,
        /// What it is for
        #[arg(long, default_value = "command line")]
        name: String,
    },
}

/// Reads the command line and does what it says.
pub fn main() -> ExitCode {
    let Arguments { command, settings, config } = Arguments::parse();
    let done =
        config::load(settings, config.as_deref()).map_err(Failure::from).and_then(|config| {
            telemetry::init(&config.log)?;
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            runtime.block_on(run(command, config))
        });
    done.unwrap_or_else(|failure| failure.report())
}

async fn run(command: Command, config: Config) -> Result<ExitCode, Failure> {
    match command {
        Command::Serve => serve::serve(&config).await,
        Command::Demo { json, keep } => demo::demo(config, json, keep).await,
        Command::Verify { what, key } => verify::verify(&config, &what, key.as_deref()).await,
        Command::SealKey => verify::seal_key(&config),
        Command::Scenario { build } => scenario::scenario(&config, build).await,
        Command::Usage { id, json } => usage::usage(&config, id, json).await,
        Command::Status => status::status(&config).await,
        Command::User(UserCommand::Add { email, name, admin }) => {
            user::add(&config, email, name, admin).await
        }
        Command::Key(KeyCommand::Create { email, name }) => {
            key::create(&config, &email, &name).await
        }
        Command::Migrate => {
            server::open_database(&config).await?.close().await;
            Ok(ExitCode::SUCCESS)
        }
        Command::Doctor { ask } => doctor::doctor(&config, ask).await,
        Command::Openapi => openapi::openapi(),
    }
}
