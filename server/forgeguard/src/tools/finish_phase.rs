//! `finish_phase`: the coder's or fixer's work is done, and the gates run.

use async_trait::async_trait;
use domain::event::{agents::Task, phases::PhaseAlreadyDone};
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

/// Of a summary or a reason, in characters.
const MAX_TEXT: usize = 2_000;

pub struct FinishPhase;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// What was done, or for a fix: the cause and the change.
    summary: String,
    /// Only if nothing had to change: why.
    #[serde(default)]
    already_done: Option<String>,
}

/// The summary in the input of an accepted call.
pub fn summary(input: Value) -> Option<String> {
    input::read(input).ok().map(|params: Params| params.summary.trim().to_owned())
}

#[async_trait]
impl Tool for FinishPhase {
    fn name(&self) -> ToolName {
        ToolName::FinishPhase
    }

    fn description(&self) -> &'static str {
        "Ends your work: the gates run next, then an audit."
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let Params { summary, already_done } = input::read(input)?;
        if !(1..=MAX_TEXT).contains(&summary.trim().chars().count()) {
            let reason = format!("`summary` must have 1 to {MAX_TEXT} characters.");
            return Err(ToolError::ForModel(reason));
        }
        let finished = ToolReply::done("Finished. The gates run next.");
        if ctx.task == Task::Fix {
            return Ok(finished);
        }
        let has_changes = has_changes(ctx).await?;
        let already_done = already_done.map(|reason| reason.trim().to_owned());
        let already_done = already_done.filter(|reason| !reason.is_empty());
        let mut problems = Vec::new();
        if !has_changes && already_done.is_none() {
            problems.push("Nothing has changed".to_owned());
        }
        problems.extend(open_steps(ctx));
        if !problems.is_empty() {
            return Ok(ToolReply::failed(format!(
                "{}. Carry out what is missing, and call finish_step for each step that is done or \
                 dropped. If the phase was done before you began, say why in `already_done`.",
                problems.join("; ")
            )));
        }
        let declared = already_done.filter(|_| !has_changes).map(|reason| {
            let reason = reason.chars().take(MAX_TEXT).collect();
            PhaseAlreadyDone { phase: ctx.phase, reason }.into()
        });
        Ok(finished.with_events(declared))
    }
}

async fn has_changes(ctx: &ToolContext) -> Result<bool, ToolError> {
    let changes = ctx.changes.clone();
    let paths = ctx.on_files(move |_| changes.paths().map_err(ToolError::ForModel)).await?;
    Ok(!paths.is_empty())
}

/// The open steps of the plan in words, such as `steps 1, 3 are open`.
fn open_steps(ctx: &ToolContext) -> Option<String> {
    let phase = ctx.state.phase().filter(|phase| phase.outline.number == ctx.phase)?;
    let open = (1..).zip(&phase.plan).filter(|(_, step)| step.is_open());
    let open: Vec<String> = open.map(|(number, _): (u32, _)| number.to_string()).collect();
    match open.as_slice() {
        [] => None,
        [one] => Some(format!("step {one} is open")),
        several => Some(format!("steps {} are open", several.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::{event::EventBody, state::PlanStep};
    use serde_json::json;

    use super::*;
    use crate::tools::fixture::{ChangedFiles, Fixture};

    async fn coder(changed: &[&'static str], steps: &[bool]) -> Fixture {
        let mut fixture = Fixture::new().await;
        let step = |done: &bool| PlanStep { text: "a".into(), done: *done, dropped: None };
        Arc::make_mut(&mut fixture.ctx.state).phases[0].plan = steps.iter().map(step).collect();
        fixture.ctx.changes = Arc::new(ChangedFiles(changed.to_vec()));
        fixture
    }

    #[tokio::test]
    async fn phase_with_open_steps_or_no_change_is_not_finished() {
        let input = || json!({ "summary": "It greets." });
        for (changed, steps, problem) in [
            (&[][..], &[false, false][..], "Nothing has changed; steps 1, 2 are open."),
            (&["a.js"], &[true, false], "step 2 is open."),
            (&[], &[true], "Nothing has changed."),
        ] {
            let said = coder(changed, steps).await.refused(&FinishPhase, input()).await;
            assert!(said.starts_with(problem), "{said}");
        }
        let done = coder(&["a.js"], &[true]).await.done(&FinishPhase, input()).await;
        assert!(done.ok && done.events.is_empty(), "{done:?}");
        let empty = json!({ "summary": " " });
        assert!(coder(&[], &[]).await.refused(&FinishPhase, empty).await.contains("`summary`"));
    }

    #[tokio::test]
    async fn phase_that_was_done_before_needs_a_reason() {
        let input = json!({ "summary": "Nothing to do.", "already_done": "greet exists" });
        let done = coder(&[], &[true]).await.done(&FinishPhase, input.clone()).await;
        assert!(
            matches!(&done.events[..], [EventBody::BuildPhaseAlreadyDone(it)] if it.reason == "greet exists")
        );
        // What changed is judged, whatever the coder says.
        let done = coder(&["a.js"], &[true]).await.done(&FinishPhase, input).await;
        assert!(done.ok && done.events.is_empty(), "{done:?}");
    }

    #[tokio::test]
    async fn fix_is_finished_with_its_summary() {
        let mut fixture = coder(&[], &[false]).await;
        fixture.ctx.task = Task::Fix;
        let input = json!({ "summary": "A typo." });
        assert!(fixture.done(&FinishPhase, input.clone()).await.ok);
        assert_eq!(summary(input), Some("A typo.".into()));
    }
}
