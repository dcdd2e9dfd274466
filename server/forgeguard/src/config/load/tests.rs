//! Settings from the file and from flags.

use super::*;
use crate::config::SandboxChoice;

fn resolved(settings: Settings) -> Result<Config, ConfigError> {
    resolve(settings, "host".to_owned())
}

#[test]
fn given_settings_take_precedence_over_the_file() {
    let given = Settings { listen: Some("a:1".into()), ..Settings::default() };
    let file =
        toml::from_str("listen = 'b:2'\nworkers = 3\nsandbox = 'none'\nsandbox_total_memory = 512")
            .unwrap();
    let config = resolved(given.or(file)).unwrap();
    assert_eq!((config.listen.as_str(), config.workers), ("a:1", 3));
    assert_eq!(config.sandbox, SandboxChoice::None);
    assert_eq!(config.sandbox_total_memory_bytes, Some(512 << 20));
    let config = resolved(Settings::default()).unwrap();
    assert_eq!(config.sandbox, SandboxChoice::Strict);
    assert_eq!(config.node, "host");
}

#[test]
fn permissions_are_read_from_the_file() {
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
fn network_access_defaults_to_public_addresses() {
    let read = |section: &str| {
        let file: Settings = toml::from_str(&format!("[network]\n{section}")).unwrap();
        resolved(Settings::default().or(file)).map(|config| config.network)
    };
    assert_eq!(read("").unwrap(), Some(EgressRules::default()));
    let allow = vec!["127.0.0.0/8".parse().unwrap(), "db.internal:5432".parse().unwrap()];
    let section = "allow = ['127.0.0.0/8', 'db.internal:5432']";
    assert_eq!(read(section).unwrap(), Some(EgressRules { allow }));
    assert_eq!(read("enabled = false").unwrap(), None);
    let error = read("allow = ['https://db.internal']").unwrap_err().to_string();
    assert!(error.starts_with("network.allow: `https://db.internal`"), "{error}");
}

#[test]
fn unknown_setting_is_rejected() {
    let error = toml::from_str::<Settings>("lisden = 'x'").unwrap_err();
    assert!(error.to_string().contains("lisden"), "{error}");
}

#[test]
fn setting_out_of_bounds_is_named() {
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        resolved(settings)
    };
    for (result, setting) in [
        (with(|s| s.workers = Some(0)), "workers"),
        (with(|s| s.sandbox_total_memory = Some(255)), "sandbox_total_memory"),
        (with(|s| s.sandbox_total_memory = Some(u64::MAX)), "sandbox_total_memory"),
        (with(|s| s.public_url = Some("forge.example.org".into())), "public_url"),
        (with(|s| s.public_url = Some("https://a.org/path".into())), "public_url"),
        (with(|s| s.trusted_proxies = Some(vec!["proxy".into()])), "trusted_proxies"),
        (with(|s| s.max_connections = Some(0)), "max_connections"),
        (with(|s| s.request_timeout = Some(0)), "request_timeout"),
        (with(|s| s.required_approvals = Some(3)), "required_approvals"),
        (with(|s| s.clarification_timeout = Some("soon".into())), "clarification_timeout"),
        (with(|s| s.admin_email = Some("a@b.org".into())), "admin_email"),
    ] {
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with(setting), "{error}");
    }
}

#[test]
fn question_timeout_may_be_never() {
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
