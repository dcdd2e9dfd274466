//! What an external agent is told: the rules of its run, the task as the built-in agent gets it,
//! and the phase with the contracts that apply to it, because it has no tools to fetch them.

use askama::Template;
use domain::{
    event::EventBody,
    state::{BuildState, PhaseState},
};
use serde_json::json;

use crate::{
    agent::{
        briefing::Briefing,
        prompt,
        run::{AgentError, AgentRun},
    },
    tools::{self, AgentCall, BuildRecords, Done, Records, ToolName, ToolReply},
};

#[derive(Template)]
#[template(path = "prompts/external-task.md")]
struct ExternalTask<'a> {
    /// Whether the plan is carried out, rather than something fixed.
    executes: bool,
    task: &'a str,
    brief: &'a str,
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
) -> Result<TaskText, AgentError> {
    let briefing = Briefing { skills: Vec::new(), ..Briefing::load(run).await? };
    let first = prompt::first(run.task, state, phase, &briefing, false)?;
    let Done { output: brief, events, .. } = brief(run, state).await;
    let messages = state.interjections.iter().map(prompt::interjected).collect();
    let executes = run.task == domain::event::agents::Task::Execute;
    let text = ExternalTask { executes, task: &first, brief: &brief, messages }.render()?;
    Ok(TaskText {
        text,
        events,
        interjections_seen: state.interjections.last().map_or(0, |last| last.seq),
        notes_version: briefing.notes_version,
    })
}

/// The phase and the contracts that apply to it.
async fn brief(run: &AgentRun, state: &BuildState) -> Done {
    let records = Records {
        project_id: run.project_id,
        build: Some(BuildRecords { id: run.build_id, state, phase: run.phase }),
        contracts: &run.contracts,
        db: run.journal.db(),
        agent: Some(AgentCall { run_id: run.run_id, role: run.role, resumed: false }),
    };
    let tool = tools::find(ToolName::ForgeGetPhaseBrief.as_str()).and_then(|it| it.for_clients());
    let input = json!({ "phase_number": run.phase });
    match tool {
        Some(tool) => match tool.call_on(&records, input).await {
            Ok(ToolReply::Done(done)) => done,
            _ => Done::default(),
        },
        None => Done::default(),
    }
}
