//! `submit_plan`: the coder's plan for a phase, which ends planning.

use async_trait::async_trait;
use domain::event::{agents::Task, phases::PlanUpdated};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input,
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
};

const MAX_STEPS: usize = 20;
/// Of one step, in characters.
const MAX_STEP: usize = 400;
const MAX_GATES: usize = 20;

pub struct SubmitPlan;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Three to eight, each verifiable.
    steps: Vec<String>,
    /// Gates that must pass.
    #[serde(default)]
    gates: Vec<String>,
}

#[async_trait]
impl Tool for SubmitPlan {
    fn name(&self) -> ToolName {
        ToolName::SubmitPlan
    }

    fn description(&self) -> &'static str {
        "Submits your plan and ends planning."
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        if ctx.task != Task::Plan {
            return Ok(ToolReply::failed("The plan stands: carry it out, or drop steps of it."));
        }
        if !ctx.has_read_contract {
            return Ok(ToolReply::failed(
                "You have not read any contract yet, and the plan depends on them. Call \
                 forge_get_phase_brief first, and plan in your next reply.",
            ));
        }
        let steps = checked("steps", params.steps, MAX_STEPS)?;
        if steps.is_empty() {
            return Err(ToolError::for_model("`steps` must have at least one step."));
        }
        let gates = checked("gates", params.gates, MAX_GATES)?;
        let accepted = format!("The plan is accepted, with {} steps.", steps.len());
        let plan = PlanUpdated { phase: ctx.phase, steps, gates };
        Ok(ToolReply::done(accepted).with_events([plan.into()]))
    }
}

/// The texts that are not empty, each on one line.
fn checked(field: &str, texts: Vec<String>, max: usize) -> Result<Vec<String>, ToolError> {
    let texts = texts.iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    if texts.len() > max {
        return Err(ToolError::ForModel(format!("`{field}` can have at most {max} items.")));
    }
    if texts.iter().any(|text| text.chars().count() > MAX_STEP) {
        let reason = format!("Each of `{field}` can have at most {MAX_STEP} characters.");
        return Err(ToolError::ForModel(reason));
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use domain::event::EventBody;
    use serde_json::json;

    use super::*;
    use crate::tools::fixture::Fixture;

    async fn planner() -> Fixture {
        let mut fixture = Fixture::new().await;
        (fixture.ctx.task, fixture.ctx.has_read_contract) = (Task::Plan, true);
        fixture
    }

    #[tokio::test]
    async fn accepted_plan_is_recorded() {
        let fixture = planner().await;
        let input = json!({ "steps": [" Write\n it ", "", "Test it"], "gates": ["test"] });
        let done = fixture.done(&SubmitPlan, input).await;
        let [EventBody::BuildPlanUpdated(plan)] = &done.events[..] else { panic!("{done:?}") };
        assert_eq!((plan.phase, &plan.gates[..]), (0, &["test".to_owned()][..]));
        assert_eq!(plan.steps, ["Write it", "Test it"]);
    }

    #[tokio::test]
    async fn plan_without_steps_or_contracts_is_rejected() {
        let mut fixture = planner().await;
        for (input, reason) in [
            (json!({ "steps": [" "] }), "at least one step"),
            (json!({ "steps": vec!["x"; 21] }), "at most 20"),
            (json!({ "steps": ["x".repeat(401)] }), "at most 400 characters"),
        ] {
            let said = fixture.refused(&SubmitPlan, input).await;
            assert!(said.contains(reason), "{said}");
        }
        fixture.ctx.has_read_contract = false;
        let input = || json!({ "steps": ["Write it"] });
        let said = fixture.refused(&SubmitPlan, input()).await;
        assert!(said.contains("forge_get_phase_brief"), "{said}");
        fixture.ctx.task = Task::Execute;
        assert!(fixture.refused(&SubmitPlan, input()).await.contains("The plan stands"));
    }
}
