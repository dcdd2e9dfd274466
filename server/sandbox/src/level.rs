//! How strongly a command is confined.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Confinement levels, strongest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Bubblewrap: private namespaces, in which only explicitly mounted paths exist.
    Strict,
    /// Landlock rules on the host's file system. Names and attributes outside stay visible, and
    /// modes and times of files that the service's user owns can be changed; their content can be
    /// neither read nor written. Sockets are forbidden, so programs cannot connect to themselves
    /// over loopback.
    Landlock,
    /// Limits, a clean environment and termination of the whole tree, but no access restrictions.
    /// If the kernel supports it, signals are restricted and programs such as `sudo` gain no
    /// privileges, because termination depends on that.
    None,
}

impl Level {
    /// The lowercase name, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Landlock => "landlock",
            Self::None => "none",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
