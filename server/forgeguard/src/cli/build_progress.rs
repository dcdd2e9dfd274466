//! Events of a build in one line each.

use domain::event::EventBody;

/// The line about an event, if it is worth one.
pub fn narrate(body: &EventBody) -> Option<String> {
    Some(match body {
        EventBody::BuildPhaseStarted(phase) => format!("phase {}: {}", phase.phase, phase.title),
        EventBody::BuildTaskDone(task) => format!("  step {} done", task.task),
        EventBody::BuildGateFinished(gate) => {
            let word = if gate.passed { "passed" } else { "failed" };
            format!("  gate {}: {word}", gate.gate)
        }
        EventBody::BuildErrorTracked(error) => {
            let first = error.record.message.lines().next().unwrap_or_default();
            format!("  error: {first}")
        }
        EventBody::BuildClarificationRequest(asked) => format!("question: {}", asked.question),
        EventBody::BuildClarificationResolved(settled) => {
            format!("answer: {}", settled.answer.as_deref().unwrap_or("the agent decides"))
        }
        EventBody::BuildCommitCreated(commit) => format!("  commit: {}", commit.title),
        EventBody::BuildPaused(_) => "paused".to_owned(),
        EventBody::BuildUnpaused(_) | EventBody::BuildResumed(_) => "resumed".to_owned(),
        EventBody::BuildBlocked(blocked) => {
            format!("blocked: {}", blocked.report.lines().next().unwrap_or_default())
        }
        EventBody::BuildSealed(sealed) => format!("sealed: {}", sealed.verdict.name()),
        EventBody::BuildAbandoned(_) => "cancelled".to_owned(),
        _ => return None,
    })
}
