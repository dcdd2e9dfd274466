//! Puts flags, environment and file together and says what is wrong with them.

use std::{
    env, fs, io,
    mem::take,
    path::{Path, PathBuf},
    time::Duration,
};

use domain::permission::{MOST_RULES, Rule};

use super::{
    error::ConfigError,
    models::{self, Access, Keys},
    settings::{LogFormat, NodeRole, SandboxChoice, Settings},
    values::{Config, FirstAdmin, LogSettings},
};
use crate::secret::Secret;

/// The file that is read when no other is named.
const FILE: &str = "forgeguard.toml";

/// The settings of this process: `given` on the command line or in the environment, then the
/// secrets of the environment, then `file` (`forgeguard.toml` where that exists).
pub fn load(given: Settings, file: Option<&Path>) -> Result<Config, ConfigError> {
    let secrets = Settings {
        admin_password: variable("FORGEGUARD_ADMIN_PASSWORD").map(Secret::new),
        database_url: variable("DATABASE_URL").map(Secret::new),
        ..Settings::default()
    };
    let access = |key, base_url| Access {
        key: variable(key).map(Secret::new),
        base_url: variable(base_url),
    };
    let anthropic = access("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL");
    let openai = access("OPENAI_API_KEY", "OPENAI_BASE_URL");
    let mut settings = given.or(secrets).or(read_file(file)?);
    let (named, prices) = (take(&mut settings.models), take(&mut settings.prices));
    let keys = Keys { anthropic, openai };
    let models = models::resolve(named, prices, keys, take(&mut settings.scenario))?;
    let config = Config { models, ..resolve(settings, host_name())? };
    Ok(Config { tool_path: tool_path(variable("PATH").unwrap_or_default()), ..config })
}

/// Where the usual languages are installed, if not in the system's own directories.
fn tool_path(path: String) -> Vec<PathBuf> {
    const PROGRAMS: [&str; 5] = ["node", "npm", "python3", "go", "cargo"];
    const SYSTEM: [&str; 6] =
        ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];
    let others = env::split_paths(&path).filter(|folder| {
        folder.is_absolute() && !SYSTEM.iter().any(|system| folder == Path::new(system))
    });
    let mut found = Vec::new();
    for folder in others.filter(|folder| PROGRAMS.iter().any(|name| folder.join(name).is_file())) {
        if !found.contains(&folder) {
            found.push(folder);
        }
    }
    found
}

#[expect(clippy::disallowed_methods, reason = "this is the place that reads the environment")]
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "node-1".to_owned(),
        name => name.to_owned(),
    }
}

fn read_file(named: Option<&Path>) -> Result<Settings, ConfigError> {
    let path = named.unwrap_or(Path::new(FILE)).to_owned();
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
        role: settings.role.unwrap_or(NodeRole::All),
        workers: workers(settings.workers.unwrap_or(usual.workers))?,
        sandbox: settings.sandbox.unwrap_or(SandboxChoice::Auto),
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
        stream: usual.stream,
        tool_path: usual.tool_path,
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
            why: "write scheme and host alone, such as https://forge.example.org",
        }),
    }
}

fn workers(count: usize) -> Result<usize, ConfigError> {
    if (1..=1_000).contains(&count) {
        return Ok(count);
    }
    Err(ConfigError::Invalid { setting: "workers", why: "choose between 1 and 1,000" })
}

fn permissions(rules: Vec<Rule>) -> Result<Vec<Rule>, ConfigError> {
    let setting = "permissions";
    if rules.len() > MOST_RULES {
        return Err(ConfigError::Invalid { setting, why: "write at most 100 rules" });
    }
    match rules.iter().find_map(|rule| rule.validate().err()) {
        Some(invalid) => Err(ConfigError::Invalid { setting, why: invalid.reason }),
        None => Ok(rules),
    }
}

fn clarification_timeout(text: &str) -> Result<Option<u32>, ConfigError> {
    match (text, text.parse()) {
        ("never", _) => Ok(None),
        (_, Ok(seconds)) if seconds > 0 => Ok(Some(seconds)),
        _ => Err(ConfigError::Invalid {
            setting: "clarification_timeout",
            why: "write a number of seconds above 0, or `never`",
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
            why: "the first admin needs both an address and FORGEGUARD_ADMIN_PASSWORD",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(settings: Settings) -> Result<Config, ConfigError> {
        resolve(settings, "host".to_owned())
    }

    #[test]
    fn what_is_given_wins_over_the_file() {
        let given = Settings { listen: Some("a:1".into()), ..Settings::default() };
        let file = toml::from_str("listen = 'b:2'\nworkers = 3\nsandbox = 'none'").unwrap();
        let config = resolved(given.or(file)).unwrap();
        assert_eq!((config.listen.as_str(), config.workers), ("a:1", 3));
        assert_eq!(config.sandbox, SandboxChoice::None);
        assert_eq!(config.node, "host");
    }

    #[test]
    fn permissions_are_rules_of_the_file() {
        let read = |pattern: &str| {
            let rule = format!("permission = 'bash'\npattern = '{pattern}'\naction = 'ask'");
            let file: Settings = toml::from_str(&format!("[[permissions]]\n{rule}")).unwrap();
            resolved(Settings::default().or(file))
        };
        assert_eq!(read("curl *").unwrap().permissions[0].pattern, "curl *");
        let error = read("").unwrap_err().to_string();
        assert!(error.starts_with("permissions: "), "{error}");
    }

    #[test]
    fn a_misspelt_setting_is_refused() {
        let error = toml::from_str::<Settings>("lisden = 'x'").unwrap_err();
        assert!(error.to_string().contains("lisden"), "{error}");
    }

    #[test]
    fn a_setting_out_of_bounds_is_named() {
        let with = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            resolved(settings)
        };
        for (result, setting) in [
            (with(|s| s.workers = Some(0)), "workers"),
            (with(|s| s.public_url = Some("forge.example.org".into())), "public_url"),
            (with(|s| s.public_url = Some("https://a.org/path".into())), "public_url"),
            (with(|s| s.clarification_timeout = Some("soon".into())), "clarification_timeout"),
            (with(|s| s.admin_email = Some("a@b.org".into())), "admin_email"),
        ] {
            let error = result.unwrap_err().to_string();
            assert!(error.starts_with(setting), "{error}");
        }
    }

    #[test]
    fn a_question_may_wait_for_ever() {
        assert_eq!(clarification_timeout("never").unwrap(), None);
        assert_eq!(clarification_timeout("30").unwrap(), Some(30));
    }

    #[test]
    fn secrets_are_not_printed() {
        let settings = Settings {
            admin_email: Some("a@b.org".into()),
            admin_password: Some(Secret::new("hunter2".into())),
            database_url: Some(Secret::new("postgres://u:hunter2@h/d".into())),
            ..Settings::default()
        };
        let shown = format!("{:?}", resolved(settings).unwrap());
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
