//! `run_command`: a shell line in the sandbox.

use std::time::Duration;

use async_trait::async_trait;
use domain::permission::Permission;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    commands::{ShellLine, about_call, sandbox_failed, told},
    context::ToolContext,
    error::ToolError,
    input,
    tool::{Effect, Tool, ToolReply},
};

const DEFAULT_TIMEOUT_S: u64 = 120;
const MAX_TIMEOUT_S: u64 = 600;
/// Bytes of the longest line.
const MAX_LINE: usize = 8 * 1024;

/// The tool.
pub struct RunCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Line for /bin/sh, run at the project's top folder.
    command: String,
    /// Seconds until it is stopped: up to 600, 120 if left out.
    #[serde(default)]
    timeout_s: Option<u64>,
}

#[async_trait]
impl Tool for RunCommand {
    fn name(&self) -> &'static str {
        "run_command"
    }

    fn description(&self) -> &'static str {
        "Runs a shell line without network and shows its exit code and output. Git history cannot be changed from it."
    }

    fn effect(&self) -> Effect {
        Effect::Execute
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn needs(&self, _: &ToolContext, input: &Value) -> Option<(Permission, String)> {
        let params: Params = input::read(input.clone()).ok()?;
        Some((Permission::Bash, params.command))
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let timeout_s = params.timeout_s.unwrap_or(DEFAULT_TIMEOUT_S);
        if !(1..=MAX_TIMEOUT_S).contains(&timeout_s) {
            let reason = format!("`timeout_s` must be between 1 and {MAX_TIMEOUT_S}.");
            return Err(ToolError::for_model(reason));
        }
        let line = params.command;
        if line.trim().is_empty() || line.len() > MAX_LINE || line.contains('\0') {
            let reason = format!("`command` must be a line of 1 to {MAX_LINE} bytes without NUL.");
            return Err(ToolError::for_model(reason));
        }
        let timeout = Duration::from_secs(timeout_s);
        let about = about_call(ctx.run_id, &ctx.call_id);
        let label = "tool:run_command".to_owned();
        let shell = ShellLine { line, timeout, network: false, label, about };
        let outcome = ctx.commands.run(shell).await.map_err(sandbox_failed)?;
        let (ok, output) = told(&outcome, timeout)?;
        Ok(if ok { ToolReply::done(output) } else { ToolReply::failed(output) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn invalid_command_is_rejected() {
        let fixture = Fixture::new().await;
        for (input, expected) in [
            (json!({"command": " "}), "`command`"),
            (json!({"command": "a\0b"}), "`command`"),
            (json!({"command": "x".repeat(MAX_LINE + 1)}), "`command`"),
            (json!({"command": "true", "timeout_s": 0}), "`timeout_s`"),
            (json!({"command": "true", "timeout_s": 601}), "`timeout_s`"),
            (json!({"command": "true", "cwd": "/"}), "`cwd`"),
        ] {
            let said = fixture.refused(&RunCommand, input.clone()).await;
            assert!(said.contains(expected), "{input}: {said}");
        }
    }
}
