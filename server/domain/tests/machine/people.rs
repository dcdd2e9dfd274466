//! What people do to a build, at any moment and whether it makes sense or not.

use domain::{
    budget::BudgetAdded,
    errors::ResolutionMethod,
    event::{
        EventBody,
        branch::{AuthorKind, CommitCreated},
        confirmations::{
            ConfirmationResult, CriterionConfirmed, FindingDismissed, WeakenedTestCleared,
        },
        control::{ErrorFixRequested, GatesRequested, PhaseRetryRequested, PhaseSkipRequested},
        gates::{ErrorReopened, ErrorResolved},
        life::{CancelRequested, Interjected, PauseRequested, ResumeRequested},
        questions::{ClarificationResolved, ResolvedHow},
    },
    finding_id::FindingId,
    ids::ClarificationId,
    open_items::OpenCriterion,
    state::BuildState,
};

use crate::{choices::Choices, samples};

/// Occasional commands of users.
pub fn command(state: &BuildState, choices: &mut Choices, id: u128) -> Option<EventBody> {
    if !choices.one_in(8) {
        return None;
    }
    Some(match choices.pick(14) {
        0 => Interjected { by: samples::ada(), text: "mind the gap".to_owned() }.into(),
        1 => settle(state)?,
        2 | 3 => pause(),
        4 => resume(None),
        5 => resume(Some(samples::more())),
        6 => reopen(state).or_else(|| dismiss(state))?,
        7 => commit(id, None),
        8 => answer(state, choices)?,
        9 => retry_phase(state, choices.one_in(2))?,
        10 => skip_phase(state)?,
        11 => run_gates(),
        12 => fix_error(state)?,
        _ => cancel(),
    })
}

/// A request to begin the current phase again.
pub fn retry_phase(state: &BuildState, discard_changes: bool) -> Option<EventBody> {
    let phase = state.phase()?.outline.number;
    let (by, reason) = (samples::ada(), "it took a wrong turn".to_owned());
    Some(PhaseRetryRequested { phase, by, reason, discard_changes }.into())
}

/// A request to leave the current phase out.
pub fn skip_phase(state: &BuildState) -> Option<EventBody> {
    let phase = state.phase()?.outline.number;
    let (by, reason) = (samples::ada(), "it is not needed".to_owned());
    Some(PhaseSkipRequested { phase, by, reason }.into())
}

/// A request to run the gates.
pub fn run_gates() -> EventBody {
    GatesRequested { by: samples::ada() }.into()
}

/// A request to fix an open error.
pub fn fix_error(state: &BuildState) -> Option<EventBody> {
    let error_id = state.errors.values().find(|error| !error.resolved)?.id;
    Some(ErrorFixRequested { error_id, by: samples::ada() }.into())
}

/// A request to pause.
pub fn pause() -> EventBody {
    PauseRequested { by: samples::ada() }.into()
}

/// A request to continue.
pub fn resume(budget_added: Option<BudgetAdded>) -> EventBody {
    ResumeRequested { by: samples::ada(), budget_added }.into()
}

/// A request to end.
pub fn cancel() -> EventBody {
    CancelRequested { by: samples::ada(), reason: None }.into()
}

/// An answer to an open question, or leaving it to the agent.
pub fn answer(state: &BuildState, choices: &mut Choices) -> Option<EventBody> {
    let open = match state.questions.as_slice() {
        [] => return None,
        [only] => only.clone(),
        several => choices.of(several),
    };
    let question_id = open.request.question_id;
    let (how, answer) = choices
        .of(&[(ResolvedHow::Answered, Some("the first".to_owned())), (ResolvedHow::Skipped, None)]);
    Some(ClarificationResolved { question_id, answer, how, by: samples::ada() }.into())
}

/// An answer to a question that may not exist.
pub fn answer_to(question_id: ClarificationId) -> EventBody {
    let (answer, how) = (Some("the first".to_owned()), ResolvedHow::Answered);
    ClarificationResolved { question_id, answer, how, by: samples::ada() }.into()
}

/// What a user settles of what is open.
pub fn settle(state: &BuildState) -> Option<EventBody> {
    let (items, by) = (state.open_items(), samples::ada());
    let head_sha = state.branch.as_ref()?.head_sha.clone();
    let finding = items.findings.first();
    if !state.is_being_confirmed() {
        return finding.map(|finding| dismiss_finding(finding.id));
    }
    let open = items.criteria.iter().find(|criterion| criterion.confirmation.is_none());
    if let Some(OpenCriterion { phase, index, .. }) = open {
        return Some(confirm(*phase, *index, ConfirmationResult::Confirmed, head_sha));
    }
    let reason = "it was out of date".to_owned();
    let place = items.weakened_tests.first();
    let cleared = place
        .map(|place| WeakenedTestCleared { number: place.number, reason, head_sha, by }.into());
    cleared.or_else(|| finding.map(|finding| dismiss_finding(finding.id)))
}

/// A user's judgement of an exit criterion.
pub fn confirm(phase: u32, index: u32, result: ConfirmationResult, head_sha: String) -> EventBody {
    let note = Some("I tried it".to_owned());
    CriterionConfirmed { phase, index, result, note, head_sha, by: samples::ada() }.into()
}

pub fn dismiss_finding(id: FindingId) -> EventBody {
    FindingDismissed { id, reason: "it is intended".to_owned(), by: samples::ada() }.into()
}

/// The dismissal of an error.
pub fn dismiss(state: &BuildState) -> Option<EventBody> {
    let open = state.errors.values().find(|error| !error.resolved)?;
    let method = ResolutionMethod::Dismissed;
    let (summary, by) = (Some("it is known".to_owned()), Some(samples::ada()));
    Some(ErrorResolved { error_id: open.id, method, summary, by }.into())
}

/// The reopening of a dismissed error.
pub fn reopen(state: &BuildState) -> Option<EventBody> {
    let dismissed = state.errors.values().find(|error| error.dismissed)?;
    Some(ErrorReopened { error_id: dismissed.id }.into())
}

/// A commit of a phase, or by a user.
pub fn commit(number: u128, phase: Option<u32>) -> EventBody {
    let author_kind = if phase.is_some() { AuthorKind::Forge } else { AuthorKind::Human };
    commit_by(author_kind, number, phase)
}

/// A commit by ForgeGuard or by a user.
pub fn commit_by(author_kind: AuthorKind, number: u128, phase: Option<u32>) -> EventBody {
    let commit = CommitCreated {
        sha: format!("{number:040x}"),
        title: "a change".to_owned(),
        author_kind,
        author_name: None,
        files: 1,
        insertions: 2,
        deletions: 0,
        phase,
        tree_sha: None,
    };
    commit.into()
}
