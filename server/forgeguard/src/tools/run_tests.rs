//! `run_tests`: runs the project's test command.

use std::time::Duration;

use async_trait::async_trait;
use domain::{gate::GateDefinition, permission::Permission};
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

pub struct RunTests;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {}

#[async_trait]
impl Tool for RunTests {
    fn name(&self) -> ToolName {
        ToolName::RunTests
    }

    fn description(&self) -> &'static str {
        "Runs the project's test command, which the gates run too."
    }

    fn effect(&self) -> Effect {
        Effect::Execute
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn needs(&self, ctx: &ToolContext, input: &Value) -> Option<(Permission, String)> {
        let Params {} = input::read(input.clone()).ok()?;
        Some((Permission::Bash, gate(ctx)?.command.clone()))
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let Params {} = input::read(input)?;
        let Some(gate) = gate(ctx) else {
            return Ok(ToolReply::failed(
                "No gate of this project is known to run tests; use run_command.",
            ));
        };
        let timeout = Duration::from_secs(gate.timeout_s.into());
        let shell = ShellLine {
            line: gate.command.clone(),
            timeout,
            network: gate.network,
            label: "tool:run_tests".to_owned(),
            about: about_call(ctx.run_id, &ctx.call_id),
        };
        let outcome = ctx.shell().await?.run(shell).await.map_err(sandbox_failed)?;
        let (ok, output) = report(&outcome, timeout)?;
        let stray = stray_files::note(ctx).await?;
        let output = format!("$ {}\n{output}{stray}", gate.command);
        Ok(if ok { ToolReply::done(output) } else { ToolReply::failed(output) })
    }
}

/// The gate whose command runs the tests.
fn gate(ctx: &ToolContext) -> Option<&GateDefinition> {
    ctx.state.test_gate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn project_without_test_gate_is_reported() {
        let fixture = Fixture::new().await;
        let said = fixture.refused(&RunTests, json!({})).await;
        assert!(said.contains("No gate"), "{said}");
    }
}
