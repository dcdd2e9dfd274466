//! `forge_get_build_contracts`: returns the contract versions that this build is bound to.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::contract::ContractSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    forge_get_project_contract::{contract_page, kind_of},
    forge_list_project_contracts::{ContractRow, rows},
    input,
    records::{BuildRecords, Records},
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::contract_set::ContractText;

pub struct ForgeGetBuildContracts;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Default: a list of all.
    #[serde(default)]
    contract_type: Option<String>,
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

/// What clients get besides the text: a list, or what is known of one contract.
#[derive(Default, Serialize, JsonSchema)]
struct PinnedData {
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<String>,
    /// If these are the contracts of an earlier build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pinned_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<ContractRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
}

#[async_trait]
impl Tool for ForgeGetBuildContracts {
    fn name(&self) -> ToolName {
        ToolName::ForgeGetBuildContracts
    }

    fn description(&self) -> &'static str {
        "Fetches a contract in the version that this build is bound to, or lists them. Later edits have no effect."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn for_clients(&self) -> Option<&dyn RecordsTool> {
        Some(self)
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        self.call_on(&ctx.records(), input).await
    }
}

#[async_trait]
impl RecordsTool for ForgeGetBuildContracts {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let build = records.build()?;
        let Some(name) = params.contract_type else {
            let data = PinnedData {
                batch: Some(build.state.queued.snapshot_batch.to_string()),
                pinned_at: build.state.queued.pinned_at,
                items: Some(rows(records.contracts)),
                ..PinnedData::default()
            };
            return Ok(ToolReply::done(list(records, &build)).with_data(&data));
        };
        let text = records.contracts.get(kind_of("contract_type", &name)?);
        if !is_pinned(text) {
            let reason = format!("This build has no {}.\n{}", text.kind, list(records, &build));
            return Ok(ToolReply::failed(reason));
        }
        Ok(contract_page(records, text, params.offset))
    }

    fn data_schema(&self) -> Option<Value> {
        Some(input::schema::<PinnedData>())
    }
}

fn is_pinned(text: &ContractText) -> bool {
    text.source == ContractSource::Snapshot
}

fn list(records: &Records<'_>, build: &BuildRecords<'_>) -> String {
    let row = |text: &ContractText| {
        let ContractText { kind, version, content, .. } = text;
        format!("\n{kind}: version {version}, {} bytes", content.len())
    };
    let rows: String = records.contracts.iter().filter(|text| is_pinned(text)).map(row).collect();
    format!("Contracts of this build, batch {}:{rows}", build.state.queued.snapshot_batch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use domain::{contract::ContractType, event::EventBody};
    use serde_json::json;

    #[tokio::test]
    async fn lists_and_gives_what_is_pinned() {
        let fixture = Fixture::new().await;
        let list = fixture.ok(&ForgeGetBuildContracts, json!({})).await;
        let batch = fixture.ctx.state.queued.snapshot_batch.to_string();
        assert!(list.contains(&batch) && list.lines().count() == 9, "{list}");
        let input = json!({"contract_type": "phases"});
        let done = fixture.done(&ForgeGetBuildContracts, input).await;
        assert!(done.output.contains("## Phase 2"), "{}", done.output);
        let [EventBody::BuildContractRead(read)] = done.events.as_slice() else { panic!() };
        assert_eq!((read.contract, read.version), (ContractType::Phases, 3));
    }

    #[tokio::test]
    async fn contract_that_the_build_lacks_is_reported() {
        let fixture = Fixture::new().await;
        for (name, expected) in [("ui", "has no ui"), ("law", "builder_directive")] {
            let input = json!({"contract_type": name});
            let said = fixture.refused(&ForgeGetBuildContracts, input).await;
            assert!(said.contains(expected), "{said}");
        }
    }
}
