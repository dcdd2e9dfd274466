//! One struct for flags, environment and file alike, so that the three cannot drift apart.

use std::{collections::BTreeMap, path::PathBuf};

use clap::{Args, ValueEnum};
use serde::Deserialize;

use domain::{failure::RetryWaits, permission::Rule};

use super::models::{ModelsSection, PriceEntry};
use crate::secret::Secret;

/// What this node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum NodeRole {
    /// Answers requests and runs builds.
    All,
    /// Answers requests.
    Web,
    /// Runs builds.
    Worker,
}

/// How agents' commands are confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum SandboxChoice {
    /// The strongest level that holds here; refused where none does.
    Auto,
    /// Bubblewrap or nothing.
    Strict,
    /// Landlock or nothing.
    Landlock,
    /// Not at all: only where nobody else's code runs.
    None,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Settings as they were given; what is None was not.
#[derive(Args, Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Host and port to listen on; port 0 takes a free one [default: 127.0.0.1:8080]
    #[arg(long, env = "FORGEGUARD_LISTEN", value_name = "HOST:PORT", global = true)]
    pub listen: Option<String>,
    /// Directory for all that lasts [default: ./data]
    #[arg(long, env = "FORGEGUARD_DATA_DIR", value_name = "DIR", global = true)]
    pub data_dir: Option<PathBuf>,
    /// The address that browsers use, where a proxy stands in between
    #[arg(long, env = "FORGEGUARD_PUBLIC_URL", value_name = "URL", global = true)]
    pub public_url: Option<String>,
    /// What this node does [default: all]
    #[arg(long, env = "FORGEGUARD_ROLE", value_enum, global = true)]
    pub role: Option<NodeRole>,
    /// How many builds it runs at once [default: 5]
    #[arg(long, env = "FORGEGUARD_WORKERS", value_name = "N", global = true)]
    pub workers: Option<usize>,
    /// How agents' commands are confined [default: auto]
    #[arg(long, env = "FORGEGUARD_SANDBOX", value_enum, global = true)]
    pub sandbox: Option<SandboxChoice>,
    /// How log lines look [default: text]
    #[arg(long, env = "FORGEGUARD_LOG_FORMAT", value_enum, global = true)]
    pub log_format: Option<LogFormat>,
    /// What is logged, such as `info,forgeguard=debug` [default: info,sqlx=warn]
    #[arg(long, env = "FORGEGUARD_LOG", value_name = "FILTER", global = true)]
    pub log: Option<String>,
    /// This node's name in journals and leases [default: the host's name]
    #[arg(long, env = "FORGEGUARD_NODE", value_name = "NAME", global = true)]
    pub node: Option<String>,
    /// Seconds that a question waits, or `never` [default: 600]
    #[arg(long, env = "FORGEGUARD_CLARIFICATION_TIMEOUT", value_name = "SECONDS", global = true)]
    pub clarification_timeout: Option<String>,
    /// What the offline model plays: a scenario that `forgeguard scenario` has written
    #[arg(long, env = "FORGEGUARD_SCENARIO", value_name = "FILE", global = true)]
    pub scenario: Option<PathBuf>,
    /// Milliseconds before each piece of what the offline model says [default: 25]
    #[arg(long, env = "FORGEGUARD_DEMO_PACE", value_name = "MS", global = true)]
    pub demo_pace: Option<u64>,
    /// Address of the account to make when there is none
    #[arg(long, env = "FORGEGUARD_ADMIN_EMAIL", value_name = "EMAIL", global = true)]
    pub admin_email: Option<String>,
    /// Its password: from `FORGEGUARD_ADMIN_PASSWORD` or the file alone.
    #[arg(skip)]
    pub admin_password: Option<Secret<String>>,
    /// The database's address: from `DATABASE_URL` or the file alone.
    #[arg(skip)]
    pub database_url: Option<Secret<String>>,
    /// Which models agents talk to: from the file alone, but for the usual one.
    #[arg(skip)]
    pub models: ModelsSection,
    /// What models cost: from the file alone.
    #[arg(skip)]
    pub prices: BTreeMap<String, PriceEntry>,
    /// Seconds before what failed is tried again: from the file alone.
    #[arg(skip)]
    pub waits: Option<RetryWaits>,
    /// What agents may do, whatever the project: from the file alone.
    #[arg(skip)]
    pub permissions: Vec<Rule>,
}

impl Settings {
    /// These settings, and where they say nothing, those of `weaker`.
    pub fn or(self, weaker: Self) -> Self {
        Self {
            listen: self.listen.or(weaker.listen),
            data_dir: self.data_dir.or(weaker.data_dir),
            public_url: self.public_url.or(weaker.public_url),
            role: self.role.or(weaker.role),
            workers: self.workers.or(weaker.workers),
            sandbox: self.sandbox.or(weaker.sandbox),
            log_format: self.log_format.or(weaker.log_format),
            log: self.log.or(weaker.log),
            node: self.node.or(weaker.node),
            clarification_timeout: self.clarification_timeout.or(weaker.clarification_timeout),
            scenario: self.scenario.or(weaker.scenario),
            demo_pace: self.demo_pace.or(weaker.demo_pace),
            admin_email: self.admin_email.or(weaker.admin_email),
            admin_password: self.admin_password.or(weaker.admin_password),
            database_url: self.database_url.or(weaker.database_url),
            // What only the file has.
            models: weaker.models,
            prices: weaker.prices,
            waits: weaker.waits,
            permissions: weaker.permissions,
        }
    }
}
