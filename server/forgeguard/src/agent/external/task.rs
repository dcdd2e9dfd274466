//! What an external agent is told: the rules of its run, the task as the built-in agent gets it,
//! and the phase with the contracts that apply to it, so that it does not have to fetch them.

use askama::Template;
use domain::{
    event::EventBody,
    state::{BuildState, PhaseState},
};
use serde_json::json;

use super::run_records::RunRecords;
use crate::{
    agent::{
        briefing::Briefing,
        prompt,
        run::{AgentError, AgentRun},
    },
    tools::{Done, ToolName},
};

#[derive(Template)]
#[template(path = "prompts/external-task.md")]
struct ExternalTask<'a> {
    /// Whether the plan is carried out, rather than something fixed.
    executes: bool,
    task: &'a str,
    brief: &'a str,
    /// Names of the tools that it has.
    tools: Vec<&'static str>,
    messages: Vec<String>,
}

/// A task, and what an agent has read with it.
pub struct TaskText {
    pub text: String,
    pub events: Vec<EventBody>,
    pub interjections_seen: u64,
    pub notes_version: u32,
}

/// Writes the task of a run.
///
/// # Errors
/// If the database fails.
pub async fn write(
    run: &AgentRun,
    state: &BuildState,
    phase: &PhaseState,
    records: &RunRecords,
) -> Result<TaskText, AgentError> {
    let briefing = Briefing { skills: Vec::new(), ..Briefing::load(run).await? };
    let first = prompt::first(run.task, state, phase, &briefing, false)?;
    let input = json!({ "phase_number": run.phase });
    let brief = records.read(ToolName::ForgeGetPhaseBrief.as_str(), input).await;
    let Done { output: brief, events, .. } = brief.unwrap_or_default();
    let tools = records.tools().map(|(tool, _)| tool.name().as_str()).collect();
    let messages = state.interjections.iter().map(prompt::interjected).collect();
    let executes = run.task == domain::event::agents::Task::Execute;
    let text = ExternalTask { executes, task: &first, brief: &brief, tools, messages }.render()?;
    Ok(TaskText {
        text,
        events,
        interjections_seen: state.interjections.last().map_or(0, |last| last.seq),
        notes_version: briefing.notes_version,
    })
}
