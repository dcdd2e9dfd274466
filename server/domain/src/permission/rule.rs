//! A rule: what is asked for, which of it, and what follows.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Rules of one layer at the most.
pub const MAX_RULES: usize = 100;
/// Characters of the longest pattern.
const MAX_PATTERN_CHARS: usize = 500;

/// What an agent asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// To read a file or a folder; the subject is its path from the project's top.
    Read,
    /// To change a file; the subject is its path from the project's top.
    Edit,
    /// To run a shell line; the subject is the line and each command in it.
    Bash,
    /// To call a tool of an MCP server; the subject is the tool's name.
    Mcp,
    /// To reach outside of the project; the subject is an absolute path. No tool can.
    ExternalDirectory,
    /// To go on making the same call; the subject is the tool's name. The build is blocked.
    DoomLoop,
}

impl Permission {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Read, Self::Edit, Self::Bash, Self::Mcp, Self::ExternalDirectory, Self::DoomLoop];

    /// The name shown and stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Bash => "bash",
            Self::Mcp => "mcp",
            Self::ExternalDirectory => "external_directory",
            Self::DoomLoop => "doom_loop",
        }
    }

    /// What may be done, as it reads behind "may": `run`, `edit`.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Bash => "run",
            Self::Mcp => "call",
            Self::ExternalDirectory => "reach",
            Self::DoomLoop => "repeat",
        }
    }
}

/// What follows. What comes later is stricter.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
#[schema(as = PermissionAction)]
pub enum Action {
    /// It is done.
    Allow,
    /// A person is asked first.
    Ask,
    /// It is not done, and the agent is told so.
    Deny,
}

impl Action {
    /// The name shown and stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// One rule. Of several that fit, the last one counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PermissionRule)]
pub struct Rule {
    /// What is asked for.
    pub permission: Permission,
    /// Which of it: 1 to 500 characters, where `*` is any text and `?` any one character.
    pub pattern: String,
    /// What follows.
    pub action: Action,
}

/// What is wrong with a rule, and in which field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct InvalidRule {
    /// The field's name.
    pub field: &'static str,
    /// In plain words.
    pub reason: &'static str,
}

impl Rule {
    /// Checks the pattern.
    pub fn validate(&self) -> Result<(), InvalidRule> {
        let invalid = |reason| Err(InvalidRule { field: "pattern", reason });
        let fits = (1..=MAX_PATTERN_CHARS).contains(&self.pattern.chars().count());
        if !fits || self.pattern.trim().is_empty() {
            return invalid("write a pattern of 1 to 500 characters, such as `git *`");
        }
        if self.pattern.chars().any(char::is_control) {
            return invalid("a pattern cannot hold control characters; `*` covers line breaks");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_length_is_limited() {
        let rule = |pattern: &str| Rule {
            permission: Permission::Bash,
            pattern: pattern.into(),
            action: Action::Ask,
        };
        for pattern in ["", "  ", "a\0b", "a\nb", &"x".repeat(501)] {
            assert_eq!(rule(pattern).validate().unwrap_err().field, "pattern", "{pattern:?}");
        }
        for pattern in ["*", "rm -rf *", &"é".repeat(500)] {
            assert_eq!(rule(pattern).validate(), Ok(()), "{pattern:?}");
        }
    }

    #[test]
    fn names_are_the_stored_ones() {
        for permission in Permission::ALL {
            assert_eq!(serde_json::to_value(permission).unwrap(), permission.name());
        }
        assert!(Action::Allow < Action::Ask && Action::Ask < Action::Deny);
        for action in [Action::Allow, Action::Ask, Action::Deny] {
            assert_eq!(serde_json::to_value(action).unwrap(), action.name());
        }
    }
}
