//! The parts of the host's file system that every command may read.

use std::path::{Path, PathBuf};

/// The default `PATH`, after the policy's directories.
pub const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Programs and libraries.
pub const DIRECTORIES: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"];

/// Configuration that programs require. No file here may contain a secret.
const CONFIGURATION: [&str; 36] = [
    "alternatives",
    "bash.bashrc",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gai.conf",
    "group",
    "host.conf",
    "hosts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "localtime",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "perl",
    "php",
    "pki/ca-trust",
    "pki/tls/certs",
    "pki/tls/cert.pem",
    "pki/tls/openssl.cnf",
    "protocols",
    "resolv.conf",
    "rpc",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
];

/// Files about the machine that language runtimes read at startup.
pub const PROC_FILES: [&str; 7] = [
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
];

/// Directory of kernel settings that language runtimes read.
pub const PROC_SYS: &str = "/proc/sys";

/// Devices that store nothing.
pub const DEVICES: [&str; 5] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The configuration files and directories that exist on this machine.
pub fn configuration() -> impl Iterator<Item = PathBuf> {
    let java = entries_starting_with("java");
    CONFIGURATION
        .iter()
        .map(|name| Path::new("/etc").join(name))
        .chain(java)
        .filter(|path| path.exists())
}

fn entries_starting_with(prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir("/etc") else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .collect()
}
