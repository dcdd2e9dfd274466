//! Configuration from flags, the environment and a file. No other module reads the environment.
//!
//! Flags take precedence over `FORGEGUARD_<NAME>`, which takes precedence over `forgeguard.toml`.
//! Settings that must not appear in process lists (database address, admin password) have no flag.

mod error;
mod load;
mod models;
mod settings;
mod toolchains;
mod values;

pub use error::ConfigError;
pub use load::{forge_key, host_name, load, user_directory};
pub use models::{Access, ModelName, ModelSettings, ProviderName, default_model};
pub use settings::{LogFormat, NodeRole, SandboxChoice, Settings};
pub use values::{Config, ConnectionLimits, Database, FirstAdmin, LogSettings};
