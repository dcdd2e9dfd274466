//! Configuration errors.

use std::{io, path::PathBuf};

use sandbox::InvalidDestination;

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read {path}: {source}")]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{path} is not valid: {source}")]
    Malformed { path: PathBuf, source: Box<toml::de::Error> },
    /// A setting has an invalid value.
    #[error("{setting}: {why}")]
    Invalid {
        /// As named in the file.
        setting: &'static str,
        why: &'static str,
    },
    /// An invalid destination in the network section.
    #[error("network.allow: {0}")]
    InvalidDestination(#[from] InvalidDestination),
}
