//! Why settings cannot be used.

use std::{io, path::PathBuf};

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that was named cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not what it should be.
    #[error("{path} is not valid: {source}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A setting has a value that it cannot have.
    #[error("{setting}: {why}")]
    Invalid {
        /// The setting, as in the file.
        setting: &'static str,
        /// In plain words.
        why: &'static str,
    },
}
