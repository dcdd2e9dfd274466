//! What an external agent is told: the rules of its run, the task as the built-in agent gets it,
//! and the phase with the contracts that apply to it, so that it does not have to fetch them.

use askama::Template;
use domain::{
    event::{EventBody, agents::Task},
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
    store::{self, clarifications},
    tools::{Done, ToolName, settled},
};

/// Questions of a build that are searched; more than its budget allows.
const MAX_QUESTIONS: i64 = 1_000;

#[derive(Template)]
#[template(path = "prompts/external-task.md")]
struct ExternalTask<'a> {
    /// Whether the plan is carried out, rather than something fixed.
    executes: bool,
    task: &'a str,
    brief: &'a str,
    /// Names of the tools that it has.
    tools: Vec<&'static str>,
    /// Whether it has the tool that asks the user.
    asks: bool,
    messages: Vec<String>,
}

/// What is told to an agent that continues its session.
#[derive(Template)]
#[template(path = "prompts/external-resumed.md")]
struct ResumedTask {
    messages: Vec<String>,
}

/// A task, and what an agent has read with it.
pub struct TaskText {
    pub text: String,
    pub events: Vec<EventBody>,
    pub interjections_seen: u64,
    pub notes_version: u32,
}

/// Writes the task of a run, or what is new for an agent that continues the session of its run.
///
/// # Errors
/// If the database fails.
pub async fn write(
    run: &AgentRun,
    state: &BuildState,
    phase: &PhaseState,
    records: &RunRecords,
    continues: bool,
) -> Result<TaskText, AgentError> {
    let briefing = Briefing { skills: Vec::new(), ..Briefing::load(run).await? };
    let mut messages: Vec<_> = state.interjections.iter().map(prompt::interjected).collect();
    messages.extend(results_of_questions(run, continues).await?);
    let (text, events) = if continues {
        (ResumedTask { messages }.render()?, Vec::new())
    } else {
        let first = prompt::first(run.task, state, phase, &briefing, false)?;
        let input = json!({ "phase_number": run.phase });
        let brief = records.read(ToolName::ForgeGetPhaseBrief.as_str(), input).await;
        let Done { output: brief, events, .. } = brief.unwrap_or_default();
        let tools: Vec<_> = records.tools().map(|tool| tool.name()).collect();
        let task = ExternalTask {
            executes: run.task == Task::Execute,
            task: &first,
            brief: &brief,
            asks: tools.contains(&ToolName::ForgeAskClarification),
            tools: tools.into_iter().map(ToolName::as_str).collect(),
            messages,
        };
        (task.render()?, events)
    };
    Ok(TaskText {
        text,
        events,
        interjections_seen: state.interjections.last().map_or(0, |last| last.seq),
        notes_version: briefing.notes_version,
    })
}

/// The results of questions that earlier processes of the run have asked. Without their conversation,
/// answers are a part of the task.
async fn results_of_questions(run: &AgentRun, continues: bool) -> store::Result<Vec<String>> {
    let mut conn = run.journal.db().read().await?;
    let asked = clarifications::list(&mut conn, run.build_id, None, MAX_QUESTIONS).await?;
    let own = asked.into_iter().filter(|it| it.run_id == run.run_id);
    let results = own.filter(|it| continues || it.answer.is_none()).filter_map(|it| {
        let how = settled(&it.status)?;
        let result = BuildState::answer_text(how, it.answer.as_deref(), it.multiple);
        Some(format!("You asked: {}\n{result}", it.question))
    });
    Ok(results.collect())
}
