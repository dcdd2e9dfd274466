//! `forge_get_project_context`: summarises the project, its contracts and its builds.

use async_trait::async_trait;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    forge_list_project_contracts::manifest,
    input::{self, Nothing},
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::store::{builds, projects};
use crate::text::head;

/// Size limit of a description, in bytes.
const MAX_DESCRIPTION: usize = 4_000;

pub struct ForgeGetProjectContext;

#[async_trait]
impl Tool for ForgeGetProjectContext {
    fn name(&self) -> ToolName {
        ToolName::ForgeGetProjectContext
    }

    fn description(&self) -> &'static str {
        "Returns the project's description, its contracts, and the number of its builds."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Nothing>()
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let Nothing {} = input::read(input)?;
        let mut conn = ctx.db.read().await?;
        let project = projects::get(&mut conn, ctx.project_id).await?;
        let build_count = builds::count_of_project(&mut conn, ctx.project_id).await?;
        drop(conn);
        let Some(project) = project else {
            return Ok(ToolReply::failed("The project was deleted."));
        };
        let description = match head(project.description.trim(), MAX_DESCRIPTION) {
            "" => "(no description)".to_owned(),
            whole if whole.len() == project.description.trim().len() => whole.to_owned(),
            part => format!("{part} [… cut]"),
        };
        let phase_count = ctx.state.phases.len();
        Ok(ToolReply::done(format!(
            "# {}\n{description}\n\nDefault branch: {}\nBuilds: {build_count}\nThis build: phase \
             {} of {phase_count}, counted from 0; contracts pinned as batch {}\n\n# Contracts\n{}",
            project.name,
            project.default_branch,
            ctx.phase,
            ctx.state.queued.snapshot_batch,
            manifest(&ctx.contracts)
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn project_contracts_and_builds_are_summarised() {
        let fixture = Fixture::new().await;
        let gone = fixture.refused(&ForgeGetProjectContext, json!({})).await;
        assert!(gone.contains("deleted"), "{gone}");
        fixture.build_row().await;
        let shown = fixture.ok(&ForgeGetProjectContext, json!({})).await;
        for part in [
            "# P\n(no description)",
            "branch: main",
            "Builds: 1",
            "phase 0 of 3",
            "stack: version 3",
        ] {
            assert!(shown.contains(part), "{shown}");
        }
    }
}
