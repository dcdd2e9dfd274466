//! Blocking a build until a user resumes it, with a report of the reason and what to do.

use domain::{
    event::{
        agents::RunOutcome,
        base::RebaseConflict,
        life::{BlockReason, Blocked},
    },
    rounds,
    state::{BuildState, OpenConflict, Status},
};

/// Whether the state machine allows the build to be blocked.
pub fn can_block(state: &BuildState) -> bool {
    matches!(state.status, Status::Queued | Status::Running | Status::Retrying | Status::Sealing)
}

/// Blocks a build for a reason that its state shows.
pub fn blocked(state: &BuildState, reason: BlockReason) -> Blocked {
    let (why, remedy) = words(state, reason);
    match (&state.base.conflict, reason) {
        (Some(open), BlockReason::RebaseConflict) => {
            park(state, reason, &conflict(open), &merge_remedy(state, open))
        }
        (Some(open), _) => park(state, reason, &format!("{why} {}", conflict(open)), remedy),
        (None, _) => park(state, reason, &why, remedy),
    }
}

/// Blocks a build because of an error of ForgeGuard itself.
pub fn broken(state: &BuildState, message: &str) -> Blocked {
    let why = format!("ForgeGuard failed repeatedly at the same step: {message}");
    let remedy = "Fix the problem that the message names (disk space, permissions, the \
        repository), then resume the build. Completed work is kept.";
    park(state, BlockReason::Retries, &why, remedy)
}

/// Files with conflicts that a report names.
const MAX_NAMED_FILES: usize = 50;
const WORKER_ENDED_REMEDY: &str = "Look at the service's log and at what the step runs (memory, disk, \
    a gate's command), then resume the build. It is not tried again by itself.";

/// Blocks a build because the worker process ended twice while it `performed` a step, such as `ran
/// the gates of phase 0`.
pub fn worker_ended(state: &BuildState, performed: &str) -> Blocked {
    let why = format!("The worker process ended twice while it {performed}.");
    park(state, BlockReason::WorkerEnded, &why, WORKER_ENDED_REMEDY)
}

/// Blocks a build whose settings conflict with those of the installation.
pub fn misconfigured(state: &BuildState, message: &str) -> Blocked {
    let remedy = "Change the project's gates or the installation's settings, then resume the \
        build. Completed work is kept.";
    park(state, BlockReason::Config, message, remedy)
}

fn park(state: &BuildState, reason: BlockReason, why: &str, remedy: &str) -> Blocked {
    let report = rounds::blocked_report(state, why, remedy);
    Blocked { reason, last_failures: state.last_failures.clone(), report }
}

fn words(state: &BuildState, reason: BlockReason) -> (String, &'static str) {
    let budget = |what: &str| format!("The build has used up its {what}.");
    const MORE: &str = "Resume the build with a higher limit, or cancel it. The branch is kept.";
    match reason {
        BlockReason::Config if state.lacks_program() => (
            missing_programs(state),
            "Install the program on the machine that runs builds, where the service finds it in its \
             PATH, or let the gate's command install it; then resume the build: its gates run on the \
             baseline again. Or change the project's gates, then resume the build: it continues with \
             them. No model was called so far.",
        ),
        BlockReason::Retries if state.exhausted_gate.is_some() => (
            exhausted_gate(state),
            "Free memory or disk on the machine that runs builds, or let the gate's command use less: \
             fewer parallel jobs, less data. Then resume the build: the gate runs again. The code was \
             not judged by that run.",
        ),
        BlockReason::Iterations => (budget("rounds for this phase"), MORE),
        BlockReason::Minutes => (budget("minutes"), MORE),
        BlockReason::Tokens => (budget("tokens"), MORE),
        BlockReason::Usd => (budget("money"), MORE),
        BlockReason::DoomLoop => (
            "An agent repeated the same call with the same result.".to_owned(),
            "Tell it what to do differently with /interject, then resume.",
        ),
        BlockReason::FixAttempts => (
            "Three attempts did not fix what the gates or the auditor rejected.".to_owned(),
            "Look at the failing gate or the findings; push a fix to the branch or say what is wrong with \
             /interject, then resume.",
        ),
        BlockReason::Stopped => (
            failure(state),
            "Resolve the problem that the agent describes, tell it with /interject, then resume.",
        ),
        BlockReason::Config => (
            failure(state),
            "Correct the setting that the message names, then resume. Completed work is kept.",
        ),
        BlockReason::RebaseConflict => (
            reason.explanation().to_owned(),
            "Merge the branch that the build started from into the build's branch, push, then resume.",
        ),
        BlockReason::WorkerEnded => (
            "The worker process ended twice while it performed the same step.".to_owned(),
            WORKER_ENDED_REMEDY,
        ),
        BlockReason::Retries => (
            format!("Every retry failed. The last error: {}", failure(state)),
            "Look at the failures below. Resume to try again.",
        ),
    }
}

/// Which files have conflicts.
fn conflict(open: &OpenConflict) -> String {
    let RebaseConflict { branch, tip_sha, .. } = &open.found;
    format!(
        "The branch {branch} has moved to {tip_sha:.12} since the build started, and its changes \
         conflict with those of the build (rebase_conflict) in: {}.",
        open.found.listed(MAX_NAMED_FILES)
    )
}

/// The paths are those that [`conflict`] names.
fn merge_remedy(state: &BuildState, open: &OpenConflict) -> String {
    let base = &open.found.branch;
    let own = state.branch.as_ref().map_or("", |branch| branch.branch.as_str());
    format!(
        "How should the conflicts be resolved? To resolve them yourself, merge {base} into the branch \
         {own} in a clone (git fetch origin; git switch {own}; git merge origin/{base}), edit the files, \
         commit and push to {own}; then resume the build: it continues with your merge. To let an agent \
         try again, tell it how with /interject and resume the build without a push. Or cancel the \
         build. Its branch is kept as it was before the merge."
    )
}

fn missing_programs(state: &BuildState) -> String {
    let gates = state.baseline.iter().filter(|(_, result)| result.blocks());
    let lines = gates.map(|(name, result)| {
        let program = result.missing_program.as_deref().unwrap_or_default();
        format!(
            "The gate {name} cannot run: its command `{}` needs `{program}`, which is not installed.",
            result.command
        )
    });
    lines.collect::<Vec<_>>().join(" ")
}

fn exhausted_gate(state: &BuildState) -> String {
    state.exhausted_gate.as_ref().map_or(String::new(), |gate| {
        let (name, resource) = (&gate.gate, gate.resource.name());
        format!("The gate {name} ran out of {resource} each time that it ran: `{}`.", gate.command)
    })
}

fn failure(state: &BuildState) -> String {
    match state.phase().and_then(|phase| phase.failure.as_ref()) {
        Some(RunOutcome::Stopped { code, text }) => format!("{}: {text}", code.name()),
        Some(RunOutcome::Failed { message, .. }) => message.clone(),
        Some(RunOutcome::DoomLoop { tool }) => format!("it repeated the same call of {tool}"),
        Some(RunOutcome::Completed) | None => "An agent could not continue.".to_owned(),
    }
}
