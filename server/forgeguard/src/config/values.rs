//! Settings as the service uses them: everything has a value.

use std::{path::PathBuf, time::Duration};

use domain::{failure::RetryWaits, permission::Rule};

use super::{
    models::ModelSettings,
    settings::{LogFormat, NodeRole, SandboxChoice},
};
use crate::{api::StreamLimits, secret::Secret};

/// Everything that a node is told before it starts.
#[derive(Clone, Debug)]
pub struct Config {
    /// Host and port to listen on; port 0 takes a free one.
    pub listen: String,
    /// Where everything that lasts is kept.
    pub data_dir: PathBuf,
    /// `sqlite:…` or `postgres://…`; without it a SQLite file in the data directory.
    pub database_url: Option<Secret<String>>,
    /// The address that browsers use, where a proxy stands in between.
    pub public_url: Option<String>,
    /// What this node does.
    pub role: NodeRole,
    /// How many builds it runs at once.
    pub workers: usize,
    /// How agents' commands are confined.
    pub sandbox: SandboxChoice,
    /// What it logs, and how.
    pub log: LogSettings,
    /// The account to make when there is none.
    pub first_admin: Option<FirstAdmin>,
    /// This node's name in journals and leases.
    pub node: String,
    /// Seconds that a question waits where the project says nothing; None waits for ever.
    pub clarification_timeout_s: Option<u32>,
    /// The wait before each piece of what the offline model says.
    pub demo_pace: Duration,
    /// Which models agents talk to.
    pub models: ModelSettings,
    /// When what failed is tried again.
    pub waits: RetryWaits,
    /// What agents may do, whatever the project; the last rule that fits counts.
    pub permissions: Vec<Rule>,
    /// What a connection that reads slowly is granted.
    pub stream: StreamLimits,
    /// Directories of programs that agents' commands may use beside the system's.
    pub tool_path: Vec<PathBuf>,
    /// The program that confines commands, where it is not this one.
    pub supervisor: Option<PathBuf>,
}

/// What is logged, and how.
#[derive(Clone, Debug)]
pub struct LogSettings {
    /// For people or for programs.
    pub format: LogFormat,
    /// As `tracing` filters are written, such as `info,forgeguard=debug`.
    pub filter: String,
}

/// The account that a start makes when there is none.
#[derive(Clone, Debug)]
pub struct FirstAdmin {
    /// Their address.
    pub email: String,
    /// Their password.
    pub password: Secret<String>,
}

impl Config {
    /// The settings of a node that nobody told anything, keeping its data in `data_dir`.
    pub fn in_directory(data_dir: PathBuf) -> Self {
        Self {
            listen: "127.0.0.1:8080".to_owned(),
            data_dir,
            database_url: None,
            public_url: None,
            role: NodeRole::All,
            workers: 5,
            sandbox: SandboxChoice::Auto,
            log: LogSettings { format: LogFormat::Text, filter: "info,sqlx=warn".to_owned() },
            first_admin: None,
            node: "node-1".to_owned(),
            clarification_timeout_s: Some(600),
            demo_pace: Duration::from_millis(25),
            models: ModelSettings::offline(),
            waits: RetryWaits::default(),
            permissions: Vec::new(),
            stream: StreamLimits::default(),
            tool_path: Vec::new(),
            supervisor: None,
        }
    }

    /// Where the database is: the address given, or the file in the data directory.
    pub fn database(&self) -> Database<'_> {
        match &self.database_url {
            Some(url) => Database::Address(url),
            None => Database::File(self.data_dir.join("forgeguard.db")),
        }
    }
}

/// Where the database is.
#[derive(Debug)]
pub enum Database<'c> {
    /// At an address that somebody gave.
    Address(&'c Secret<String>),
    /// In this SQLite file.
    File(PathBuf),
}
