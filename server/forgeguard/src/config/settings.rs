//! The settings of flags, environment and file, in one struct so that they have the same names.

use std::{collections::BTreeMap, path::PathBuf};

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use domain::{failure::RetryWaits, permission::Rule};

use super::models::{CatalogEntry, ModelsSection};
use crate::secret::Secret;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum NodeRole {
    /// Serves requests and runs builds.
    All,
    /// Serves requests.
    Web,
    /// Runs builds.
    Worker,
}

/// The isolation of agents' commands. If it is unavailable, commands are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum SandboxChoice {
    /// Bubblewrap.
    Strict,
    /// Landlock only, which cannot protect modes and times of the service's own files.
    Landlock,
    /// None: only for trusted code.
    None,
}

impl SandboxChoice {
    pub fn level(self) -> sandbox::Level {
        match self {
            Self::Strict => sandbox::Level::Strict,
            Self::Landlock => sandbox::Level::Landlock,
            Self::None => sandbox::Level::None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For humans.
    Text,
    /// One JSON object per line.
    Json,
}

/// Settings as given; None if not given.
#[derive(Args, Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Host and port to listen on; port 0 selects a free port [default: 127.0.0.1:8080]
    #[arg(long, env = "FORGEGUARD_LISTEN", value_name = "HOST:PORT", global = true)]
    pub listen: Option<String>,
    /// Data directory [default: ./data]
    #[arg(long, env = "FORGEGUARD_DATA_DIR", value_name = "DIR", global = true)]
    pub data_dir: Option<PathBuf>,
    /// The address that browsers use, if there is a proxy
    #[arg(long, env = "FORGEGUARD_PUBLIC_URL", value_name = "URL", global = true)]
    pub public_url: Option<String>,
    /// Addresses or networks of proxies whose X-Forwarded-For header is trusted
    #[arg(
        long,
        env = "FORGEGUARD_TRUSTED_PROXIES",
        value_name = "ADDRESS,…",
        value_delimiter = ',',
        global = true
    )]
    pub trusted_proxies: Option<Vec<String>>,
    /// Maximum number of open connections [default: 4096]
    #[arg(long, env = "FORGEGUARD_MAX_CONNECTIONS", value_name = "N", global = true)]
    pub max_connections: Option<usize>,
    /// Maximum number of open connections per client address [default: 256]
    #[arg(long, env = "FORGEGUARD_MAX_CONNECTIONS_PER_ADDRESS", value_name = "N", global = true)]
    pub max_connections_per_address: Option<usize>,
    /// Seconds in which a client has to send a request's head, or the next part of its body
    /// [default: 30]
    #[arg(long, env = "FORGEGUARD_REQUEST_TIMEOUT", value_name = "SECONDS", global = true)]
    pub request_timeout: Option<u64>,
    /// Administrators who have to approve a build, 1 or 2 [default: 1]
    #[arg(long, env = "FORGEGUARD_REQUIRED_APPROVALS", value_name = "N", global = true)]
    pub required_approvals: Option<u32>,
    /// Seconds for which an administrator cannot approve builds of the account that appointed them
    /// [default: 86400]
    #[arg(long, env = "FORGEGUARD_APPROVER_COOLDOWN", value_name = "SECONDS", global = true)]
    pub approver_cooldown: Option<u32>,
    /// Role of this node [default: all]
    #[arg(long, env = "FORGEGUARD_ROLE", value_enum, global = true)]
    pub role: Option<NodeRole>,
    /// Builds that this node runs concurrently [default: 5]
    #[arg(long, env = "FORGEGUARD_WORKERS", value_name = "N", global = true)]
    pub workers: Option<usize>,
    /// Isolation of agents' commands [default: strict]
    #[arg(long, env = "FORGEGUARD_SANDBOX", value_enum, global = true)]
    pub sandbox: Option<SandboxChoice>,
    /// MiB of memory for all agents' commands on this node together [default: 75 % of the
    /// machine's]
    #[arg(long, env = "FORGEGUARD_SANDBOX_TOTAL_MEMORY", value_name = "MIB", global = true)]
    pub sandbox_total_memory: Option<u64>,
    /// Shell line that runs a coding agent of your own in a build's worktree, as the executor
    /// `custom`
    #[arg(long, env = "FORGEGUARD_EXECUTOR_COMMAND", value_name = "COMMAND", global = true)]
    pub executor_command: Option<String>,
    /// Log format [default: text]
    #[arg(long, env = "FORGEGUARD_LOG_FORMAT", value_enum, global = true)]
    pub log_format: Option<LogFormat>,
    /// Log filter, such as `info,forgeguard=debug` [default: info,sqlx=warn]
    #[arg(long, env = "FORGEGUARD_LOG", value_name = "FILTER", global = true)]
    pub log: Option<String>,
    /// Name of this node in journals and leases [default: the host name]
    #[arg(long, env = "FORGEGUARD_NODE", value_name = "NAME", global = true)]
    pub node: Option<String>,
    /// Seconds that a question waits for an answer, or `never` [default: 600]
    #[arg(long, env = "FORGEGUARD_CLARIFICATION_TIMEOUT", value_name = "SECONDS", global = true)]
    pub clarification_timeout: Option<String>,
    /// Scenario that the offline model replays, as written by `forgeguard scenario`
    #[arg(long, env = "FORGEGUARD_SCENARIO", value_name = "FILE", global = true)]
    pub scenario: Option<PathBuf>,
    /// Milliseconds between parts of replies in the demo at normal speed [default: 300]
    #[arg(long, env = "FORGEGUARD_DEMO_PACE", value_name = "MS", global = true)]
    pub demo_pace: Option<u64>,
    /// Maximum size of a push in MiB [default: 512]
    #[arg(long, env = "FORGEGUARD_MAX_PUSH_MIB", value_name = "MIB", global = true)]
    pub max_push_mib: Option<u64>,
    /// Maximum size of what is fetched from a remote repository in MiB [default: 2048]
    #[arg(long, env = "FORGEGUARD_MAX_IMPORT_MIB", value_name = "MIB", global = true)]
    pub max_import_mib: Option<u64>,
    /// Maximum uncompressed size of a push in MiB [default: 16384]
    #[arg(long, env = "FORGEGUARD_MAX_PUSH_EXPANDED_MIB", value_name = "MIB", global = true)]
    pub max_push_expanded_mib: Option<u64>,
    /// Pushes that are received concurrently [default: 16]
    #[arg(long, env = "FORGEGUARD_MAX_PUSHES", value_name = "N", global = true)]
    pub max_pushes: Option<usize>,
    /// Email address of the account that is created if there is none
    #[arg(long, env = "FORGEGUARD_ADMIN_EMAIL", value_name = "EMAIL", global = true)]
    pub admin_email: Option<String>,
    /// Password of that account: only from `FORGEGUARD_ADMIN_PASSWORD` or the file.
    #[arg(skip)]
    pub admin_password: Option<Secret<String>>,
    /// Database address: only from `DATABASE_URL` or the file.
    #[arg(skip)]
    pub database_url: Option<Secret<String>>,
    /// Models of agents: only from the file, except the default model.
    #[arg(skip)]
    pub models: ModelsSection,
    /// Prices and limits of models: only from the file.
    #[arg(skip)]
    pub catalog: BTreeMap<String, CatalogEntry>,
    /// Seconds until failed work is retried: only from the file.
    #[arg(skip)]
    pub waits: Option<RetryWaits>,
    /// Permission rules of the installation: only from the file.
    #[arg(skip)]
    pub permissions: Vec<Rule>,
    /// Network access of commands: only from the file.
    #[arg(skip)]
    pub network: NetworkSection,
}

/// Network access of gates that request it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkSection {
    /// False disables it for the whole installation.
    pub enabled: bool,
    /// Allowed destinations besides public addresses, such as `10.0.0.0/8` or
    /// `registry.internal:443`.
    pub allow: Vec<String>,
}

impl Default for NetworkSection {
    fn default() -> Self {
        Self { enabled: true, allow: Vec::new() }
    }
}

impl Settings {
    /// Settings that are missing here are taken from `weaker`.
    pub fn or(self, weaker: Self) -> Self {
        Self {
            listen: self.listen.or(weaker.listen),
            data_dir: self.data_dir.or(weaker.data_dir),
            public_url: self.public_url.or(weaker.public_url),
            trusted_proxies: self.trusted_proxies.or(weaker.trusted_proxies),
            max_connections: self.max_connections.or(weaker.max_connections),
            max_connections_per_address: self
                .max_connections_per_address
                .or(weaker.max_connections_per_address),
            request_timeout: self.request_timeout.or(weaker.request_timeout),
            required_approvals: self.required_approvals.or(weaker.required_approvals),
            approver_cooldown: self.approver_cooldown.or(weaker.approver_cooldown),
            role: self.role.or(weaker.role),
            workers: self.workers.or(weaker.workers),
            sandbox: self.sandbox.or(weaker.sandbox),
            sandbox_total_memory: self.sandbox_total_memory.or(weaker.sandbox_total_memory),
            executor_command: self.executor_command.or(weaker.executor_command),
            log_format: self.log_format.or(weaker.log_format),
            log: self.log.or(weaker.log),
            node: self.node.or(weaker.node),
            clarification_timeout: self.clarification_timeout.or(weaker.clarification_timeout),
            scenario: self.scenario.or(weaker.scenario),
            demo_pace: self.demo_pace.or(weaker.demo_pace),
            max_push_mib: self.max_push_mib.or(weaker.max_push_mib),
            max_import_mib: self.max_import_mib.or(weaker.max_import_mib),
            max_push_expanded_mib: self.max_push_expanded_mib.or(weaker.max_push_expanded_mib),
            max_pushes: self.max_pushes.or(weaker.max_pushes),
            admin_email: self.admin_email.or(weaker.admin_email),
            admin_password: self.admin_password.or(weaker.admin_password),
            database_url: self.database_url.or(weaker.database_url),
            // Only in the file.
            models: weaker.models,
            catalog: weaker.catalog,
            waits: weaker.waits,
            permissions: weaker.permissions,
            network: weaker.network,
        }
    }
}
