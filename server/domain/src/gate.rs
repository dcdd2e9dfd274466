//! Gates: the checks that must pass, as a project defines them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The gates that ForgeGuard itself performs; a project cannot take these names.
pub const BUILT_IN: [&str; 2] = ["validate", "scope"];

/// Gates of one project at the most.
pub const MOST_GATES: usize = 20;

/// A check that a project asks for, as a command that must exit 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Gate)]
pub struct GateDefinition {
    /// Short name, unique in the project: lower-case letters, digits and `-`, at most 40.
    pub name: String,
    /// Shell command, run in the worktree.
    pub command: String,
    /// Seconds until its whole process tree is ended.
    pub timeout_s: u32,
    /// Whether the phase waits for it to pass.
    pub required: bool,
    /// Whether it may use the network.
    pub network: bool,
}

/// How strongly a command was confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SandboxLevel {
    /// Bubblewrap: own namespaces.
    Strict,
    /// Landlock and seccomp in the host's namespaces.
    Landlock,
    /// Not confined, because the operator said so.
    None,
}

impl SandboxLevel {
    /// The name shown and stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Landlock => "landlock",
            Self::None => "none",
        }
    }
}

/// What is wrong with a gate definition, and in which field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct InvalidGate {
    /// The field's name.
    pub field: &'static str,
    /// In plain words.
    pub reason: &'static str,
}

impl GateDefinition {
    /// Checks name, command and time-out.
    pub fn validate(&self) -> Result<(), InvalidGate> {
        let invalid = |field, reason| Err(InvalidGate { field, reason });
        let name_fits = (1..=40).contains(&self.name.len())
            && self.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !name_fits {
            return invalid("name", "use 1 to 40 lower-case letters, digits and hyphens");
        }
        if BUILT_IN.contains(&self.name.as_str()) {
            return invalid("name", "this name belongs to a built-in gate");
        }
        if self.command.trim().is_empty() || self.command.len() > 2_000 {
            return invalid("command", "write a command of at most 2,000 characters");
        }
        if self.command.contains('\0') {
            return invalid("command", "a command cannot hold a NUL character");
        }
        if !(1..=3_600).contains(&self.timeout_s) {
            return invalid("timeout_s", "choose between 1 and 3,600 seconds");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(name: &str, command: &str, timeout_s: u32) -> GateDefinition {
        let (name, command) = (name.into(), command.into());
        GateDefinition { name, command, timeout_s, required: true, network: false }
    }

    #[test]
    fn refuses_with_the_field_named() {
        for (definition, field) in [
            (gate("", "true", 1), "name"),
            (gate("Test", "true", 1), "name"),
            (gate("validate", "true", 1), "name"),
            (gate("test", " ", 1), "command"),
            (gate("test", "a\0b", 1), "command"),
            (gate("test", "true", 0), "timeout_s"),
            (gate("test", "true", 3_601), "timeout_s"),
        ] {
            assert_eq!(definition.validate().unwrap_err().field, field, "{definition:?}");
        }
        assert_eq!(gate("unit-tests", "node --test", 300).validate(), Ok(()));
    }
}
