//! `forge_list_project_contracts`: lists the project's contracts with their versions.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::contract::ContractSource;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    forge_get_project_contract::source_name,
    input::{self, Nothing},
    records::Records,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::contract_set::{ContractSet, ContractText};

pub struct ForgeListProjectContracts;

/// What clients get besides the text.
#[derive(Serialize, JsonSchema)]
struct ListData {
    items: Vec<ContractRow>,
}

/// A contract that the project has.
#[derive(Serialize, JsonSchema)]
pub(super) struct ContractRow {
    contract_type: &'static str,
    version: u32,
    /// snapshot: of the build; project: the current one.
    source: &'static str,
    size_bytes: usize,
    updated_at: Option<DateTime<Utc>>,
}

#[async_trait]
impl Tool for ForgeListProjectContracts {
    fn name(&self) -> ToolName {
        ToolName::ForgeListProjectContracts
    }

    fn description(&self) -> &'static str {
        "Lists the project's contracts with version, size and date, without their text."
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
impl RecordsTool for ForgeListProjectContracts {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let Nothing {} = input::read(input)?;
        let data = ListData { items: rows(records.contracts) };
        Ok(ToolReply::done(manifest(records.contracts)).with_data(&data))
    }

    fn data_schema(&self) -> Option<Value> {
        Some(input::schema::<ListData>())
    }
}

/// The contracts that the project has.
pub(super) fn rows(contracts: &ContractSet) -> Vec<ContractRow> {
    let texts = contracts.iter().filter(|text| text.source != ContractSource::Template);
    let row = |text: &ContractText| ContractRow {
        contract_type: text.kind.name(),
        version: text.version,
        source: source_name(text.source),
        size_bytes: text.content.len(),
        updated_at: text.updated_at,
    };
    texts.map(row).collect()
}

/// One line per contract.
pub(super) fn manifest(contracts: &ContractSet) -> String {
    contracts.iter().map(row).collect::<Vec<_>>().join("\n")
}

fn row(text: &ContractText) -> String {
    let ContractText { kind, version, .. } = text;
    let pinned = match text.source {
        ContractSource::Template => return format!("{kind}: the project has none"),
        ContractSource::Snapshot => ", pinned by this build",
        ContractSource::Project => "",
    };
    let written = text.updated_at.map_or(String::new(), |at| format!(", {}", at.date_naive()));
    format!("{kind}: version {version}{pinned}, {} bytes{written}", text.content.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn list_contains_written_and_missing_contracts() {
        let fixture = Fixture::new().await;
        let list = fixture.ok(&ForgeListProjectContracts, json!({})).await;
        assert_eq!(list.lines().count(), 9);
        assert!(list.contains("stack: version 3, pinned by this build, 18 bytes, 20"), "{list}");
        assert!(list.contains("ui: the project has none"), "{list}");
    }
}
