//! The command line.
//!
//! Messages go to standard error, results for scripts to standard output.

mod answers;
mod api_client;
mod build;
mod build_commands;
mod build_outcome;
mod build_progress;
mod command_line_user;
mod command_reference;
mod demo;
mod doctor;
mod encryption_key;
mod failure;
mod import;
mod key;
mod local_branch;
mod login;
mod mcp;
mod openapi;
mod scenario;
mod serve;
mod shutdown;
mod spec_files;
mod status;
mod stored_keys;
mod usage;
mod user;
mod validate;
mod verify;
mod writing_usage;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use domain::ids::BuildId;
use uuid::Uuid;

use crate::{
    config::{self, Config, Settings},
    server, telemetry,
};
use failure::Failure;

/// How long blocking work may take after the command has ended.
const RUNTIME_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// Builds software with agents under verifiable rules
#[derive(Parser)]
#[command(name = "forgeguard", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    settings: Settings,
    /// Configuration file [default: forgeguard.toml, if it exists]
    #[arg(long, env = "FORGEGUARD_CONFIG", value_name = "FILE", global = true)]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Start the service
    Serve,
    /// Build a spec in a repository on this machine, without a server; the result is a branch
    ///
    /// Exit code 0: certified or conditional; 2: flagged; 3: blocked; 4: invalid input.
    Build(build::BuildArguments),
    #[command(flatten)]
    OfBuild(build_commands::BuildCommand),
    /// Create a project of a server from a repository on this machine, and print its address
    ///
    /// Needs a forge key with full access, of `forgeguard login --full-access` or in FORGEGUARD_KEY.
    Import(import::ImportArguments),
    /// List the problems of a spec
    ///
    /// Exit code 0: it can be built; 4: it cannot.
    Validate {
        /// The spec: a Markdown file, or a folder with the documents of Spec Kit or Kiro
        #[arg(long, value_name = "FILE")]
        spec: PathBuf,
        /// Treat warnings as errors, such as missing sections
        #[arg(long)]
        strict: bool,
        /// Print what was read as JSON
        #[arg(long)]
        json: bool,
    },
    /// Run the bundled demo build, answer its question and print its seal; in a temporary directory
    /// unless --data-dir is given
    Demo {
        /// Print the seal as JSON
        #[arg(long)]
        json: bool,
    },
    /// Verify a build's journal and seal, or a bundle without a running service
    Verify {
        /// Id of the build, or path of the bundle
        #[arg(value_name = "BUILD|BUNDLE")]
        #[arg(required_unless_present = "audit_log", conflicts_with = "audit_log")]
        what: Option<String>,
        /// Verify the installation's audit log against all seals
        #[arg(long)]
        audit_log: bool,
        /// Public key that must have signed the bundle, as printed by `seal-key`
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Print the public key with which others can verify this installation's seals
    SealKey,
    /// Encrypt all stored secrets with a new key, which replaces `encryption.key`
    RotateEncryptionKey,
    /// Print a build's model replies as a scenario for the offline model
    Scenario {
        /// Id of the build
        build: BuildId,
    },
    /// Print what a build used, by role, model and contract; or what a generation used
    Usage {
        /// Id of the build or generation
        id: Uuid,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Sign in to a server: a forge key for this machine, which you approve in a browser
    Login(login::LoginArguments),
    /// Revoke the forge key of `forgeguard login`, and remove it from this machine
    Logout(login::LogoutArguments),
    /// Connect an MCP client that runs programs to a server
    ///
    /// The forge key is that of `forgeguard login`, or in FORGEGUARD_KEY.
    Mcp {
        /// Address of the server
        #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
        server: String,
    },
    /// Print the number of builds by status
    Status,
    /// Manage accounts
    #[command(subcommand)]
    User(UserCommand),
    /// Manage forge keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// Migrate the database and exit
    Migrate,
    /// Check this machine and explain what to fix
    Doctor {
        /// Send a minimal request to each model
        #[arg(long)]
        ask: bool,
    },
    /// Print completions for a shell
    Completions { shell: Shell },
    /// Write man pages into a directory
    Man {
        /// Is created if it does not exist
        directory: PathBuf,
    },
    /// Print the OpenAPI document
    #[command(hide = true)]
    Openapi,
}

impl Command {
    /// Whether the command uses the model settings.
    fn needs_models(&self) -> bool {
        matches!(self, Self::Serve | Self::Build(_) | Self::Demo { .. } | Self::Doctor { .. })
    }
}

#[derive(Subcommand)]
enum UserCommand {
    /// Create an account; its password is read from standard input
    Add {
        /// Email address
        email: String,
        /// Display name [default: the part of the address before the @]
        #[arg(long)]
        name: Option<String>,
        /// Create an administrator
        #[arg(long)]
        admin: bool,
    },
}

#[derive(Subcommand)]
enum KeyCommand {
    /// Create a forge key and print it; it is shown only once
    Create {
        /// Email address of its owner
        email: String,
        /// Name of the key
        #[arg(long, default_value = "command line")]
        name: String,
    },
}

/// Runs the command line.
pub fn main() -> ExitCode {
    execute(Arguments::parse()).unwrap_or_else(|failure| failure.report(1))
}

fn execute(arguments: Arguments) -> Result<ExitCode, Failure> {
    let Arguments { command, mut settings, config } = arguments;
    // Needs neither a configuration nor a data directory.
    if let Command::Validate { spec, strict, json } = &command {
        return validate::validate(spec, *strict, *json);
    }
    match &command {
        Command::Completions { shell } => {
            return command_reference::completions(*shell, Arguments::command());
        }
        Command::Man { directory } => {
            return command_reference::man(directory, Arguments::command());
        }
        _ => {}
    }
    let temporary = match (&command, &settings.data_dir) {
        (Command::Demo { .. }, None) => {
            Some(tempfile::Builder::new().prefix("forgeguard-demo-").tempdir()?)
        }
        _ => None,
    };
    if let Command::Build(_) | Command::OfBuild(_) = command {
        // Its progress is shown in other ways.
        settings.log.get_or_insert_with(|| "warn".to_owned());
    }
    if let Some(directory) = &temporary {
        settings.data_dir = Some(directory.path().to_owned());
    }
    let config = config::load(settings, config.as_deref(), command.needs_models())?;
    telemetry::init(&config.log)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(run(command, config));
    // A system call that never returns must not keep the process running.
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN_TIMEOUT);
    result
}

async fn run(command: Command, config: Config) -> Result<ExitCode, Failure> {
    match command {
        Command::Serve => serve::serve(&config).await,
        Command::Build(arguments) => build::build(config, arguments).await,
        Command::Import(arguments) => import::import(&config, arguments).await,
        Command::OfBuild(command) => build_commands::run(&config, command).await,
        Command::Validate { .. } | Command::Completions { .. } | Command::Man { .. } => {
            unreachable!("it ran before the configuration was read")
        }
        Command::Demo { json } => demo::demo(config, json).await,
        Command::Verify { what, key, .. } => {
            let verified = match what {
                Some(what) => verify::verify(&config, &what, key.as_deref()).await,
                None => verify::verify_audit_log(&config).await,
            };
            Ok(verified.unwrap_or_else(|failure| failure.report(verify::NOT_VERIFIABLE)))
        }
        Command::SealKey => verify::seal_key(&config),
        Command::RotateEncryptionKey => encryption_key::rotate(&config).await,
        Command::Scenario { build } => scenario::scenario(&config, build).await,
        Command::Usage { id, json } => usage::usage(&config, id, json).await,
        Command::Login(arguments) => login::login(arguments).await,
        Command::Logout(arguments) => login::logout(arguments).await,
        Command::Mcp { server } => mcp::mcp(&server).await,
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
