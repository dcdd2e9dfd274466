//! `forge_get_contract`: returns the neutral example of a contract.

use async_trait::async_trait;
use domain::contract::ContractType;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    forge_get_project_contract::{ContractData, kind_of, read_phases_by_brief},
    input,
    records::Records,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::text;

pub struct ForgeGetContract;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// A name from forge_list_contracts.
    name: String,
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[async_trait]
impl Tool for ForgeGetContract {
    fn name(&self) -> ToolName {
        ToolName::ForgeGetContract
    }

    fn description(&self) -> &'static str {
        "Returns an example of a contract, for another product. The contracts that apply are in forge_get_project_contract."
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
impl RecordsTool for ForgeGetContract {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let kind = kind_of("name", &params.name)?;
        if kind == ContractType::Phases {
            return Ok(ToolReply::failed(read_phases_by_brief(records)));
        }
        let example = records.contracts.example(kind);
        let Some(page) = text::page(&example.content, params.offset.unwrap_or(0)) else {
            return Ok(ToolReply::failed(text::no_such_page(&example.content)));
        };
        let heading = format!(
            "[{kind}: an example for another product. It shows the format and does not apply to this \
             project. For the project's contract use forge_get_project_contract.]"
        );
        Ok(ToolReply::done(format!("{heading}\n{page}"))
            .with_events(records.contract_read(example))
            .with_data(&ContractData::from(example)))
    }

    fn data_schema(&self) -> Option<Value> {
        Some(input::schema::<ContractData>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use domain::{contract::ContractSource, event::EventBody};
    use serde_json::json;

    #[tokio::test]
    async fn example_is_available_beside_the_contract() {
        let fixture = Fixture::new().await;
        let done = fixture.done(&ForgeGetContract, json!({"name": "stack"})).await;
        assert!(done.output.ends_with("]\nan example of stack"), "{}", done.output);
        let [EventBody::BuildContractRead(read)] = done.events.as_slice() else { panic!() };
        assert_eq!((read.source, read.version), (ContractSource::Template, 0));
    }

    #[tokio::test]
    async fn missing_contract_is_reported() {
        let fixture = Fixture::new().await;
        for (input, expected) in [
            (json!({"name": "phases"}), "forge_get_phase_brief"),
            (json!({"name": "law"}), "builder_directive"),
            (json!({"name": "ui", "offset": 900}), "16 bytes"),
        ] {
            let said = fixture.refused(&ForgeGetContract, input).await;
            assert!(said.contains(expected), "{said}");
        }
    }
}
