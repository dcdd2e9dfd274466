//! `finish_step`: a step of the plan is done, or will not be done.

use async_trait::async_trait;
use domain::event::phases::{TaskDone, TaskDropped};
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

/// Of a reason, in characters.
const MAX_REASON: usize = 400;

pub struct FinishStep;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Its number in the plan.
    step: u32,
    /// Why it will not be done, if so.
    #[serde(default)]
    dropped: Option<String>,
}

#[async_trait]
impl Tool for FinishStep {
    fn name(&self) -> ToolName {
        ToolName::FinishStep
    }

    fn description(&self) -> &'static str {
        "Marks a step of the plan as done or dropped."
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let Params { step: number, dropped } = input::read(input)?;
        let phase = ctx.state.phase().filter(|phase| phase.outline.number == ctx.phase);
        let plan = phase.map_or(&[][..], |phase| &phase.plan[..]);
        let index = (number as usize).checked_sub(1);
        let Some(step) = index.and_then(|index| plan.get(index)) else {
            let reason = format!("There is no step {number}; the plan has {}.", plan.len());
            return Ok(ToolReply::failed(reason));
        };
        let (phase, task) = (ctx.phase, number);
        let reason = dropped.map(|reason| reason.trim().to_owned());
        Ok(match reason.filter(|reason| !reason.is_empty()) {
            _ if step.done => ToolReply::done(format!("Step {number} was already done.")),
            None => ToolReply::done(format!("Step {number} is done.")).with_events([TaskDone {
                phase,
                task,
            }
            .into()]),
            Some(_) if step.dropped.is_some() => {
                ToolReply::done(format!("Step {number} was already dropped."))
            }
            Some(reason) if reason.chars().count() > MAX_REASON => {
                let limit = format!("`dropped` can have at most {MAX_REASON} characters.");
                return Err(ToolError::ForModel(limit));
            }
            Some(reason) => ToolReply::done(format!("Step {number} is dropped."))
                .with_events([TaskDropped { phase, task, reason }.into()]),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::{event::EventBody, state::PlanStep};
    use serde_json::json;

    use super::*;
    use crate::tools::fixture::Fixture;

    #[tokio::test]
    async fn steps_are_finished_or_dropped_once() {
        let mut fixture = Fixture::new().await;
        let step = |done| PlanStep { text: "a".into(), done, dropped: None };
        Arc::make_mut(&mut fixture.ctx.state).phases[0].plan = vec![step(false), step(true)];
        let done = fixture.done(&FinishStep, json!({ "step": 1 })).await;
        let is_done =
            |event: &EventBody| matches!(event, EventBody::BuildTaskDone(it) if it.task == 1);
        assert!(done.ok && done.events.iter().all(is_done) && done.events.len() == 1);
        let dropped = fixture.done(&FinishStep, json!({ "step": 1, "dropped": "unneeded" })).await;
        assert!(
            matches!(&dropped.events[..], [EventBody::BuildTaskDropped(it)] if it.reason == "unneeded")
        );
        let again = fixture.done(&FinishStep, json!({ "step": 2 })).await;
        assert!(again.ok && again.events.is_empty(), "{again:?}");
        for number in [0, 3] {
            let said = fixture.refused(&FinishStep, json!({ "step": number })).await;
            assert!(said.contains("the plan has 2"), "{said}");
        }
    }
}
