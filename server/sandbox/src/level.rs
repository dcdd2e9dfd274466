//! How strongly a command is confined.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The strength of confinement, strongest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Bubblewrap: namespaces of its own, and nothing in sight that was not put there.
    Strict,
    /// Kernel rules on the ordinary file system. Names and attributes outside stay visible, and
    /// mode or times of files that the service's own user owns can be changed from inside;
    /// their content can be neither read nor written. Local sockets are closed, so programs
    /// cannot serve to themselves over loopback.
    Landlock,
    /// Limits, a clean environment and the end of the whole tree, but no walls. Where the kernel
    /// can, signals stay inside and programs like `sudo` gain nothing, as the end needs that.
    None,
}

impl Level {
    /// The lowercase word used on the wire and in evidence.
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
