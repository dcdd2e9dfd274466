//! The rows beside a journal say what its state says, after every entry.

use chrono::TimeDelta;
use domain::{
    contract::ContractType,
    errors::{ResolutionMethod, Severity},
    event::{
        EventBody,
        agents::{Role, Task},
        gates::ErrorResolved,
        life::{PauseRequested, Paused, ResumeRequested, Unpaused},
        questions::ClarificationRequest,
    },
    ids::{BuildId, ClarificationId},
    state::{PhaseStatus, Status},
};
use forgeguard::store::{
    self, Db, build_errors, build_phases, builds, clarifications, seals, work_items,
};

use crate::{
    script::{self, Until},
    world::World,
};

/// Compares all rows of a build with what its journal folds to.
async fn assert_rows_agree(world: &World, build: BuildId) {
    let (events, state) = world.refolded(build).await;
    assert_eq!(*world.state(build).await, state);
    let mut conn = world.db.read().await.unwrap();

    let row = builds::get(&mut conn, build).await.unwrap().unwrap();
    let last = events.last().unwrap();
    assert_eq!((row.head_seq, &row.head_hash), (last.seq, &last.hash));
    assert_eq!(row.status, state.status);
    assert_eq!(row.verdict, state.sealed.as_ref().map(|sealed| sealed.verdict));
    let branch = state.branch.as_ref();
    assert_eq!(row.branch.as_deref(), branch.map(|branch| branch.branch.as_str()));
    assert_eq!(row.baseline_sha.as_deref(), branch.map(|branch| branch.baseline_sha.as_str()));
    assert_eq!(row.head_sha.as_deref(), branch.map(|branch| branch.head_sha.as_str()));
    assert_eq!(row.branch_status, branch.map(|branch| branch.status));
    assert_eq!(row.commit_count, branch.map_or(0, |branch| branch.commit_count));
    assert_eq!(row.attempt, state.attempt);
    let complete = |phase: &&domain::state::PhaseState| phase.status == PhaseStatus::Complete;
    assert_eq!(row.phases_done as usize, state.phases.iter().filter(complete).count());
    assert_eq!(row.phase_count as usize, state.phases.len());
    assert_eq!(row.open_errors as usize, state.open_errors());
    assert_eq!(row.open_questions, state.questions.len() as u32);
    assert_eq!(row.blocked_reason.as_deref(), state.blocked.map(|reason| reason.name()));
    let at_of = |kinds: &[&str]| {
        events.iter().find(|event| kinds.contains(&event.body.type_name())).map(|event| event.at)
    };
    assert_eq!(row.started_at, at_of(&["build_started"]));
    assert_eq!(row.finished_at, at_of(&["build_sealed", "build_abandoned"]));

    let phases = build_phases::list(&mut conn, build).await.unwrap();
    let statuses: Vec<_> = phases.iter().map(|phase| phase.status).collect();
    let due: Vec<_> = state.phases.iter().map(|phase| phase.status).collect();
    assert_eq!(statuses, due);
    assert_eq!(phases[0].started_at, at_of(&["build_phase_started"]));
    assert_eq!(phases[0].completed_at, at_of(&["build_phase_complete"]));

    let errors = build_errors::list(&mut conn, build, None, 100).await.unwrap();
    assert_eq!(errors.len(), state.errors.len());
    for error in errors {
        let due = &state.errors[&error.fingerprint];
        assert_eq!(error.id, due.id);
        assert_eq!(error.first_seen, due.first_seen);
        assert_eq!(error.occurrence_count, due.occurrence_count);
        assert_eq!((error.resolved, error.regression), (due.resolved, due.regression));
        assert_eq!((error.severity, &error.source), (due.severity, &due.source));
        assert_eq!(error.resolved_at.is_some(), due.resolved);
    }

    let open = clarifications::open(&mut conn, build).await.unwrap();
    let open: Vec<_> = open.into_iter().map(|row| (row.id, row.expires_at)).collect();
    let asked = state.questions.iter().map(|open| &open.request);
    let asked: Vec<_> = asked.map(|asked| (asked.question_id, asked.expires_at)).collect();
    assert_eq!(open, asked);

    let work = work_items::get(&mut conn, build).await.unwrap().unwrap();
    assert_eq!(work.status == "done", state.status.is_final());

    let seal = seals::get(&mut conn, build).await.unwrap();
    let due = state.sealed.as_ref();
    assert_eq!(seal.is_some(), due.is_some());
    if let (Some(seal), Some(due)) = (seal, due) {
        assert_eq!((seal.verdict, seal.score), (due.verdict, f64::from(due.score)));
        assert_eq!((&seal.seal_commit, &seal.journal_head), (&due.seal_commit, &due.journal_head));
        assert_eq!(seal.evidence, serde_json::to_string(&due.evidence).unwrap());
    }
}

/// Events at the end of a build while its coder works: errors that come, go and come back, and
/// questions settled in both ways.
async fn troubles(world: &World, build: BuildId) {
    let resolve = |error_id, method| -> EventBody {
        ErrorResolved { error_id, method, summary: Some("mended".to_owned()), by: None }.into()
    };
    for (message, severity) in [
        ("no such file", Severity::Error),
        ("no such file", Severity::Error),
        ("too slow", Severity::Warning),
    ] {
        let error = script::error(&*world.state(build).await, build, severity, message);
        world.append(build, vec![error]).await;
        assert_rows_agree(world, build).await;
    }
    let state = world.state(build).await;
    let all = state.errors.values().map(|error| resolve(error.id, ResolutionMethod::AutoFix));
    world.append(build, all.collect()).await;
    assert_rows_agree(world, build).await;
    let state = world.state(build).await;
    let back = script::error(&state, build, Severity::Error, "no such file");
    world.append(build, vec![back]).await;
    assert_rows_agree(world, build).await;
    let id = world.state(build).await.errors.values().find(|error| !error.resolved).unwrap().id;
    world.append(build, vec![resolve(id, ResolutionMethod::PhaseComplete)]).await;

    let by = script::user(world.owner);
    for words in [Some("old first"), None] {
        let id: ClarificationId = store::new_id();
        world.append(build, vec![script::question(build, id)]).await;
        assert_rows_agree(world, build).await;
        world.append(build, vec![script::answer(id, by.clone(), words)]).await;
        assert_rows_agree(world, build).await;
    }
    world.append(build, vec![script::contract_read(build)]).await;
    let id: ClarificationId = store::new_id();
    world.append(build, vec![script::question(build, id)]).await;
    world.append(build, vec![script::answer(id, by, Some("yes"))]).await;

    let (events, _) = world.refolded(build).await;
    let mut conn = world.db.read().await.unwrap();
    let row = clarifications::get(&mut conn, build, id).await.unwrap().unwrap();
    assert_eq!(row.contract, Some(ContractType::Stack), "what the coder read last");
    let last = events.last().unwrap().seq;
    assert_eq!((row.asked_seq, row.resolved_seq), (Some(last - 1), Some(last)));
    let errors = build_errors::list(&mut conn, build, None, 9).await.unwrap();
    for error in errors {
        let first = events.iter().find(|event| match &event.body {
            EventBody::BuildErrorTracked(tracked) => tracked.record.id == error.id,
            _ => false,
        });
        assert_eq!(error.first_seq, first.map(|event| event.seq));
    }
}

support::on_both! {
    async fn rows_agree_with_the_journal_after_every_entry(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        assert_rows_agree(&world, build).await;
        let coding = script::entries(build, Until::Coding).len();
        for (index, entry) in script::entries(build, Until::FinalGates).into_iter().enumerate() {
            world.append(build, entry).await;
            assert_rows_agree(&world, build).await;
            if index + 1 == coding {
                troubles(&world, build).await;
            }
        }
        world.seal(build).await;
        assert_rows_agree(&world, build).await;
        assert_eq!(world.state(build).await.status, Status::Sealed);
    }

    async fn pause_moves_the_deadlines_of_open_questions(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let by = script::user(world.owner);
        let ids: [ClarificationId; 3] = std::array::from_fn(|_| store::new_id());
        let asked = ids.iter().zip([Some(10), Some(20), None]).map(|(id, minutes)| {
            let EventBody::BuildClarificationRequest(asked) = script::question(build, *id) else {
                panic!("it is a question")
            };
            let expires_at = minutes.map(|minutes| store::now() + TimeDelta::minutes(minutes));
            ClarificationRequest { expires_at, ..asked }.into()
        });
        world.append(build, asked.collect()).await;
        assert_rows_agree(&world, build).await;
        let pause = PauseRequested { by: by.clone() };
        let paused = Paused { by: by.clone(), reason: None };
        world.append(build, vec![pause.into(), paused.into()]).await;
        assert_rows_agree(&world, build).await;
        let state = world.state(build).await;
        let are_stopped: Vec<_> =
            state.questions.iter().map(|open| open.remaining_ms.is_some()).collect();
        assert_eq!(are_stopped, [true, true, false]);

        let resume = ResumeRequested { by: by.clone(), budget_added: None };
        let question_expiries = state.expiries_after_pause(store::now() + TimeDelta::hours(1));
        let expected = question_expiries.iter().map(|it| Some(it.expires_at));
        let expected: Vec<_> = expected.chain([None]).collect();
        let unpaused = Unpaused { by, question_expiries, question_expires_at: None };
        world.append(build, vec![resume.into(), unpaused.into()]).await;
        assert_rows_agree(&world, build).await;
        let mut conn = world.db.read().await.unwrap();
        let rows = clarifications::open(&mut conn, build).await.unwrap();
        assert_eq!(rows.into_iter().map(|row| row.expires_at).collect::<Vec<_>>(), expected);
    }

    async fn pause_of_an_older_version_moves_the_deadline_of_its_question(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let (id, by): (ClarificationId, _) = (store::new_id(), script::user(world.owner));
        world.append(build, vec![script::question(build, id)]).await;
        let pause = PauseRequested { by: by.clone() };
        let paused = Paused { by: by.clone(), reason: None };
        let resume = ResumeRequested { by: by.clone(), budget_added: None };
        let question_expires_at = Some(store::now() + TimeDelta::minutes(70));
        let unpaused = Unpaused { by, question_expiries: Vec::new(), question_expires_at };
        let events = vec![pause.into(), paused.into(), resume.into(), unpaused.into()];
        world.append(build, events).await;
        let mut conn = world.db.read().await.unwrap();
        let row = clarifications::get(&mut conn, build, id).await.unwrap().unwrap();
        assert_eq!(row.expires_at, question_expires_at);
    }

    async fn rows_agree_with_the_journal_when_a_build_is_abandoned(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        world.append(build, script::given_up(script::user(world.owner))).await;
        assert_rows_agree(&world, build).await;
    }

    async fn build_appended_in_one_transaction_has_the_same_rows(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let all = script::entries(build, Until::FinalGates).concat();
        world.append(build, all).await;
        world.seal(build).await;
        assert_rows_agree(&world, build).await;
    }

    // PostgreSQL's texts cannot hold it, and a test that prints it must not stop the build.
    async fn nul_characters_are_replaced(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let state = world.state(build).await;
        let error = script::error(&state, build, Severity::Error, "before\0after");
        let id: ClarificationId = store::new_id();
        let answer = script::answer(id, script::user(world.owner), Some("a\0b"));
        let said = script::log("nul: \0");
        world.append(build, vec![said.clone(), error, script::question(build, id), answer]).await;
        assert_rows_agree(&world, build).await;
        let (events, _) = world.refolded(build).await;
        assert!(events.iter().any(|event| event.body == said), "the journal keeps it");
        let mut conn = world.db.read().await.unwrap();
        let errors = build_errors::list(&mut conn, build, None, 10).await.unwrap();
        assert_eq!(errors[0].message, "before\u{fffd}after");
    }

    async fn usage_of_an_agent_is_in_the_state(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let before = world.state(build).await.spent;
        let read = script::contract_read(build);
        let turn = script::turn(build, Task::Execute);
        world.append(build, vec![read.clone(), turn, read]).await;
        let state = world.state(build).await;
        let [used] = state.usage.contracts.as_slice() else { panic!("{:?}", state.usage) };
        assert_eq!((used.reads, used.carried), (2, 1), "the second came after the reply");
        let coder = state.usage.models.iter().find(|used| used.role == Role::Coder).unwrap();
        assert!(coder.turns >= 1 && coder.cost_usd_micros >= 7, "{coder:?}");
        let sum: u64 = state.usage.models.iter().map(|used| used.cost_usd_micros).sum();
        assert_eq!(sum, state.spent.usd_micros);
        assert_eq!(state.spent.tokens_in, before.tokens_in + 100);
        assert_eq!(state.spent.usd_micros, before.usd_micros + 7);
        assert_rows_agree(&world, build).await;
    }
}
