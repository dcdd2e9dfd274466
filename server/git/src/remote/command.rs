//! The `git` command for a remote, with its credential.

use std::{fs, io::Write, path::Path, process::Stdio};

use tempfile::NamedTempFile;
use tokio::process::Command;

use super::{
    access::{Login, RemoteAccess},
    url::Transport,
};
use crate::{
    error::GitError,
    program::{self, MEMORY_SETTINGS},
};

/// Gives the login to `git`, which asks only for the server that the setting names.
const HELPER: &str = r#"!f() { test "$1" = get && printf 'username=%s\npassword=%s\n' "$FORGEGUARD_LOGIN" "$FORGEGUARD_TOKEN"; }; f"#;
const LOGIN: &str = "FORGEGUARD_LOGIN";
const TOKEN: &str = "FORGEGUARD_TOKEN";

/// Nothing configured runs, nothing but the URL is connected to, and received objects are checked.
/// Flaws that old versions of git wrote and that cause no harm are accepted.
const SETTINGS: [&str; 25] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.maxTreeDepth=256",
    "safe.directory=*",
    "credential.helper=",
    "credential.interactive=false",
    "http.followRedirects=false",
    "http.proxy=",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
    "transfer.bundleURI=false",
    "transfer.credentialsInUrl=die",
    "fetch.bundleURI=",
    "fetch.uriProtocols=",
    "fetch.fsckObjects=true",
    "fetch.fsck.badDate=ignore",
    "fetch.fsck.badEmail=ignore",
    "fetch.fsck.badTimezone=ignore",
    "fetch.fsck.missingEmail=ignore",
    "fetch.fsck.missingNameBeforeEmail=ignore",
    "fetch.fsck.missingSpaceBeforeDate=ignore",
    "fetch.fsck.missingSpaceBeforeEmail=ignore",
    "fetch.fsck.zeroPaddedDate=ignore",
    "fetch.fsck.zeroPaddedFilemode=ignore",
    "gc.auto=0",
];

/// A command, and the file of its key, which is removed on drop.
pub(super) struct RemoteCommand {
    pub command: Command,
    _key: Option<NamedTempFile>,
}

impl RemoteCommand {
    /// `git NAME` in a repository, or in none.
    pub fn new(
        access: &RemoteAccess,
        name: &'static str,
        repository: Option<&Path>,
    ) -> Result<Self, GitError> {
        let mut command = Command::from(program::command());
        command
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "http:https:ssh")
            .args(SETTINGS.iter().chain(&MEMORY_SETTINGS).flat_map(|setting| ["-c", setting]))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let key = match access.url.transport() {
            Transport::Http | Transport::Https => {
                http(&mut command, access);
                None
            }
            Transport::Ssh => ssh(&mut command, access)?,
        };
        match repository {
            Some(path) => command.arg("--git-dir").arg(path),
            None => command.env("GIT_DIR", "/nonexistent").current_dir("/"),
        };
        command.arg(name);
        Ok(Self { command, _key: key })
    }
}

fn http(command: &mut Command, access: &RemoteAccess) {
    let (host, port) = (access.url.host(), access.url.port());
    if !host.contains(':') && host.parse::<std::net::Ipv4Addr>().is_err() {
        let addresses: Vec<String> =
            access.addresses.iter().map(|address| bracketed(address.ip())).collect();
        let resolved = format!("http.curloptResolve={host}:{port}:{}", addresses.join(","));
        command.arg("-c").arg(resolved);
    }
    if let Login::Token { username, token } = &access.login {
        let helper = format!("credential.{}.helper={HELPER}", access.url.origin());
        command.arg("-c").arg(helper).env(LOGIN, username).env(TOKEN, token);
    }
}

fn bracketed(address: std::net::IpAddr) -> String {
    match address {
        std::net::IpAddr::V4(address) => address.to_string(),
        std::net::IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// Sets the `ssh` command, which reads no configuration of users.
fn ssh(command: &mut Command, access: &RemoteAccess) -> Result<Option<NamedTempFile>, GitError> {
    let known_hosts = access.known_hosts.display().to_string();
    let alias = match access.url.port() {
        22 => access.url.host(),
        port => format!("[{}]:{port}", access.url.host()),
    };
    let mut words: Vec<String> = ["ssh", "-F", "/dev/null", "-T"].map(str::to_owned).into();
    let mut set = |option: String| words.extend(["-o".to_owned(), option]);
    for option in [
        "BatchMode=yes",
        "IdentityAgent=none",
        "IdentitiesOnly=yes",
        "PreferredAuthentications=publickey",
        "StrictHostKeyChecking=accept-new",
        "GlobalKnownHostsFile=/dev/null",
        "UpdateHostKeys=no",
        "HashKnownHosts=no",
        "ForwardAgent=no",
        "ClearAllForwardings=yes",
        "ConnectTimeout=20",
        "ServerAliveInterval=15",
        "ServerAliveCountMax=3",
    ] {
        set(option.to_owned());
    }
    set(format!("UserKnownHostsFile=\"{known_hosts}\""));
    set(format!("HostKeyAlias={alias}"));
    // Connects to the address that was checked, without resolving the name again.
    if let Some(address) = access.addresses.first() {
        set(format!("HostName={}", address.ip()));
    }
    let key = match &access.login {
        Login::Key { private_key } => Some(key_file(&access.key_folder, private_key)?),
        _ => None,
    };
    match &key {
        Some(file) => set(format!("IdentityFile=\"{}\"", file.path().display())),
        None => set("IdentityFile=none".to_owned()),
    }
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    command.env("GIT_SSH_COMMAND", words.join(" ")).env("GIT_SSH_VARIANT", "ssh");
    Ok(key)
}

/// Readable only by its owner.
fn key_file(folder: &Path, private_key: &str) -> Result<NamedTempFile, GitError> {
    fs::create_dir_all(folder).map_err(GitError::io("make a directory for a key"))?;
    let mut file = NamedTempFile::new_in(folder).map_err(GitError::io("write a key"))?;
    file.write_all(private_key.as_bytes()).map_err(GitError::io("write a key"))?;
    file.flush().map_err(GitError::io("write a key"))?;
    Ok(file)
}

/// For `sh`, which git runs the `ssh` command with.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(url: &str, login: Login) -> RemoteAccess {
        RemoteAccess {
            url: url.parse().unwrap(),
            addresses: vec!["192.0.2.1:443".parse().unwrap()],
            login,
            known_hosts: "/data/known hosts".into(),
            key_folder: "/data/keys".into(),
        }
    }

    #[test]
    fn token_is_no_argument() {
        let login = Login::Token { username: "git".into(), token: "tok-1".into() };
        let command = RemoteCommand::new(&access("https://host.org/a", login), "fetch", None)
            .unwrap()
            .command;
        let arguments = format!("{:?}", command.as_std().get_args().collect::<Vec<_>>());
        assert!(!arguments.contains("tok-1"), "{arguments}");
        assert!(arguments.contains("credential.https://host.org.helper="), "{arguments}");
        assert!(arguments.contains("http.curloptResolve=host.org:443:192.0.2.1"), "{arguments}");
    }

    #[test]
    fn key_is_in_a_file_of_its_owner() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = key_file(folder.path(), "secret").unwrap();
        let mode = file.as_file().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
