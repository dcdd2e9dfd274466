//! Merges flags, environment and file, and validates the result.

#[cfg(test)]
mod tests;

use std::{
    env, fs, io,
    mem::take,
    path::{Path, PathBuf},
    time::Duration,
};

use chrono::TimeDelta;
use domain::permission::{MAX_RULES, Rule};
use etcetera::BaseStrategy;
use sandbox::EgressRules;

use super::{
    error::ConfigError,
    models::{self, Access, Keys, ModelsSection, NamedModels},
    settings::{LogFormat, NetworkSection, NodeRole, Settings},
    toolchains,
    values::{Config, ConnectionLimits, FirstAdmin, LogSettings},
};
use crate::{
    api::{ApprovalPolicy, TrustedProxies},
    engine::PushLimits,
    secret::Secret,
};

/// Read if no other file is given.
const DEFAULT_FILE: &str = "forgeguard.toml";

/// The configuration: `given` on the command line or in the environment, then secrets of the
/// environment, then `file` (default: `forgeguard.toml` if it exists). Without `with_models` the
/// model settings are ignored, and so are errors in them.
pub fn load(
    given: Settings,
    file: Option<&Path>,
    with_models: bool,
) -> Result<Config, ConfigError> {
    let secrets = Settings {
        admin_password: variable("FORGEGUARD_ADMIN_PASSWORD").map(Secret::new),
        database_url: variable("DATABASE_URL").map(Secret::new),
        ..Settings::default()
    };
    let anthropic = Access {
        key: variable("ANTHROPIC_API_KEY").map(Secret::new),
        auth_token: variable("ANTHROPIC_AUTH_TOKEN").map(Secret::new),
        base_url: variable("ANTHROPIC_BASE_URL"),
        ..Access::NONE
    };
    let openai = Access {
        key: variable("OPENAI_API_KEY").map(Secret::new),
        base_url: variable("OPENAI_BASE_URL"),
        ..Access::NONE
    };
    let named = ModelsSection {
        usual: variable("FORGEGUARD_MODEL"),
        scout: variable("FORGEGUARD_MODEL_SCOUT"),
        coder: variable("FORGEGUARD_MODEL_CODER"),
        auditor: variable("FORGEGUARD_MODEL_AUDITOR"),
        fixer: variable("FORGEGUARD_MODEL_FIXER"),
        ..ModelsSection::default()
    };
    let mut settings = given.or(secrets).or(read_file(file)?);
    let named = NamedModels::new(named, take(&mut settings.models));
    let catalog = take(&mut settings.catalog);
    let keys = Keys { anthropic, openai };
    let scenario = take(&mut settings.scenario);
    let mut config = resolve(settings, host_name())?;
    if with_models {
        config.models = models::resolve(named, catalog, keys, scenario)?;
    }
    if let Some(path) = variable("PATH") {
        // Not the current directory, even if PATH contains it.
        config.search_path =
            env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    }
    Ok(Config { toolchains: toolchains::find(&config.search_path), ..config })
}

/// The key of commands about a server, in the environment.
pub fn forge_key() -> Option<Secret<String>> {
    variable("FORGEGUARD_KEY").map(Secret::new)
}

/// The folder of the user's own settings, such as `~/.config/forgeguard`.
pub fn user_directory() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|base| base.config_dir().join("forgeguard"))
}

#[expect(clippy::disallowed_methods, reason = "the only place that reads the environment")]
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The name of this machine.
pub fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "node-1".to_owned(),
        name => name.to_owned(),
    }
}

fn read_file(named: Option<&Path>) -> Result<Settings, ConfigError> {
    let path = named.unwrap_or(Path::new(DEFAULT_FILE)).to_owned();
    match fs::read_to_string(&path) {
        Ok(text) => toml::from_str(&text)
            .map_err(|source| ConfigError::Malformed { path, source: Box::new(source) }),
        Err(e) if e.kind() == io::ErrorKind::NotFound && named.is_none() => Ok(Settings::default()),
        Err(source) => Err(ConfigError::Unreadable { path, source }),
    }
}

fn resolve(settings: Settings, host_name: String) -> Result<Config, ConfigError> {
    let usual = Config::in_directory(settings.data_dir.unwrap_or_else(|| "data".into()));
    Ok(Config {
        listen: settings.listen.unwrap_or(usual.listen),
        data_dir: usual.data_dir,
        database_url: settings.database_url,
        public_url: settings.public_url.map(public_url).transpose()?,
        trusted_proxies: trusted_proxies(settings.trusted_proxies.unwrap_or_default())?,
        connections: ConnectionLimits {
            max: positive("max_connections", settings.max_connections, usual.connections.max)?,
            max_per_address: positive(
                "max_connections_per_address",
                settings.max_connections_per_address,
                usual.connections.max_per_address,
            )?,
            request_timeout: match settings.request_timeout {
                Some(0) => {
                    return Err(ConfigError::Invalid {
                        setting: "request_timeout",
                        why: "must be a number of seconds above 0",
                    });
                }
                Some(seconds) => Duration::from_secs(seconds),
                None => usual.connections.request_timeout,
            },
        },
        approval: approval(
            settings.required_approvals,
            settings.approver_cooldown,
            usual.approval,
        )?,
        role: settings.role.unwrap_or(NodeRole::All),
        workers: workers(settings.workers.unwrap_or(usual.workers))?,
        sandbox: settings.sandbox.unwrap_or(usual.sandbox),
        sandbox_total_memory_bytes: settings
            .sandbox_total_memory
            .map(sandbox_total_memory)
            .transpose()?,
        log: LogSettings {
            format: settings.log_format.unwrap_or(LogFormat::Text),
            filter: settings.log.unwrap_or(usual.log.filter),
        },
        first_admin: first_admin(settings.admin_email, settings.admin_password)?,
        node: settings.node.unwrap_or(host_name),
        clarification_timeout_s: match settings.clarification_timeout {
            Some(text) => clarification_timeout(&text)?,
            None => usual.clarification_timeout_s,
        },
        demo_pace: settings.demo_pace.map_or(usual.demo_pace, Duration::from_millis),
        models: usual.models,
        waits: settings.waits.unwrap_or_default(),
        permissions: permissions(settings.permissions)?,
        network: network(settings.network)?,
        push_limits: push_limits(
            usual.push_limits,
            settings.max_push_mib,
            settings.max_push_expanded_mib,
            settings.max_import_mib,
            settings.max_pushes,
        )?,
        stream: usual.stream,
        search_path: usual.search_path,
        toolchains: usual.toolchains,
        executor_command: settings.executor_command.filter(|line| !line.trim().is_empty()),
        supervisor: usual.supervisor,
    })
}

fn public_url(url: String) -> Result<String, ConfigError> {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match host.map(|host| host.trim_end_matches('/')) {
        Some(host) if !host.is_empty() && !host.contains('/') => {
            Ok(url.trim_end_matches('/').to_owned())
        }
        _ => Err(ConfigError::Invalid {
            setting: "public_url",
            why: "must be scheme and host only, such as https://forge.example.org",
        }),
    }
}

fn trusted_proxies(addresses: Vec<String>) -> Result<TrustedProxies, ConfigError> {
    TrustedProxies::parse(&addresses).ok_or(ConfigError::Invalid {
        setting: "trusted_proxies",
        why: "must be addresses or networks, such as 10.0.0.7 or 10.0.0.0/8",
    })
}

fn positive(
    setting: &'static str,
    given: Option<usize>,
    default: usize,
) -> Result<usize, ConfigError> {
    match given.unwrap_or(default) {
        0 => Err(ConfigError::Invalid { setting, why: "must be at least 1" }),
        count => Ok(count),
    }
}

fn approval(
    required: Option<u32>,
    cooldown_s: Option<u32>,
    default: ApprovalPolicy,
) -> Result<ApprovalPolicy, ConfigError> {
    let required = required.unwrap_or(default.required);
    if !(1..=2).contains(&required) {
        return Err(ConfigError::Invalid { setting: "required_approvals", why: "choose 1 or 2" });
    }
    let seconds = |seconds| TimeDelta::seconds(i64::from(seconds));
    Ok(ApprovalPolicy { required, cooldown: cooldown_s.map_or(default.cooldown, seconds) })
}

fn workers(count: usize) -> Result<usize, ConfigError> {
    if (1..=1_000).contains(&count) {
        return Ok(count);
    }
    Err(ConfigError::Invalid { setting: "workers", why: "must be between 1 and 1,000" })
}

const MIN_SANDBOX_MEMORY_MIB: u64 = 256;

fn sandbox_total_memory(mebibytes: u64) -> Result<u64, ConfigError> {
    match mebibytes.checked_mul(1 << 20) {
        Some(bytes) if mebibytes >= MIN_SANDBOX_MEMORY_MIB => Ok(bytes),
        _ => Err(ConfigError::Invalid {
            setting: "sandbox_total_memory",
            why: "must be a number of MiB, at least 256",
        }),
    }
}

/// The default limits, except those that are set.
fn push_limits(
    mut limits: PushLimits,
    size_mib: Option<u64>,
    expanded_mib: Option<u64>,
    import_mib: Option<u64>,
    concurrent: Option<usize>,
) -> Result<PushLimits, ConfigError> {
    let bytes = |setting, mib| match mib {
        1..=1_048_576 => Ok(mib * 1024 * 1024),
        _ => Err(ConfigError::Invalid { setting, why: "must be between 1 and 1,048,576 MiB" }),
    };
    if let Some(mib) = size_mib {
        limits.max_size = bytes("max_push_mib", mib)?;
    }
    if let Some(mib) = expanded_mib {
        limits.pack.max_expanded = bytes("max_push_expanded_mib", mib)?;
    }
    if let Some(mib) = import_mib {
        limits.max_import = bytes("max_import_mib", mib)?;
    }
    match concurrent.unwrap_or(limits.max_concurrent) {
        max_concurrent @ 1..=1_000 => Ok(PushLimits { max_concurrent, ..limits }),
        _ => {
            Err(ConfigError::Invalid { setting: "max_pushes", why: "must be between 1 and 1,000" })
        }
    }
}

fn permissions(rules: Vec<Rule>) -> Result<Vec<Rule>, ConfigError> {
    let setting = "permissions";
    if rules.len() > MAX_RULES {
        return Err(ConfigError::Invalid { setting, why: "must have at most 100 rules" });
    }
    match rules.iter().find_map(|rule| rule.validate().err()) {
        Some(invalid) => Err(ConfigError::Invalid { setting, why: invalid.reason }),
        None => Ok(rules),
    }
}

fn network(section: NetworkSection) -> Result<Option<EgressRules>, ConfigError> {
    let allow: Result<Vec<_>, _> = section.allow.iter().map(|text| text.parse()).collect();
    let rules = EgressRules { allow: allow? };
    Ok(section.enabled.then_some(rules))
}

fn clarification_timeout(text: &str) -> Result<Option<u32>, ConfigError> {
    match (text, text.parse()) {
        ("never", _) => Ok(None),
        (_, Ok(seconds)) if seconds > 0 => Ok(Some(seconds)),
        _ => Err(ConfigError::Invalid {
            setting: "clarification_timeout",
            why: "must be a number of seconds above 0, or `never`",
        }),
    }
}

fn first_admin(
    email: Option<String>,
    password: Option<Secret<String>>,
) -> Result<Option<FirstAdmin>, ConfigError> {
    match (email, password) {
        (Some(email), Some(password)) => Ok(Some(FirstAdmin { email, password })),
        (None, None) => Ok(None),
        _ => Err(ConfigError::Invalid {
            setting: "admin_email",
            why: "the first administrator needs both an address and FORGEGUARD_ADMIN_PASSWORD",
        }),
    }
}
