//! `run_command`: runs a shell command in the sandbox.

use std::time::Duration;

use async_trait::async_trait;
use domain::permission::Permission;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    commands::{ShellLine, about_call, report, sandbox_failed},
    context::ToolContext,
    error::ToolError,
    input, stray_files,
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
};

const DEFAULT_TIMEOUT_S: u64 = 120;
const MAX_TIMEOUT_S: u64 = 600;
/// Size limit of a command, in bytes.
const MAX_LINE: usize = 8 * 1024;

pub struct RunCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    command: String,
    /// Up to 600. Default: 120.
    #[serde(default)]
    timeout_s: Option<u64>,
}

#[async_trait]
impl Tool for RunCommand {
    fn name(&self) -> ToolName {
        ToolName::RunCommand
    }

    fn description(&self) -> &'static str {
        "Runs a shell command in the project's root, without network access; it cannot commit."
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
        let outcome = ctx.shell().await?.run(shell).await.map_err(sandbox_failed)?;
        let (ok, output) = report(&outcome, timeout)?;
        let output = output + &stray_files::note(ctx).await?;
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
