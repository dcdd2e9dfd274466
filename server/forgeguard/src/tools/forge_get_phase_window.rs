//! `forge_get_phase_window`: a phase and the one after it.

use async_trait::async_trait;
use domain::{contract::ContractType, phases};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    cut,
    error::ToolError,
    forge_get_project_contract::{contract_read, heading},
    input,
    tool::{Effect, Tool, ToolReply},
};

/// The tool.
pub struct ForgeGetPhaseWindow;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The phase, from 0.
    phase_number: u32,
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[async_trait]
impl Tool for ForgeGetPhaseWindow {
    fn name(&self) -> &'static str {
        "forge_get_phase_window"
    }

    fn description(&self) -> &'static str {
        "Fetches what a phase asks for (objective, deliverables, exit criteria) and, for context, the phase after it."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let Params { phase_number, offset } = input::read(input)?;
        let contract = ctx.contracts.get(ContractType::Phases);
        let Some(window) = phases::window(&contract.content, phase_number) else {
            let count = phases::parse(&contract.content).map_or(0, |phases| phases.len());
            return Ok(ToolReply::failed(match count {
                0 => "The phases contract holds no phases.".to_owned(),
                _ => format!("There is no phase {phase_number}; phases are 0 to {}.", count - 1),
            }));
        };
        let Some(window) = cut::page(&window, offset.unwrap_or(0)) else {
            return Ok(ToolReply::failed(cut::no_such_page(&window)));
        };
        Ok(ToolReply::done(format!("{}\n{window}", heading(contract)))
            .with_events([contract_read(ctx, contract).into()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::trial::Trial;
    use domain::event::EventBody;
    use serde_json::json;

    #[tokio::test]
    async fn gives_a_phase_and_the_next() {
        let trial = Trial::new().await;
        let done = trial.done(&ForgeGetPhaseWindow, json!({"phase_number": 0})).await;
        assert!(done.output.contains("## Phase 0") && done.output.contains("## Phase 1"));
        assert!(!done.output.contains("## Phase 2"), "{}", done.output);
        let [EventBody::BuildContractRead(read)] = done.events.as_slice() else { panic!() };
        assert_eq!(read.contract, ContractType::Phases);
        let past = trial.refused(&ForgeGetPhaseWindow, json!({"phase_number": 9})).await;
        assert!(past.contains("0 to 2"), "{past}");
    }
}
