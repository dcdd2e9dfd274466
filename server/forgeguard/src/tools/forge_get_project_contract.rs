//! `forge_get_project_contract`: returns one of the project's contracts.

use async_trait::async_trait;
use domain::contract::{ContractSource, ContractType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input,
    records::Records,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::contract_set::ContractText;
use crate::text;

pub struct ForgeGetProjectContract;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// manifesto, blueprint, stack, schema, physics, boundaries, ui, builder_directive.
    contract_type: String,
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

/// What clients get besides the text.
#[derive(Serialize, JsonSchema)]
pub(super) struct ContractData {
    contract_type: &'static str,
    /// 0 for an example.
    version: u32,
    /// snapshot: of the build; project: the current one; template: an example.
    source: &'static str,
}

impl From<&ContractText> for ContractData {
    fn from(text: &ContractText) -> Self {
        Self {
            contract_type: text.kind.name(),
            version: text.version,
            source: source_name(text.source),
        }
    }
}

#[async_trait]
impl Tool for ForgeGetProjectContract {
    fn name(&self) -> ToolName {
        ToolName::ForgeGetProjectContract
    }

    fn description(&self) -> &'static str {
        "Fetches one contract in full. For phases use forge_get_phase_brief."
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
impl RecordsTool for ForgeGetProjectContract {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let kind = kind_of("contract_type", &params.contract_type)?;
        if kind == ContractType::Phases {
            return Ok(ToolReply::failed(read_phases_by_brief(records)));
        }
        let text = records.contracts.get(kind);
        // The neutral example would be taken for the project's contract.
        if text.source == ContractSource::Template {
            return Ok(ToolReply::failed(absent(kind)));
        }
        Ok(contract_page(records, text, params.offset))
    }

    fn data_schema(&self) -> Option<Value> {
        Some(input::schema::<ContractData>())
    }
}

pub(super) fn source_name(source: ContractSource) -> &'static str {
    match source {
        ContractSource::Snapshot => "snapshot",
        ContractSource::Project => "project",
        ContractSource::Template => "template",
    }
}

/// The contract type named by a field.
pub(super) fn kind_of(field: &str, name: &str) -> Result<ContractType, ToolError> {
    name.parse().map_err(|unknown| ToolError::for_model(format!("`{field}`: {unknown}.")))
}

/// The reply for a contract that the project lacks.
pub(super) fn absent(kind: ContractType) -> String {
    format!("This project has no {kind} contract.")
}

/// The error for a request of the whole phases contract.
pub(super) fn read_phases_by_brief(records: &Records<'_>) -> String {
    format!(
        "The phases contract is too long to be read in full. Call forge_get_phase_brief with \
         phase_number {} for this phase and the next.",
        records.phase()
    )
}

/// A page of a contract with its heading, and the event that records the read.
pub(super) fn contract_page(
    records: &Records<'_>,
    text: &ContractText,
    offset: Option<usize>,
) -> ToolReply {
    let Some(page) = text::page(&text.content, offset.unwrap_or(0)) else {
        return ToolReply::failed(text::no_such_page(&text.content));
    };
    ToolReply::done(format!("{}\n{page}", heading(text)))
        .with_events(records.contract_read(text))
        .with_data(&ContractData::from(text))
}

/// The heading of a contract: type, version and origin.
pub(super) fn heading(text: &ContractText) -> String {
    let kind = text.kind;
    match text.source {
        ContractSource::Snapshot => {
            format!("[{kind}, version {}, of this build]", text.version)
        }
        ContractSource::Project => format!("[{kind}, version {}]", text.version),
        ContractSource::Template => format!(
            "[{kind}: this project has none. What follows is an example for another product that \
             shows the format. It does not apply to this project.]"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use domain::event::EventBody;
    use serde_json::json;

    #[tokio::test]
    async fn fetches_a_contract_and_records_who_read_it() {
        let fixture = Fixture::new().await;
        let done = fixture.done(&ForgeGetProjectContract, json!({"contract_type": "stack"})).await;
        assert_eq!(done.output, "[stack, version 3, of this build]\nthe stack contract");
        let [EventBody::BuildContractRead(read)] = done.events.as_slice() else { panic!() };
        assert_eq!((read.contract, read.version), (ContractType::Stack, 3));
        assert_eq!((read.role, read.source), (fixture.ctx.role, ContractSource::Snapshot));
    }

    #[tokio::test]
    async fn phases_are_read_with_the_brief() {
        let fixture = Fixture::new().await;
        let said =
            fixture.refused(&ForgeGetProjectContract, json!({"contract_type": "phases"})).await;
        assert!(said.contains("forge_get_phase_brief with phase_number 0"), "{said}");
    }

    #[tokio::test]
    async fn length_of_a_contract_is_reported() {
        let fixture = Fixture::new().await;
        let past = json!({"contract_type": "stack", "offset": 99});
        let said = fixture.refused(&ForgeGetProjectContract, past).await;
        assert!(said.contains("18 bytes"), "{said}");
    }

    #[tokio::test]
    async fn unknown_type_is_answered_with_all_types() {
        let fixture = Fixture::new().await;
        let said = fixture.refused(&ForgeGetProjectContract, json!({"contract_type": "law"})).await;
        assert!(said.contains("builder_directive"), "{said}");
    }

    #[tokio::test]
    async fn missing_contract_is_reported_as_absent() {
        let fixture = Fixture::new().await;
        let said = fixture.refused(&ForgeGetProjectContract, json!({"contract_type": "ui"})).await;
        assert_eq!(said, "This project has no ui contract.");
    }
}
