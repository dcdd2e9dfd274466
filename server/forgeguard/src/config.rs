//! All settings, from flags, the environment and one file. Nothing else reads the environment.
//!
//! A flag wins over `FORGEGUARD_<NAME>`, which wins over `forgeguard.toml`. What must not be seen
//! in a list of processes (the database's address, the first admin's password) has no flag.

mod error;
mod load;
mod models;
mod settings;
mod values;

pub use error::ConfigError;
pub use load::load;
pub use models::{Access, ModelName, ModelSettings, ProviderName};
pub use settings::{LogFormat, NodeRole, SandboxChoice, Settings};
pub use values::{Config, Database, FirstAdmin, LogSettings};
