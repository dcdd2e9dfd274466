//! The tools of the agents' registry that clients have too.

use domain::key_scope::KeyScope;
use serde_json::{Map, Value};

use super::{
    call::{Call, Intent, Rejection},
    client_tool::{About, ClientEffect, ClientReply, ClientTool, Properties, Replying},
};
use crate::{
    api::{
        api_error::ApiError,
        owned::{Owned, ProjectBuild, ProjectRole},
    },
    contracts,
    tools::{
        BuildRecords, Done, Effect, Records, RecordsTool, Tool, ToolName, ToolReply, registry,
    },
};

/// A tool of the registry.
struct RegistryTool {
    tool: &'static dyn Tool,
    records: &'static dyn RecordsTool,
}

/// All tools of the registry that clients have.
pub fn registry_tools() -> Vec<Box<dyn ClientTool>> {
    let tools = registry().iter().filter_map(|tool| {
        let records = tool.for_clients()?;
        Some(Box::new(RegistryTool { tool: *tool, records }) as Box<dyn ClientTool>)
    });
    tools.collect()
}

fn title(name: ToolName) -> &'static str {
    match name {
        ToolName::ForgeGetSummary => "Rules and progress of a build",
        ToolName::ForgeListContracts => "Types of contracts",
        ToolName::ForgeGetContract => "Example of a contract",
        ToolName::ForgeGetProjectContext => "Overview of a project",
        ToolName::ForgeListProjectContracts => "Contracts of a project",
        ToolName::ForgeGetProjectContract => "Contract of a project",
        ToolName::ForgeGetBuildContracts => "Contracts of a build",
        ToolName::ForgeGetPhaseBrief => "Brief of a phase",
        ToolName::ForgeGetPhaseWindow => "Phase and the next one",
        ToolName::ForgeScratchpad => "Notes of a build",
        ToolName::ForgeReadNotepad => "Notepad of a project",
        ToolName::ForgeGetArtifact => "Read an artifact",
        ToolName::ForgeStoreArtifact => "Store an artifact",
        other => other.as_str(),
    }
}

impl ClientTool for RegistryTool {
    fn properties(&self) -> Properties {
        let name = self.tool.name();
        let reads = self.tool.effect() == Effect::Read;
        Properties {
            name: name.as_str(),
            title: title(name),
            description: self.tool.description(),
            scope: if reads { KeyScope::Read } else { KeyScope::Build },
            // Notes and artifacts can be overwritten.
            effect: if reads { ClientEffect::Read } else { ClientEffect::Destroy },
            about: match name {
                ToolName::ForgeListContracts | ToolName::ForgeGetContract => About::Nothing,
                ToolName::ForgeGetBuildContracts | ToolName::ForgeScratchpad => About::Build,
                _ => About::Project,
            },
        }
    }

    fn input(&self) -> Value {
        self.tool.schema()
    }

    fn output(&self) -> Value {
        self.records.output_schema()
    }

    fn call<'a>(&'a self, call: &'a Call, input: Value) -> Replying<'a> {
        Box::pin(async move {
            let intent = match self.tool.effect() {
                Effect::Read => Intent::Read,
                _ => Intent::Change,
            };
            let reply = match self.properties().about {
                About::Nothing => self.on_examples(call, input).await?,
                About::Build => self.on_build(call, call.build(intent).await?, input).await?,
                About::Project if call.names_build() => {
                    self.on_build(call, call.build(intent).await?, input).await?
                }
                About::Project => self.on_project(call, intent, input).await?,
            };
            shown(reply)
        })
    }
}

impl RegistryTool {
    async fn on_build(
        &self,
        call: &Call,
        owned: Owned<ProjectBuild>,
        input: Value,
    ) -> Result<ToolReply, Rejection> {
        self.check_role(owned.role)?;
        let ProjectBuild { build, project } = owned.resource;
        let state = call.app.journal.state(build.id).await.map_err(ApiError::from)?;
        let batch = state.queued.snapshot_batch;
        let contracts = contracts::of_snapshot(&mut call.app.db.read().await?, batch).await?;
        let phase = state.phase().map_or(0, |phase| phase.outline.number);
        let records = Records {
            project_id: project.id,
            build: Some(BuildRecords { id: build.id, state: &state, phase }),
            contracts: &contracts,
            db: &call.app.db,
            agent: None,
        };
        Ok(self.records.call_on(&records, input).await?)
    }

    async fn on_project(
        &self,
        call: &Call,
        intent: Intent,
        input: Value,
    ) -> Result<ToolReply, Rejection> {
        let owned = call.project(intent).await?;
        self.check_role(owned.role)?;
        let project_id = owned.resource.id;
        let contracts = contracts::of_project(&mut call.app.db.read().await?, project_id).await?;
        let db = &call.app.db;
        let records = Records { project_id, build: None, contracts: &contracts, db, agent: None };
        Ok(self.records.call_on(&records, input).await?)
    }

    /// Without a project: only the examples are read.
    async fn on_examples(&self, call: &Call, input: Value) -> Result<ToolReply, Rejection> {
        let contracts = contracts::resolve::examples();
        let records = Records {
            project_id: crate::store::new_id(),
            build: None,
            contracts: &contracts,
            db: &call.app.db,
            agent: None,
        };
        Ok(self.records.call_on(&records, input).await?)
    }

    /// The notepad is its owner's, as over REST.
    fn check_role(&self, role: ProjectRole) -> Result<(), Rejection> {
        if self.tool.name() == ToolName::ForgeReadNotepad && role != ProjectRole::Owner {
            return Err(Rejection("Only the owner of this project can read its notepad.".into()));
        }
        Ok(())
    }
}

fn shown(reply: ToolReply) -> Result<ClientReply, Rejection> {
    let ToolReply::Done(Done { ok, output, data, .. }) = reply else {
        return Err(Rejection("This tool is available to the agents of a build only.".into()));
    };
    if !ok {
        return Err(Rejection(output));
    }
    let mut shown = match data {
        Some(Value::Object(data)) => data,
        _ => Map::new(),
    };
    shown.insert("text".into(), Value::String(output.clone()));
    Ok(ClientReply { text: output, data: Value::Object(shown) })
}
