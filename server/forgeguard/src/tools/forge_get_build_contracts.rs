//! `forge_get_build_contracts`: returns the contract versions that this build is bound to.

use async_trait::async_trait;
use domain::contract::ContractSource;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    forge_get_project_contract::{contract_page, kind_of},
    input,
    tool::{Effect, Tool, ToolReply},
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

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let Some(name) = params.contract_type else {
            return Ok(ToolReply::done(list(ctx)));
        };
        let text = ctx.contracts.get(kind_of("contract_type", &name)?);
        if !is_pinned(text) {
            let reason = format!("This build has no {}.\n{}", text.kind, list(ctx));
            return Ok(ToolReply::failed(reason));
        }
        Ok(contract_page(ctx, text, params.offset))
    }
}

fn is_pinned(text: &ContractText) -> bool {
    text.source == ContractSource::Snapshot
}

fn list(ctx: &ToolContext) -> String {
    let row = |text: &ContractText| {
        let ContractText { kind, version, content, .. } = text;
        format!("\n{kind}: version {version}, {} bytes", content.len())
    };
    let rows: String = ctx.contracts.iter().filter(|text| is_pinned(text)).map(row).collect();
    format!("Contracts of this build, batch {}:{rows}", ctx.state.queued.snapshot_batch)
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
