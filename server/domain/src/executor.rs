//! What implements the phases of a build: the built-in agent, an external coding agent, or a user.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What performs the coder's work in a build. Scouts, planners, auditors and the last attempt to fix
/// are always the built-in agent's.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Executor {
    /// ForgeGuard's own agent loop.
    #[default]
    Builtin,
    ClaudeCode,
    Codex,
    Opencode,
    GeminiCli,
    /// The command that the configuration names.
    Custom,
    /// A user, or an agent of theirs, in a clone of the branch.
    OwnEditor,
}

/// What performs the coder's work in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseExecutor {
    pub phase: u32,
    pub executor: Executor,
}

impl Executor {
    pub const ALL: [Self; 7] = [
        Self::Builtin,
        Self::ClaudeCode,
        Self::Codex,
        Self::Opencode,
        Self::GeminiCli,
        Self::Custom,
        Self::OwnEditor,
    ];

    /// The name stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::ClaudeCode => "claude_code",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::GeminiCli => "gemini_cli",
            Self::Custom => "custom",
            Self::OwnEditor => "own_editor",
        }
    }

    /// The name shown.
    pub fn label(self) -> &'static str {
        match self {
            Self::Builtin => "Built-in agent",
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Opencode => "opencode",
            Self::GeminiCli => "Gemini CLI",
            Self::Custom => "Custom command",
            Self::OwnEditor => "Own editor",
        }
    }

    /// Whether it is ForgeGuard's own agent loop.
    pub fn is_builtin(&self) -> bool {
        *self == Self::Builtin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_name_is_the_serialized_one() {
        for executor in Executor::ALL {
            assert_eq!(serde_json::json!(executor), executor.name());
        }
    }
}
