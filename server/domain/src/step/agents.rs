//! Runs of agents.

use super::guards::{Reason, ensure};
use crate::{
    audited_weakening::ClearedWeakening,
    errors::Severity,
    event::agents::{AgentFinished, AgentStarted, AgentTurn, Role, RunOutcome, Task},
    failure::ErrorClass,
    state::{BuildState, Stage, Status},
};

/// Of the reason why a run did not complete its task.
const MAX_STOP_CHARS: usize = 600;

impl BuildState {
    pub(super) fn start_agent(&mut self, started: &AgentStarted) -> Result<(), Reason> {
        self.expect(&[Status::Running, Status::Retrying])?;
        let is_coders_fix = started.task == Task::Fix && started.role == Role::Coder;
        ensure(started.role == started.task.role() || is_coders_fix, "that is not its task")?;
        let phase = self.begun(started.phase)?;
        ensure(phase.stage == Stage::Agent(started.task), "that is not the phase's next task")?;
        ensure(phase.run.is_none(), "an agent is already running")?;
        if started.continues.is_some() {
            let newest = phase.conversation.last().copied();
            ensure(started.continues == newest, "that is not the coder's conversation")?;
        } else if started.role == Role::Coder {
            phase.conversation.clear();
        }
        if started.role == Role::Coder {
            phase.conversation.push(started.run_id);
        }
        phase.run = Some(started.run_id);
        *phase.runs.entry(started.task).or_default() += 1;
        phase.failure = None;
        if started.task == Task::Audit {
            phase.weakened_tests.clone_from(&started.weakened_tests);
            phase.cleared_weakenings.clear();
        }
        self.retry = None;
        self.status = Status::Running;
        self.usage.begin(started);
        Ok(())
    }

    pub(super) fn record_turn(&mut self, turn: &AgentTurn) -> Result<(), Reason> {
        // The model is available again.
        self.running(turn.run_id)?.retries.remove(&ErrorClass::Transient);
        self.spent.tokens_in += turn.tokens_in + turn.cache_read + turn.cache_write;
        self.spent.tokens_out += turn.tokens_out;
        self.spent.usd_micros += turn.cost_usd_micros;
        self.usage.record_turn(turn);
        self.interjections.retain(|words| words.seq > turn.interjections_seen);
        self.notes_version = turn.notes_version;
        Ok(())
    }

    pub(super) fn finish_agent(&mut self, finished: &AgentFinished) -> Result<(), Reason> {
        ensure(self.questions.is_empty(), "it waits for an answer")?;
        self.running(finished.run_id)?;
        self.usage.end(finished.run_id);
        let phase = self.running(finished.run_id)?;
        let Stage::Agent(task) = phase.stage else { return Err("no agent has a task") };
        if finished.outcome != RunOutcome::Completed {
            phase.run = None;
            phase.failure = Some(finished.outcome.clone());
            phase.last_stop = Some(finished.summary.chars().take(MAX_STOP_CHARS).collect());
            // A run that went wrong is not continued, unless only the model was unavailable.
            let is_unavailable = matches!(
                finished.outcome,
                RunOutcome::Failed { error_class: ErrorClass::Transient, .. }
            );
            if !is_unavailable && phase.conversation.last() == Some(&finished.run_id) {
                phase.conversation.clear();
            }
            let failure = format!("{}: {}", task.role().name(), finished.summary);
            self.record_failure(failure);
            return Ok(());
        }
        phase.retries.clear();
        phase.last_stop = None;
        // Every gate has a result before the audit, unless a user has changed the code since.
        let is_outdated = phase.gates.is_empty();
        phase.stage = match task {
            Task::Scout => Stage::Agent(Task::Plan),
            Task::Plan => {
                ensure(!phase.plan.is_empty(), "it has no plan")?;
                Stage::Agent(Task::Execute)
            }
            Task::Execute => Stage::Gates,
            Task::Fix => {
                let fix = phase.fix.as_mut().ok_or("no fix is being tried")?;
                fix.summary.clone_from(&finished.summary);
                Stage::Gates
            }
            Task::Audit => {
                let is_shown = |it: &ClearedWeakening| phase.weakened_tests.contains(&it.weakening);
                ensure(
                    finished.cleared_weakenings.iter().all(is_shown),
                    "it clears a weakened test that it was not shown",
                )?;
                phase.cleared_weakenings.clone_from(&finished.cleared_weakenings);
                let is_open =
                    |id| !finished.earlier_findings.iter().any(|answer| answer.closes(id));
                phase.findings.retain(|finding| finding.id.is_some_and(is_open));
                phase.findings.extend(finished.findings.iter().cloned());
                phase.deliverables.clone_from(&finished.deliverables);
                let has_errors = phase.findings.iter().any(|f| f.severity >= Severity::Error);
                let approved = finished.signed_off && !has_errors;
                phase.signed_off = approved && !is_outdated;
                match (approved, is_outdated) {
                    (true, true) => Stage::Gates,
                    (true, false) => Stage::Commit,
                    (false, _) => Stage::Refused,
                }
            }
        };
        phase.run = None;
        let newest = finished.findings.iter().filter_map(|finding| finding.id).max();
        self.last_finding = self.last_finding.max(newest.map_or(0, |id| id.0));
        Ok(())
    }
}
