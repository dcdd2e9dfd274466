//! Runs whose work a user does in a clone of the build's branch. The run asks for it; once the user says
//! that it is pushed, the commits are merged into the worktree, and the run continues.

use domain::{
    event::{
        EventBody,
        agents::Task,
        phases::TaskDone,
        questions::{ClarificationKind, ClarificationRequest},
    },
    ids::BuildErrorId,
    markers,
    state::{BuildState, PhaseState},
};

use super::{
    ending::Ending,
    run::{AgentError, AgentRun, RunEnd},
    turn::marked,
};
use crate::{
    journal::Entry,
    store::{self, clarifications, events},
    text,
};

/// The answer that users can choose.
const FINISHED: &str = "Run the gates";
/// Bytes of the names of what failed.
const MAX_CAUSES_BYTES: usize = 160;
const PUSH: &str = "Choose \u{201c}Run the gates\u{201d} when it is pushed, or say what you did.";

/// Asks a user for the work of a run, or ends the run with what they have pushed.
///
/// # Errors
/// If the question or the end of the run could not be recorded; it can be restarted.
pub async fn run(run: AgentRun) -> Result<RunEnd, AgentError> {
    let state = run.journal.state(run.build_id).await?;
    let phase = state.phase().filter(|phase| phase.outline.number == run.phase);
    let phase = phase.ok_or(AgentError::NoPhase(run.phase))?;
    if run.cancel.is_cancelled() || state.wants_attention() {
        return Ok(RunEnd::Interrupted);
    }
    let Some(answer) = newest_answer(&run).await? else {
        return ask(&run, &state, context(&run, phase)).await;
    };
    if !has_work(&run, &answer).await? {
        let context = format!("Nothing has been pushed since the work began. {PUSH}");
        return ask(&run, &state, context).await;
    }
    let (place, task) = ((run.build_id, run.run_id), run.task);
    let entry = Entry::derived(run.build_id, run.fence, move |state, now| {
        let mut events = finished_steps(state, task, &answer);
        let ending = Ending::Completed { summary: answer };
        events.extend(ending.events(state, place, now, store::new_id::<BuildErrorId>));
        Ok(events)
    });
    run.journal.append(entry).await?;
    Ok(RunEnd::Finished)
}

/// The answer to the run's newest question.
async fn newest_answer(run: &AgentRun) -> store::Result<Option<String>> {
    let mut conn = run.journal.db().read().await?;
    let newest = clarifications::newest_of_run(&mut conn, run.build_id, run.run_id).await?;
    Ok(newest.and_then(|asked| asked.answer))
}

/// Whether there is anything for the gates to judge: changes of the phase or, for a fix, commits since
/// the run began.
async fn has_work(run: &AgentRun, answer: &str) -> Result<bool, AgentError> {
    if run.task == Task::Execute {
        let is_explained = markers::already_done(answer).is_some();
        return Ok(is_explained || !run.changed_files().await?.is_empty());
    }
    let mut conn = run.journal.db().read().await?;
    let mut newest = [0, 0];
    for (seq, kind) in newest.iter_mut().zip(["build_agent_started", "build_commit_created"]) {
        let rows = events::newest_of_type(&mut conn, run.build_id, kind, 1).await?;
        *seq = rows.first().map_or(0, |row| row.seq);
    }
    let [started, committed] = newest;
    Ok(committed > started)
}

async fn ask(run: &AgentRun, state: &BuildState, context: String) -> Result<RunEnd, AgentError> {
    let branch = state.branch.as_ref().map_or("the branch", |branch| branch.branch.as_str());
    let question = match run.task {
        Task::Execute => format!("Implement phase {} and push it to {branch}.", run.phase),
        _ => format!("Phase {} was rejected. Push a fix to {branch}.", run.phase),
    };
    let request = ClarificationRequest {
        question_id: store::new_id(),
        kind: ClarificationKind::Work,
        question,
        context: Some(context),
        options: vec![FINISHED.to_owned()],
        multiple: false,
        asked_by: run.role,
        run_id: run.run_id,
        call_id: String::new(),
        requirement: None,
        expires_at: None,
    };
    let entry = Entry::given(run.build_id, run.fence, vec![request.into()]);
    run.journal.append(entry).await?;
    Ok(RunEnd::Asked)
}

fn context(run: &AgentRun, phase: &PhaseState) -> String {
    match (run.task, &phase.fix) {
        (Task::Fix, Some(fix)) => {
            let causes = fix.causes.join(", ");
            format!("Rejected by: {}. {PUSH}", text::head(&causes, MAX_CAUSES_BYTES))
        }
        _ => format!("The steps are listed under Plan. {PUSH}"),
    }
}

/// The steps of the plan that an answer finishes: all that are open, unless it says otherwise.
fn finished_steps(state: &BuildState, task: Task, answer: &str) -> Vec<EventBody> {
    let mut events = marked(state, task, answer);
    let Some(phase) = state.phase() else { return events };
    let number = phase.outline.number;
    let dropped = markers::tasks_dropped(answer).into_iter().map(|(step, _)| step);
    let mentioned: Vec<u32> = dropped.chain(markers::tasks_done(answer)).collect();
    let open = (1..).zip(&phase.plan).filter(|(_, step)| step.is_open());
    let others = open.filter(|(step, _)| !mentioned.contains(step));
    events.extend(others.map(|(task, _)| TaskDone { phase: number, task }.into()));
    events
}
