//! What follows when the gates of a round have spoken, when a phase ends, and when a build is given up.

use crate::{
    decide::refusals,
    errors::ResolutionMethod,
    event::{
        EventBody,
        branch::{BranchLife, BranchStatus},
        gates::FixAttemptResult,
        life::{Abandoned, Actor},
        phases::{IterationFinished, PhaseComplete},
        questions::{ClarificationResolved, ResolvedHow},
    },
    state::{BuildState, PhaseState},
    tracking,
};

/// The source under which a gate's errors are tracked.
pub fn gate_source(gate: &str) -> String {
    format!("gate:{gate}")
}

/// The source under which an auditor's findings are tracked.
pub const AUDIT_SOURCE: &str = "audit";

/// The source of the errors that a fix is about: a gate's, or the auditor's.
pub fn source_of(cause: &str) -> String {
    if cause == AUDIT_SOURCE { AUDIT_SOURCE.to_owned() } else { gate_source(cause) }
}

/// The gates have spoken: the fix is judged, what it fixed is settled, the round ends.
pub fn judge(state: &BuildState) -> Vec<EventBody> {
    let Some(phase) = state.phase() else { return Vec::new() };
    let number = phase.outline.number;
    let passed = phase.gates.values().all(|gate| gate.passed || !gate.required);
    let mut events = Vec::new();
    if let Some(fix) = &phase.fix {
        let (attempt, fix_summary) = (fix.attempt, fix.summary.clone());
        events.push(FixAttemptResult { phase: number, attempt, passed, fix_summary }.into());
        events.extend(settled_by_fix(state, phase));
    }
    events.push(IterationFinished { phase: number, n: phase.iteration, passed }.into());
    events
}

/// A gate that was red and is green now has its errors settled, with the fixer's words. What was
/// gone before, while the gate was still red for another reason, was settled by an earlier fix.
fn settled_by_fix(state: &BuildState, phase: &PhaseState) -> Vec<EventBody> {
    let Some(fix) = &phase.fix else { return Vec::new() };
    let mut green: Vec<String> = phase
        .gates
        .iter()
        .filter(|(name, gate)| gate.passed && fix.causes.contains(name))
        .map(|(name, _)| gate_source(name))
        .collect();
    let all_green = phase.gates.values().all(|gate| gate.passed || !gate.required);
    if all_green && fix.causes.iter().any(|cause| cause == AUDIT_SOURCE) {
        green.push(AUDIT_SOURCE.to_owned());
    }
    let label = phase.label();
    tracking::resolve(state, ResolutionMethod::AutoFix, |error| {
        let here = error.phase.as_deref() == Some(label.as_str());
        let since = if here { error.round } else { phase.iteration };
        green.contains(&error.source).then(|| told_since(phase, since, &fix.summary))
    })
}

/// Fixes of which a note tells.
const FIXES_TOLD: usize = 3;

/// The words of the fixes that were tried since an error was seen last: any of them, or only all
/// together, may have settled it.
fn told_since(phase: &PhaseState, round: u32, last: &str) -> String {
    let earlier = phase.fixes.iter().filter(|fix| fix.round > round);
    let mut told: Vec<&str> = earlier.map(|fix| fix.summary.trim()).chain([last]).collect();
    told.retain(|summary| !summary.is_empty());
    told.dedup();
    told[told.len().saturating_sub(FIXES_TOLD)..].join("\nThen: ")
}

/// The phase is signed off, committed and pushed: its errors are settled and it is complete.
pub fn complete_phase(state: &BuildState) -> Vec<EventBody> {
    let Some(phase) = state.phase() else { return Vec::new() };
    let number = phase.outline.number;
    let label = phase.label();
    let summary = format!("Phase {number} was signed off with all gates green.");
    let mut events = tracking::resolve(state, ResolutionMethod::PhaseComplete, |error| {
        (error.phase.as_deref() == Some(label.as_str())).then(|| summary.clone())
    });
    let deliverables = phase.outline.deliverables.clone();
    events.push(PhaseComplete { phase: number, deliverables }.into());
    events
}

/// The build is given up: its question is closed, its branch stays and says so.
pub fn abandon(state: &BuildState, by: Actor, reason: Option<String>) -> Vec<EventBody> {
    let mut events = Vec::new();
    if let Some(open) = &state.question {
        let question_id = open.request.question_id;
        let how = ResolvedHow::Cancelled;
        let by = by.clone();
        events.push(ClarificationResolved { question_id, answer: None, how, by }.into());
    }
    if let Some(branch) = state.branch.clone().filter(|_| state.branch_ready) {
        events.push(BranchStatus { status: BranchLife::Abandoned, ..branch }.into());
    }
    events.push(Abandoned { by, reason }.into());
    events
}

/// Markdown for a person: why the build stands still, what was tried, what can be done.
pub fn stuck_report(state: &BuildState, why: &str, remedy: &str) -> String {
    let mut report = format!("# The build is stuck\n\n**Why:** {why}\n\n## What was tried\n\n");
    match state.phase() {
        Some(phase) => {
            let done = phase.plan.iter().filter(|step| step.done).count();
            report += &format!(
                "- {}: {} rounds, {} fixes, {done} of {} steps of the plan done\n",
                phase.label(),
                phase.iteration,
                phase.fix_attempts,
                phase.plan.len(),
            );
            let red = phase.gates.values().any(|gate| !gate.passed);
            if red {
                report += &format!("- Refused by: {}\n", refusals(phase).join(", "));
            }
        }
        None => report += "- All phases are complete.\n",
    }
    report += "\n## The last failures\n\n";
    if state.last_failures.is_empty() {
        report += "None was recorded.\n";
    }
    for failure in &state.last_failures {
        report += &format!("```\n{}\n```\n", failure.replace("```", "'''"));
    }
    report += &format!("\n## What you can do\n\n{remedy}\n");
    report
}
