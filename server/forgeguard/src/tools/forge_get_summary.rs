//! `forge_get_summary`: describes the rules and the progress of the build.

use async_trait::async_trait;
use domain::{
    contract::ContractType,
    state::{BuildState, PhaseStatus},
};
use serde_json::Value;

use super::{
    context::ToolContext,
    contract_labels::about,
    error::ToolError,
    input::{self, Nothing},
    records::Records,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::text;

const RULES: &str = "# How this build is governed
- Phase by phase: scout, plan, execute, gates, audit. A phase that was refused goes to the fixer.
- Contracts outrank habit. This build has pinned them; edits made since do not show.
- Gates are commands and checks that the build runs by itself. Only what they say counts, and every result is recorded.
- The auditor judges each exit criterion by evidence. After it signs off, the phase is committed.
- Everything done is kept in a journal that cannot be changed. At the end the whole is sealed with a verdict.";

pub struct ForgeGetSummary;

#[async_trait]
impl Tool for ForgeGetSummary {
    fn name(&self) -> ToolName {
        ToolName::ForgeGetSummary
    }

    fn description(&self) -> &'static str {
        "Returns the rules, gates and phases of this build, and the purpose of each contract."
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
impl RecordsTool for ForgeGetSummary {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let Nothing {} = input::read(input)?;
        let kinds = ContractType::ALL.map(|kind| format!("- {kind}: {}", about(kind))).join("\n");
        let mut summary = format!("{RULES}\n\n# Contracts\n{kinds}");
        if let Some(build) = records.build {
            let gates = build.state.gate_names(build.state.phase()).join(", ");
            let phases = phases(build.state);
            summary += &format!("\n\n# Gates of this phase\n{gates}\n\n# Phases\n{phases}");
        }
        Ok(ToolReply::done(text::ends(&summary, text::TOOL_OUTPUT_CAP)))
    }
}

fn phases(state: &BuildState) -> String {
    let current = state.phase().map(|phase| phase.outline.number);
    let row = |phase: &domain::state::PhaseState| {
        let (number, title) = (phase.outline.number, &phase.outline.title);
        let stands = match phase.status {
            PhaseStatus::Complete => "complete",
            PhaseStatus::Skipped => "skipped",
            _ if current == Some(number) => "now",
            PhaseStatus::Running | PhaseStatus::Pending => "later",
        };
        format!("{number} ({stands}): {title}")
    };
    state.phases.iter().map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn summary_contains_the_state_of_the_build() {
        let fixture = Fixture::new().await;
        let summary = fixture.ok(&ForgeGetSummary, json!({})).await;
        for part in ["- boundaries: layers", "validate", "0 (now): a", "2 (later): c"] {
            assert!(summary.contains(part), "{summary}");
        }
        assert!(summary.len() < 3_000, "{}", summary.len());
    }
}
