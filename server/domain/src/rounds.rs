//! The events at the end of a round, of a phase, and of a build that is abandoned.

use std::collections::HashSet;

use crate::{
    decide::refusals,
    errors::ResolutionMethod,
    event::{
        EventBody,
        agents::{AgentFinished, Finding},
        branch::{BranchLife, BranchStatus},
        control::{PhaseRestarted, PhaseRetryRequested, PhaseSkipRequested, PhaseSkipped},
        gates::{ErrorResolved, FixAttemptResult},
        life::{Abandoned, Actor, Interjected},
        phases::{IterationFinished, PhaseComplete},
        questions::{ClarificationKind, ClarificationResolved, ResolvedHow},
    },
    state::{BuildState, PhaseRequest, PhaseState},
    tracking::{self, ObservedFailure},
};

const GATE_PREFIX: &str = "gate:";

/// The source of errors of a gate.
pub fn gate_source(gate: &str) -> String {
    format!("{GATE_PREFIX}{gate}")
}

/// The source of an auditor's findings.
pub const AUDIT_SOURCE: &str = "audit";

/// What a fix is about, and the source of the error, if the base branch cannot be merged.
pub const REBASE_CONFLICT: &str = "rebase_conflict";

/// The source of failures of the engine itself.
pub const ENGINE_SOURCE: &str = "engine";

/// The source of the errors that a fix is about: a gate's, or the auditor's.
pub fn source_of(cause: &str) -> String {
    match cause {
        AUDIT_SOURCE | REBASE_CONFLICT => cause.to_owned(),
        gate => gate_source(gate),
    }
}

/// What a fix of an error with this source is about; `None` if neither a gate nor the auditor
/// reported it.
pub fn cause_of(source: &str) -> Option<&str> {
    if source == AUDIT_SOURCE { Some(source) } else { source.strip_prefix(GATE_PREFIX) }
}

/// All gates have run: the fix is finished, its errors are resolved, and the round ends.
pub fn finish_round(state: &BuildState) -> Vec<EventBody> {
    let Some(phase) = state.phase() else { return Vec::new() };
    let number = phase.outline.number;
    let passed = phase.gates.values().all(|gate| gate.passed || !gate.required);
    let mut events = Vec::new();
    if let Some(fix) = &phase.fix {
        let (attempt, fix_summary) = (fix.attempt, fix.summary.clone());
        let unchanged = false;
        let result = FixAttemptResult { phase: number, attempt, passed, fix_summary, unchanged };
        events.push(result.into());
        events.extend(resolve_fixed_errors(state, phase));
    }
    events.push(IterationFinished { phase: number, n: phase.iteration, passed }.into());
    events
}

/// The attempt to fix changed nothing: it failed, and the round ends without gates.
pub fn finish_unchanged_round(state: &BuildState) -> Vec<EventBody> {
    let Some((phase, fix)) = state.phase().and_then(|phase| Some((phase, phase.fix.as_ref()?)))
    else {
        return Vec::new();
    };
    let (number, fix_summary) = (phase.outline.number, fix.summary.clone());
    let (attempt, passed, unchanged) = (fix.attempt, false, true);
    vec![
        FixAttemptResult { phase: number, attempt, passed, fix_summary, unchanged }.into(),
        IterationFinished { phase: number, n: phase.iteration, passed }.into(),
    ]
}

/// Resolves the errors of gates that failed before and now pass, with the fixer's summary. Errors
/// that disappeared earlier, while their gate still failed, were resolved by an earlier fix.
fn resolve_fixed_errors(state: &BuildState, phase: &PhaseState) -> Vec<EventBody> {
    let Some(fix) = &phase.fix else { return Vec::new() };
    let green: Vec<String> = phase
        .gates
        .iter()
        .filter(|(name, gate)| gate.passed && fix.causes.contains(name))
        .map(|(name, _)| gate_source(name))
        .collect();
    let label = phase.label();
    tracking::resolve(state, ResolutionMethod::AutoFix, |error| {
        let here = error.phase.as_deref() == Some(label.as_str());
        let since = if here { error.round } else { phase.iteration };
        green.contains(&error.source).then(|| summaries_since(phase, since, &fix.summary))
    })
}

/// The failure that a finding is tracked as.
pub fn finding_failure(finding: &Finding) -> ObservedFailure {
    ObservedFailure::new(AUDIT_SOURCE, finding.severity, finding.to_string())
}

/// An audit has ended: resolves the errors of the phase's findings that are no longer open.
pub fn resolve_closed_findings(state: &BuildState, finished: &AgentFinished) -> Vec<EventBody> {
    let Some(phase) = state.phase() else { return Vec::new() };
    let earlier = phase.findings.iter().filter(|finding| {
        let open = |id| !finished.earlier_findings.iter().any(|answer| answer.closes(id));
        finding.id.is_some_and(open)
    });
    let fingerprint = |finding: &Finding| finding_failure(finding).fingerprint().to_owned();
    let open: HashSet<String> = earlier.chain(&finished.findings).map(fingerprint).collect();
    let label = phase.label();
    let closed = state.errors.iter().filter(|(fingerprint, error)| {
        !error.resolved
            && error.source == AUDIT_SOURCE
            && error.phase.as_deref() == Some(label.as_str())
            && !open.contains(*fingerprint)
    });
    let resolved = closed.map(|(_, error)| {
        let summary = summaries_since(phase, error.round, "");
        let summary = Some(summary).filter(|summary| !summary.is_empty());
        let summary = summary.or_else(|| Some("The next audit did not find it again.".to_owned()));
        let (error_id, method) = (error.id, ResolutionMethod::AutoFix);
        ErrorResolved { error_id, method, summary, by: None }.into()
    });
    resolved.collect()
}

/// In the summary of a resolved error.
const MAX_FIX_SUMMARIES: usize = 3;

/// The summaries of the fixes since an error last occurred, any of which may have resolved it.
fn summaries_since(phase: &PhaseState, round: u32, last: &str) -> String {
    let earlier = phase.fixes.iter().filter(|fix| fix.round > round);
    let mut told: Vec<&str> = earlier.map(|fix| fix.summary.trim()).chain([last]).collect();
    told.retain(|summary| !summary.is_empty());
    told.dedup();
    told[told.len().saturating_sub(MAX_FIX_SUMMARIES)..].join("\nThen: ")
}

/// The phase is signed off, committed and pushed: its errors are resolved and it is complete.
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

/// The current phase begins again or is left out, as requested: its questions are cancelled.
pub fn control_phase(
    state: &BuildState,
    request: &PhaseRequest,
    rescue: Option<String>,
) -> Vec<EventBody> {
    let open = state.questions.iter().map(|open| &open.request);
    let of_phase = open.filter(|open| open.kind != ClarificationKind::Assumption);
    let (by, events): (Actor, Vec<EventBody>) = match request.clone() {
        PhaseRequest::Retry(PhaseRetryRequested { phase, by, reason, .. }) => {
            let text = format!("Phase {phase} begins again, because: {reason}");
            let told = Interjected { by: by.clone(), text };
            let restarted = PhaseRestarted { phase, by: by.clone(), reason, rescue };
            (by, vec![restarted.into(), told.into()])
        }
        PhaseRequest::Skip(PhaseSkipRequested { phase, by, reason }) => {
            (by.clone(), vec![PhaseSkipped { phase, by, reason, rescue }.into()])
        }
    };
    let cancelled = of_phase.map(|open| {
        let (question_id, how, by) = (open.question_id, ResolvedHow::Cancelled, by.clone());
        ClarificationResolved { question_id, answer: None, how, by }.into()
    });
    cancelled.chain(events).collect()
}

/// The build is abandoned: its questions are cancelled, its branch remains.
pub fn abandon(state: &BuildState, by: Actor, reason: Option<String>) -> Vec<EventBody> {
    let mut events = Vec::new();
    for open in &state.questions {
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

/// Markdown for users: why the build is blocked, what was tried, and what can be done.
pub fn blocked_report(state: &BuildState, why: &str, remedy: &str) -> String {
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
