//! `forge_list_project_contracts`: lists the project's contracts with their versions.

use async_trait::async_trait;
use domain::contract::ContractSource;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input::{self, Nothing},
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::contract_set::{ContractSet, ContractText};

pub struct ForgeListProjectContracts;

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

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let Nothing {} = input::read(input)?;
        Ok(ToolReply::done(manifest(&ctx.contracts)))
    }
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
