//! Limits that hold over pauses, resumptions and failures.

use chrono::TimeDelta;
use domain::{
    budget::BudgetAdded,
    decide::{Effect, decide},
    errors::Severity,
    event::{
        EventBody,
        agents::Task,
        life::{Actor, BlockReason, Blocked, Paused, Unpaused},
        questions::{ClarificationKind, ClarificationRequest, ClarificationResolved, ResolvedHow},
    },
    ids::{Id, RunId},
    rounds,
    state::Status,
    tracking::{self, ObservedFailure},
};
use uuid::Uuid;

use crate::{agents, choices::Choices, people, player::Life, samples};

/// A build whose scout is at work, and its run.
fn with_a_scout() -> (Life, RunId) {
    let mut life = Life::begin(Choices::kind(), false);
    life.play_until(|_, effect| matches!(effect, Effect::RunAgent { .. }));
    let run = life.start_agent(0, Task::Scout).unwrap();
    (life, run)
}

fn request(life: &Life, run: RunId, kind: ClarificationKind) -> ClarificationRequest {
    let id = Uuid::from_u128(10_000 + life.events.len() as u128);
    let at = agents::At { build: life.build, run, task: Task::Scout, now: life.now, id };
    match agents::any_question(life.state(), at, &mut Choices::kind()) {
        EventBody::BuildClarificationRequest(request) => ClarificationRequest { kind, ..request },
        other => panic!("{other:?}"),
    }
}

fn unpause(life: &mut Life) {
    // `append` moves the present by a millisecond.
    let now = life.now + TimeDelta::milliseconds(1);
    let question_expiries = life.state().expiries_after_pause(now);
    life.append(vec![people::resume(None)]).unwrap();
    let unpaused = Unpaused { by: samples::ada(), question_expiries, question_expires_at: None };
    life.append(vec![unpaused.into()]).unwrap();
}

#[test]
fn pause_stops_the_timeout_of_a_question() {
    let (mut life, run) = with_a_scout();
    let asked = request(&life, run, ClarificationKind::Question);
    let expires_at = asked.expires_at.unwrap();
    life.append(vec![asked.into()]).unwrap();

    life.now = expires_at - TimeDelta::seconds(60);
    let paused = Paused { by: samples::ada(), reason: None };
    life.append(vec![people::pause(), paused.into()]).unwrap();
    let left = expires_at - life.now;
    life.now += TimeDelta::days(1);
    assert_eq!(decide(life.state(), life.now), Effect::Park);
    unpause(&mut life);

    assert_eq!(life.state().status, Status::AwaitingInput);
    let Effect::Wait { until: Some(until) } = decide(life.state(), life.now) else {
        panic!("{:?}", decide(life.state(), life.now))
    };
    assert!((until - life.now - left).abs() <= TimeDelta::milliseconds(2), "{until} {left}");
    let timed_out = decide(life.state(), until);
    assert!(matches!(timed_out, Effect::TimeOut { .. }), "{timed_out:?}");
}

#[test]
fn timeout_continues_in_journals_of_older_versions() {
    let (mut life, run) = with_a_scout();
    let asked = request(&life, run, ClarificationKind::Question);
    life.append(vec![asked.into()]).unwrap();
    let paused = Paused { by: samples::ada(), reason: None };
    life.append(vec![people::pause(), paused.into()]).unwrap();
    life.now += TimeDelta::days(1);
    let unpaused =
        Unpaused { by: samples::ada(), question_expiries: Vec::new(), question_expires_at: None };
    life.append(vec![people::resume(None), unpaused.into()]).unwrap();
    let Effect::Wait { until: Some(until) } = decide(life.state(), life.now) else { panic!() };
    assert!(until > life.now);
}

#[test]
fn question_without_a_timeout_has_none_after_a_pause() {
    let (mut life, run) = with_a_scout();
    let asked = request(&life, run, ClarificationKind::Question);
    life.append(vec![ClarificationRequest { expires_at: None, ..asked }.into()]).unwrap();
    let paused = Paused { by: samples::ada(), reason: None };
    life.append(vec![people::pause(), paused.into()]).unwrap();
    unpause(&mut life);
    assert_eq!(decide(life.state(), life.now), Effect::Wait { until: None });
}

#[test]
fn only_users_do_the_work_of_their_phase_and_without_a_limit() {
    let (mut life, run) = with_a_scout();
    let expiring = request(&life, run, ClarificationKind::Work);
    let refused = life.append(vec![expiring.clone().into()]).unwrap_err();
    assert_eq!(refused.why, "work has no time limit");
    let asked = ClarificationRequest { expires_at: None, ..expiring };
    let question_id = asked.question_id;
    life.append(vec![asked.into()]).unwrap();
    assert_eq!(life.state().spent.clarifications, 0);
    assert_eq!(decide(life.state(), life.now), Effect::Wait { until: None });
    let (answer, by) = (Some("Done".to_owned()), samples::ada());
    let answered = ClarificationResolved { question_id, answer, how: ResolvedHow::Answered, by };
    for how in [ResolvedHow::Skipped, ResolvedHow::TimedOut] {
        let resolved = ClarificationResolved { answer: None, how, ..answered.clone() };
        let refused = life.append(vec![resolved.into()]).unwrap_err();
        assert_eq!(refused.why, "only a user does this work");
    }
    life.append(vec![answered.into()]).unwrap();
    assert_eq!(life.state().status, Status::Running);
}

/// Two questions of one reply; the first expires earlier.
fn two_questions(life: &Life, run: RunId) -> [ClarificationRequest; 2] {
    let first = request(life, run, ClarificationKind::Question);
    let later = first.expires_at.map(|at| at + TimeDelta::minutes(1));
    let question_id = samples::id(20_000);
    [first.clone(), ClarificationRequest { question_id, expires_at: later, ..first }]
}

fn resolve(life: &mut Life, asked: &ClarificationRequest) {
    let (question_id, by) = (asked.question_id, samples::ada());
    let how = ResolvedHow::Skipped;
    life.append(vec![ClarificationResolved { question_id, answer: None, how, by }.into()]).unwrap();
}

#[test]
fn build_waits_until_all_questions_of_a_reply_are_resolved() {
    let (mut life, run) = with_a_scout();
    let [first, second] = two_questions(&life, run);
    life.append(vec![first.clone().into(), second.clone().into()]).unwrap();
    assert_eq!(life.state().spent.clarifications, 2);
    assert_eq!(decide(life.state(), life.now), Effect::Wait { until: first.expires_at });
    resolve(&mut life, &first);
    assert_eq!(life.state().status, Status::AwaitingInput);
    assert_eq!(decide(life.state(), life.now), Effect::Wait { until: second.expires_at });
    let (question_id, late) = (second.question_id, second.expires_at.unwrap());
    assert_eq!(decide(life.state(), late), Effect::TimeOut { question_id });
    resolve(&mut life, &second);
    assert_eq!(life.state().status, Status::Running);
}

#[test]
fn pause_stops_the_timeouts_of_all_questions() {
    let (mut life, run) = with_a_scout();
    let [first, second] = two_questions(&life, run);
    life.append(vec![first.into(), second.into()]).unwrap();
    let before = life.state().questions.clone();
    let paused = Paused { by: samples::ada(), reason: None };
    life.append(vec![people::pause(), paused.into()]).unwrap();
    life.now += TimeDelta::days(1);
    assert_eq!(decide(life.state(), life.now), Effect::Park);
    unpause(&mut life);
    for (before, after) in before.iter().zip(&life.state().questions) {
        let moved = after.request.expires_at.unwrap() - before.request.expires_at.unwrap();
        assert!((moved - TimeDelta::days(1)).abs() < TimeDelta::seconds(1), "{moved}");
    }
}

#[test]
fn only_questions_of_the_same_run_are_open_together() {
    let (mut life, run) = with_a_scout();
    let [first, second] = two_questions(&life, run);
    life.append(vec![first.into()]).unwrap();
    let kind = ClarificationKind::Permission;
    for other in [
        ClarificationRequest { run_id: samples::id(9), ..second.clone() },
        ClarificationRequest { kind, ..second.clone() },
    ] {
        assert!(life.append(vec![other.into()]).is_err());
    }
    life.append(vec![second.into()]).unwrap();
    assert_eq!(life.state().questions.len(), 2);
}

#[test]
fn permission_prompts_have_a_separate_limit() {
    let (mut life, run) = with_a_scout();
    let asks = |life: &mut Life, kind| {
        let asked = request(life, run, kind);
        let question_id = asked.question_id;
        life.append(vec![asked.into()]).map_err(|refused| refused.why)?;
        let (how, by) = (ResolvedHow::Skipped, Actor::Forge);
        let resolved = ClarificationResolved { question_id, answer: None, how, by };
        life.append(vec![resolved.into()]).map_err(|refused| refused.why)
    };
    for _ in 0..life.state().budgets.clarifications {
        asks(&mut life, ClarificationKind::Question).unwrap();
    }
    let refused = asks(&mut life, ClarificationKind::Question);
    assert_eq!(refused, Err("no questions are left"));
    for _ in 0..life.state().budgets.permission_prompts {
        asks(&mut life, ClarificationKind::Permission).unwrap();
    }
    let refused = asks(&mut life, ClarificationKind::Permission);
    assert_eq!(refused, Err("no questions are left"));
}

fn block(life: &mut Life, reason: BlockReason) {
    let blocked = Blocked { reason, last_failures: vec![], report: String::new() };
    life.append(vec![blocked.into()]).unwrap();
}

#[test]
fn build_that_exhausted_a_limit_is_resumed_only_with_more() {
    for (reason, added) in [
        (BlockReason::Iterations, BudgetAdded { iterations: 1, ..Default::default() }),
        (BlockReason::Minutes, BudgetAdded { minutes: 1, ..Default::default() }),
        (BlockReason::Tokens, BudgetAdded { tokens: 1, ..Default::default() }),
        (BlockReason::Usd, BudgetAdded { usd_micros: 1, ..Default::default() }),
    ] {
        let (mut life, _) = with_a_scout();
        block(&mut life, reason);
        for too_little in [None, Some(BudgetAdded::default())] {
            let refused = life.append(vec![people::resume(too_little)]).unwrap_err();
            assert!(refused.why.contains("exhausted"), "{}", refused.why);
        }
        life.append(vec![people::resume(Some(added))]).unwrap();
    }
}

/// Whatever it was blocked for, a limit that is used up would block it again at once.
#[test]
fn build_is_not_resumed_while_another_limit_is_exhausted() {
    let (mut life, _) = with_a_scout();
    life.now += TimeDelta::minutes(i64::from(life.state().budgets.minutes.unwrap()) + 5);
    block(&mut life, BlockReason::FixAttempts);
    let refused = life.append(vec![people::resume(None)]).unwrap_err();
    assert!(refused.why.contains("minutes"), "{}", refused.why);
    let added = BudgetAdded { minutes: 30, ..Default::default() };
    life.append(vec![people::resume(Some(added))]).unwrap();
}

#[test]
fn failures_of_the_engine_count_only_since_the_last_progress() {
    let (mut life, run) = with_a_scout();
    let fail = |life: &mut Life| {
        let seen = ObservedFailure::new(rounds::ENGINE_SOURCE, Severity::Error, "the disk is full");
        let id = Id::from_uuid(Uuid::from_u128(90_000));
        let tracked = tracking::track(life.state(), life.build, id, life.now, seen);
        life.append(vec![tracked]).unwrap();
        life.state().engine_failures
    };
    assert_eq!((fail(&mut life), fail(&mut life)), (1, 2));
    // What people do is no progress.
    life.append(vec![people::pause(), people::resume(None)]).unwrap();
    assert_eq!(fail(&mut life), 3);
    let seen = life.events.len() as u64;
    life.append(vec![samples::turn(run, seen, 10).into()]).unwrap();
    assert_eq!(fail(&mut life), 1);
    assert!(life.state().errors.values().any(|error| error.occurrence_count == 4));
}
