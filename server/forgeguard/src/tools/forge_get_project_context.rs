//! `forge_get_project_context`: summarises the project, its contracts and its builds.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    forge_list_project_contracts::{ContractRow, manifest, rows},
    input::{self, Nothing},
    records::Records,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::store::{builds, projects};
use crate::text::head;

/// Size limit of a description, in bytes.
const MAX_DESCRIPTION: usize = 4_000;

pub struct ForgeGetProjectContext;

/// What clients get besides the text.
#[derive(Serialize, JsonSchema)]
struct ContextData {
    project: ProjectData,
    contracts: Vec<ContractRow>,
    build_count: u64,
}

#[derive(Serialize, JsonSchema)]
struct ProjectData {
    id: String,
    name: String,
    default_branch: String,
}

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

    fn for_clients(&self) -> Option<&dyn RecordsTool> {
        Some(self)
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        self.call_on(&ctx.records(), input).await
    }
}

#[async_trait]
impl RecordsTool for ForgeGetProjectContext {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let Nothing {} = input::read(input)?;
        let mut conn = records.db.read().await?;
        let project = projects::get(&mut conn, records.project_id).await?;
        let build_count = builds::count_of_project(&mut conn, records.project_id).await?;
        drop(conn);
        let Some(project) = project else {
            return Ok(ToolReply::failed("The project was deleted."));
        };
        let description = match head(project.description.trim(), MAX_DESCRIPTION) {
            "" => "(no description)".to_owned(),
            whole if whole.len() == project.description.trim().len() => whole.to_owned(),
            part => format!("{part} [… cut]"),
        };
        let build = records.build.map_or(String::new(), |build| {
            let (phase, state) = (build.phase, build.state);
            format!(
                "\nThis build: phase {phase} of {}, counted from 0; contracts pinned as batch {}",
                state.phases.len(),
                state.queued.snapshot_batch
            )
        });
        let text = format!(
            "# {}\n{description}\n\nDefault branch: {}\nBuilds: {build_count}{build}\n\n\
             # Contracts\n{}",
            project.name,
            project.default_branch,
            manifest(records.contracts)
        );
        let data = ContextData {
            project: ProjectData {
                id: project.id.to_string(),
                name: project.name,
                default_branch: project.default_branch,
            },
            contracts: rows(records.contracts),
            build_count,
        };
        Ok(ToolReply::done(text).with_data(&data))
    }

    fn data_schema(&self) -> Option<Value> {
        Some(input::schema::<ContextData>())
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
