//! The resolved configuration, in which everything has a value.

use std::{path::PathBuf, time::Duration};

use domain::{failure::RetryWaits, permission::Rule};
use rustix::process::{Resource, getrlimit};
use sandbox::{EgressRules, Toolchains};

use super::{
    models::ModelSettings,
    settings::{LogFormat, NodeRole, SandboxChoice},
};
use crate::{
    api::{ApprovalPolicy, StreamLimits, TrustedProxies},
    engine::PushLimits,
    secret::Secret,
};

/// Directories of the system's programs.
pub const SYSTEM_DIRECTORIES: [&str; 6] =
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];

#[derive(Clone, Debug)]
pub struct Config {
    /// Host and port to listen on; port 0 selects a free port.
    pub listen: String,
    pub data_dir: PathBuf,
    /// `sqlite:…` or `postgres://…`; None: a SQLite file in the data directory.
    pub database_url: Option<Secret<String>>,
    /// The address that browsers use, if there is a proxy.
    pub public_url: Option<String>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: TrustedProxies,
    pub connections: ConnectionLimits,
    pub approval: ApprovalPolicy,
    pub role: NodeRole,
    /// Builds that this node runs concurrently.
    pub workers: usize,
    /// The isolation of agents' commands.
    pub sandbox: SandboxChoice,
    /// Bytes of memory for all of them together, if not the default.
    pub sandbox_total_memory_bytes: Option<u64>,
    pub log: LogSettings,
    /// The account that is created if there is none.
    pub first_admin: Option<FirstAdmin>,
    /// The name of this node in journals and leases.
    pub node: String,
    /// Seconds that a question waits for an answer, unless the project sets it; None: without
    /// limit.
    pub clarification_timeout_s: Option<u32>,
    /// The time between parts of the offline model's replies.
    pub demo_pace: Duration,
    pub models: ModelSettings,
    /// When failed work is retried.
    pub waits: RetryWaits,
    /// Permission rules of the installation; the last matching rule applies.
    pub permissions: Vec<Rule>,
    /// Destinations of gates that request network access; None disables it.
    pub network: Option<EgressRules>,
    pub push_limits: PushLimits,
    pub stream: StreamLimits,
    /// Directories searched for `git`.
    pub search_path: Vec<PathBuf>,
    /// What agents' commands may use besides the system's programs.
    pub toolchains: Toolchains,
    /// The shell line of the custom executor.
    pub executor_command: Option<String>,
    /// The sandbox program, if not this one.
    pub supervisor: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Open connections.
    pub max: usize,
    /// Open connections per client address.
    pub max_per_address: usize,
    /// The time in which a client has to send a request's head, or the next part of its body.
    pub request_timeout: Duration,
}

impl ConnectionLimits {
    /// Limits connections to half of the files that this process may open: the database, git and
    /// commands need the rest.
    pub fn within_open_files(self) -> Self {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let half = usize::try_from(files / 2).unwrap_or(usize::MAX);
        Self { max: self.max.min(half), ..self }
    }
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { max: 4_096, max_per_address: 256, request_timeout: Duration::from_secs(30) }
    }
}

#[derive(Clone, Debug)]
pub struct LogSettings {
    pub format: LogFormat,
    /// A `tracing` filter, such as `info,forgeguard=debug`.
    pub filter: String,
}

/// The account that is created at the start if there is none.
#[derive(Clone, Debug)]
pub struct FirstAdmin {
    pub email: String,
    pub password: Secret<String>,
}

impl Config {
    /// The default configuration with its data in `data_dir`.
    pub fn in_directory(data_dir: PathBuf) -> Self {
        Self {
            listen: "127.0.0.1:8080".to_owned(),
            data_dir,
            database_url: None,
            public_url: None,
            trusted_proxies: TrustedProxies::default(),
            connections: ConnectionLimits::default(),
            approval: ApprovalPolicy::default(),
            role: NodeRole::All,
            workers: 5,
            sandbox: SandboxChoice::Strict,
            sandbox_total_memory_bytes: None,
            log: LogSettings { format: LogFormat::Text, filter: "info,sqlx=warn".to_owned() },
            first_admin: None,
            node: "node-1".to_owned(),
            clarification_timeout_s: Some(600),
            demo_pace: Duration::from_millis(300),
            models: ModelSettings::offline(),
            waits: RetryWaits::default(),
            permissions: Vec::new(),
            network: Some(EgressRules::default()),
            push_limits: PushLimits::default(),
            stream: StreamLimits::default(),
            search_path: SYSTEM_DIRECTORIES.map(PathBuf::from).to_vec(),
            toolchains: Toolchains::default(),
            executor_command: None,
            supervisor: None,
        }
    }

    /// The configured address, or the file in the data directory.
    pub fn database(&self) -> Database<'_> {
        match &self.database_url {
            Some(url) => Database::Address(url),
            None => Database::File(self.data_dir.join("forgeguard.db")),
        }
    }
}

#[derive(Debug)]
pub enum Database<'c> {
    /// The configured address.
    Address(&'c Secret<String>),
    /// A SQLite file.
    File(PathBuf),
}
