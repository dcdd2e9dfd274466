//! The base branch is compared with a build's branch before the seal, and merged if it has moved.

use domain::{
    decide::{Effect, decide},
    event::{
        EventBody,
        agents::{AgentStarted, RunOutcome, Task},
        base::{BaseCompared, BaseMerged, RebaseConflict},
        branch::{AuthorKind, Pushed},
        gates::FixAttemptStarted,
        life::{BlockReason, Blocked, Sealing, Unpaused},
        phases::IterationStarted,
    },
    rounds::{self, REBASE_CONFLICT},
    state::{BuildState, MAX_FIX_ATTEMPTS, PhaseStatus, Stage, Status},
    step::{Illegal, step},
};

use crate::{choices::Choices, people, player::Life, samples};

/// The base branch after a user pushed to it.
pub const TIP: &str = "7777777777777777777777777777777777777777";

fn head(state: &BuildState) -> String {
    state.branch.as_ref().map_or(samples::BASELINE, |branch| &branch.head_sha).to_owned()
}

/// Nothing is left to merge.
pub fn compared(state: &BuildState) -> BaseCompared {
    BaseCompared {
        branch: "main".to_owned(),
        tip_sha: samples::BASELINE.to_owned(),
        head_sha: head(state),
        base_sha: None,
        fetch_error: None,
    }
}

/// The merge commit `commit_sha`.
pub fn merged(commit_sha: String) -> BaseMerged {
    BaseMerged {
        branch: "main".to_owned(),
        tip_sha: TIP.to_owned(),
        base_sha: TIP.to_owned(),
        commit_sha,
        paths: vec!["README.md".to_owned()],
        path_count: 1,
        conflicts: Vec::new(),
        fetch_error: None,
    }
}

pub fn conflict(state: &BuildState) -> RebaseConflict {
    RebaseConflict {
        branch: "main".to_owned(),
        tip_sha: TIP.to_owned(),
        base_sha: TIP.to_owned(),
        head_sha: head(state),
        paths: vec!["lib/b.js".to_owned()],
        path_count: 1,
        fetch_error: None,
    }
}

/// What a driver appends for the merge commit `number`.
pub fn merge(number: u128) -> Vec<EventBody> {
    let commit = people::commit_by(AuthorKind::Forge, number, None);
    let EventBody::BuildCommitCreated(made) = &commit else { unreachable!("it is one") };
    let sha = made.sha.clone();
    vec![commit, merged(sha).into()]
}

/// The best fitting event of each type.
pub fn candidates(state: &BuildState) -> Vec<EventBody> {
    vec![compared(state).into(), merged(head(state)).into(), conflict(state).into()]
}

fn tried(state: &BuildState, body: EventBody) -> Result<BuildState, Illegal> {
    step(Some(state.clone()), 1_000, state.last_at, &body)
}

fn after(state: &BuildState, body: impl Into<EventBody>) -> BuildState {
    tried(state, body.into()).expect("the event is legal")
}

fn next(state: &BuildState) -> Effect {
    decide(state, state.last_at)
}

/// A build of one scoped phase and the gates `test` and `lint`, all of whose work is done.
fn done() -> BuildState {
    let mut life = Life::begin(Choices::new(vec![0, 1, 0, 0, 0, 0, 0, 0, 1]), false);
    life.play_until(|_, effect| matches!(effect, Effect::BeginSealing));
    let mut state = life.state().clone();
    state.queued.merges_base = true;
    state
}

fn with_merge(state: &BuildState) -> BuildState {
    merge(500).into_iter().fold(state.clone(), |state, event| after(&state, event))
}

/// All gates of the round have these results.
fn judged(state: &BuildState, passes: impl Fn(&str) -> bool) -> BuildState {
    let Effect::RunGates { phase: Some(0), names } = next(state) else {
        panic!("no gates but {:?}", next(state));
    };
    let head = head(state);
    let finish = |state: BuildState, name: &String| {
        let mut finished = samples::gate_finished(name, Some(0), passes(name), &head);
        finished.required = name != "lint";
        after(&state, finished)
    };
    let state = names.iter().fold(state.clone(), finish);
    assert_eq!(next(&state), Effect::JudgeRound { phase: 0 });
    rounds::finish_round(&state).into_iter().fold(state, |state, event| after(&state, event))
}

fn blocked(state: &BuildState, reason: BlockReason) -> BuildState {
    after(state, Blocked { reason, last_failures: Vec::new(), report: String::new() })
}

fn resumed(state: &BuildState) -> BuildState {
    let requested = after(state, people::resume(None));
    let by = samples::ada();
    after(&requested, Unpaused { by, question_expiries: Vec::new(), question_expires_at: None })
}

/// The fix in progress is begun and ends.
fn fixed(state: &BuildState) -> BuildState {
    let Effect::StartFix { phase, attempt, causes } = next(state) else {
        panic!("no fix but {:?}", next(state));
    };
    let n = state.phase().unwrap().iteration + 1;
    let started = IterationStarted { phase, n };
    let state = after(state, started);
    let state = after(&state, FixAttemptStarted { phase, attempt, causes });
    ran(&state, Task::Fix)
}

fn ran(state: &BuildState, task: Task) -> BuildState {
    let run = samples::id(700 + u128::from(state.phase().unwrap().iteration));
    let (role, continues) = state.phase().unwrap().next_run(task);
    let started = AgentStarted {
        run_id: run,
        role,
        task,
        phase: 0,
        model: "offline".to_owned(),
        weakened_tests: Vec::new(),
        continues,
        executor: domain::executor::Executor::Builtin,
    };
    let mut finished = samples::finished(run, RunOutcome::Completed);
    finished.signed_off = task == Task::Audit;
    after(&after(state, started), finished)
}

#[test]
fn build_is_not_sealed_before_its_base_branch_was_compared() {
    let state = done();
    assert_eq!(next(&state), Effect::CompareBase);
    let early = tried(&state, Sealing {}.into()).unwrap_err();
    assert_eq!(early.why, "the base branch was not compared");
    let state = after(&state, compared(&state));
    assert_eq!(next(&state), Effect::BeginSealing);
    let pushed = after(&state, people::commit(501, None));
    assert_eq!(next(&pushed), Effect::CompareBase, "the branch has changed");
    assert!(tried(&pushed, Sealing {}.into()).is_err());
    assert_eq!(after(&state, Sealing {}).status, Status::Sealing);
    assert!(tried(&after(&state, Sealing {}), compared(&state).into()).is_err());
}

#[test]
fn build_of_an_earlier_version_is_sealed_without_a_comparison() {
    let mut state = done();
    state.queued.merges_base = false;
    assert_eq!(next(&state), Effect::BeginSealing);
    assert_eq!(after(&state, Sealing {}).status, Status::Sealing);
}

#[test]
fn gates_run_again_on_a_merge_without_another_audit() {
    let before = done();
    let state = with_merge(&before);
    assert_eq!(state.branch.as_ref().unwrap().baseline_sha, TIP);
    assert_eq!(state.phases[0].base_sha.as_deref(), Some(TIP));
    assert_eq!(state.phases[0].files_committed, before.phases[0].files_committed);
    assert_eq!(state.phases[0].criteria, before.phases[0].criteria);
    let state = judged(&state, |name| name != "lint");
    assert_eq!(next(&state), Effect::Push);
    let sha = head(&state);
    let state = after(&state, Pushed { sha, remote: "hosted".to_owned() });
    let state =
        rounds::complete_phase(&state).into_iter().fold(state, |it, event| after(&it, event));
    assert_eq!(next(&state), Effect::CompareBase, "it may have moved again meanwhile");
    let state = after(&state, compared(&state));
    assert_eq!(next(&state), Effect::BeginSealing);
    assert!(state.phases[0].signed_off);
}

#[test]
fn gate_that_fails_after_a_merge_is_fixed_and_audited() {
    let state = judged(&with_merge(&done()), |name| name != "test");
    let state = fixed(&state);
    let state = judged(&judged_again(&state), |_| true);
    assert_eq!(next(&state), Effect::RunAgent { phase: 0, task: Task::Audit, run: None });
    let state = ran(&state, Task::Audit);
    assert_eq!(next(&state), Effect::Commit { phase: 0 });
}

/// After a fix, the gates that failed run first.
fn judged_again(state: &BuildState) -> BuildState {
    let Effect::RunGates { phase: Some(0), names } = next(state) else { panic!() };
    assert_eq!(names, ["test"]);
    after(state, samples::gate_finished("test", Some(0), true, &head(state)))
}

#[test]
fn push_after_a_merge_requires_another_audit() {
    let state = after(&with_merge(&done()), people::commit(502, None));
    let state = judged(&state, |_| true);
    assert_eq!(next(&state), Effect::RunAgent { phase: 0, task: Task::Audit, run: None });
}

#[test]
fn coder_resolves_a_conflict_within_the_scope_and_the_files_with_conflicts() {
    let before = done();
    let state = after(&before, conflict(&before));
    assert_eq!(state.phases[0].status, PhaseStatus::Running);
    let Effect::StartFix { causes, .. } = next(&state) else { panic!("{:?}", next(&state)) };
    assert_eq!(causes, [REBASE_CONFLICT]);
    assert_eq!(state.scope_of(&state.phases[0]), ["src/**", "lib/b.js"]);
    let state = judged(&fixed(&state), |_| true);
    let state = ran(&state, Task::Audit);
    assert_eq!(next(&state), Effect::Commit { phase: 0 });
    let commit = people::commit(503, Some(0));
    let state = after(&state, commit);
    assert_eq!(state.phases[0].files_committed, before.phases[0].files_committed);
    let sha = head(&state);
    let other = BaseMerged { base_sha: samples::BASELINE.to_owned(), ..merged(sha.clone()) };
    assert_eq!(tried(&state, other.into()).unwrap_err().why, "that is another merge");
    let state = after(&state, merged(sha));
    assert_eq!(next(&state), Effect::Push);
    assert_eq!(state.base.conflict, None);
    assert_eq!(state.branch.unwrap().baseline_sha, TIP);
}

#[test]
fn conflict_that_is_not_resolved_blocks_the_build_until_it_is_compared_again() {
    let before = done();
    let mut state = after(&before, conflict(&before));
    for _ in 0..MAX_FIX_ATTEMPTS {
        state = judged(&fixed(&state), |name| name != "validate");
    }
    assert_eq!(next(&state), Effect::Block { reason: BlockReason::RebaseConflict });
    let state = blocked(&state, BlockReason::RebaseConflict);
    assert_eq!(next(&state), Effect::Park);
    let state = resumed(&state);
    assert_eq!(next(&state), Effect::CompareBase);
    // It is as before.
    let again = after(&state, conflict(&state));
    assert!(matches!(next(&again), Effect::StartFix { attempt: 1, .. }), "{:?}", next(&again));
    // A user has merged the branch.
    let pushed = after(&state, people::commit(504, None));
    assert_eq!(next(&pushed), Effect::CompareBase);
    let base_sha = Some(TIP.to_owned());
    let resolved = after(&pushed, BaseCompared { base_sha, ..compared(&pushed) });
    assert_eq!(resolved.branch.as_ref().unwrap().baseline_sha, TIP);
    let judged = judged(&resolved, |_| true);
    assert_eq!(next(&judged), Effect::RunAgent { phase: 0, task: Task::Audit, run: None });
    // It can be merged now.
    let merged = with_merge(&pushed);
    assert_eq!(merged.base.conflict, None);
    assert!(!merged.phases[0].is_recheck, "a user has changed the code");
}

#[test]
fn work_on_a_conflict_is_not_interrupted_by_a_push() {
    let before = done();
    let state = after(&before, conflict(&before));
    let mut state = fixed(&state);
    state.phases[0].stage = Stage::Agent(Task::Fix);
    state.phases[0].run = Some(samples::id(9));
    let state = after(&state, people::commit(505, None));
    assert!(matches!(next(&state), Effect::RunAgent { task: Task::Fix, .. }), "{:?}", next(&state));
    assert!(tried(&state, conflict(&state).into()).is_err());
}

#[test]
fn phase_with_an_unfinished_merge_begins_again_only_without_its_changes() {
    let before = done();
    let state = blocked(&after(&before, conflict(&before)), BlockReason::RebaseConflict);
    let kept = people::retry_phase(&state, false).unwrap();
    let why = tried(&state, kept).unwrap_err().why;
    assert_eq!(why, "a merge is not finished: discard its changes");
    let state = after(&state, people::retry_phase(&state, true).unwrap());
    let Effect::ControlPhase { request } = next(&state) else { panic!("{:?}", next(&state)) };
    let events = rounds::control_phase(&state, &request, None);
    let state = events.into_iter().fold(state, |state, event| after(&state, event));
    assert_eq!(state.base.conflict, None);
}

#[test]
fn build_without_a_phase_is_blocked_by_a_conflict() {
    let mut state = done();
    state.phases[0].status = PhaseStatus::Skipped;
    let state = after(&state, conflict(&state));
    assert_eq!(next(&state), Effect::Block { reason: BlockReason::RebaseConflict });
}

#[test]
fn base_branch_that_keeps_moving_is_merged_a_limited_number_of_times() {
    let mut state = done();
    let mut merges = 0;
    while next(&state) == Effect::CompareBase {
        merges += 1;
        let events = merge(600 + merges);
        state = events.into_iter().fold(state, |state, event| after(&state, event));
        state = judged(&state, |_| true);
        let sha = head(&state);
        state = after(&state, Pushed { sha, remote: "hosted".to_owned() });
        let events = rounds::complete_phase(&state);
        state = events.into_iter().fold(state, |state, event| after(&state, event));
    }
    assert_eq!((merges, next(&state)), (10, Effect::BeginSealing));
}
