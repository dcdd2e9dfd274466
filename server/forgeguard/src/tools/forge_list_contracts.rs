//! `forge_list_contracts`: lists the nine types of contracts.

use async_trait::async_trait;
use domain::contract::ContractType;
use serde_json::Value;

use super::{
    context::ToolContext,
    contract_labels::{about, format_name},
    error::ToolError,
    input::{self, Nothing},
    records::Records,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};

pub struct ForgeListContracts;

#[async_trait]
impl Tool for ForgeListContracts {
    fn name(&self) -> ToolName {
        ToolName::ForgeListContracts
    }

    fn description(&self) -> &'static str {
        "Lists the nine types of contracts: name, file, format and purpose."
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
impl RecordsTool for ForgeListContracts {
    async fn call_on(&self, _: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let Nothing {} = input::read(input)?;
        let row = |kind: ContractType| {
            format!("{kind} ({}, {}): {}", kind.file_name(), format_name(kind), about(kind))
        };
        Ok(ToolReply::done(ContractType::ALL.map(row).join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn prompt_names_all_contracts() {
        let fixture = Fixture::new().await;
        let list = fixture.ok(&ForgeListContracts, json!({})).await;
        assert_eq!(list.lines().count(), 9);
        assert!(list.contains("physics (physics.yaml, YAML): "), "{list}");
        let said = fixture.refused(&ForgeListContracts, json!({"name": "stack"})).await;
        assert!(said.contains("`name`"), "{said}");
    }
}
