//! Letting go of a build, and being woken: no command falls between the two.

use chrono::TimeDelta;
use domain::{
    event::life::{PauseRequested, Paused, ResumeRequested, Resumed},
    ids::ClarificationId,
};
use forgeguard::{
    journal::{AppendError, Entry},
    store::{self, Db, work_items::Parked},
};

use crate::{
    script::{self, Until},
    world::{World, free_worker},
};

support::on_both! {
    async fn build_is_not_parked_when_its_journal_has_grown(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let lease = world.claim("a").await.unwrap();
        let seen = world.head(build).await;
        world.append(build, vec![script::log("one more")]).await;
        let parked = world.journal.park(&lease, seen, None).await.unwrap();
        assert_eq!(parked, Parked::NewEvents);
        assert_eq!(world.work_status(build).await, "claimed");
        let parked = world.journal.park(&lease, seen + 1, None).await.unwrap();
        assert_eq!(parked, Parked::Parked);
        assert_eq!(world.work_status(build).await, "waiting");
        assert_eq!(world.claim("b").await, None);
    }

    async fn answer_wakes_a_parked_build(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let lease = world.claim("a").await.unwrap();
        let id: ClarificationId = store::new_id();
        let head = world.append(build, vec![script::question(build, id)]).await.last_seq;
        assert_eq!(world.journal.park(&lease, head, None).await.unwrap(), Parked::Parked);
        world.append(build, vec![script::answer(id, script::user(world.owner), None)]).await;
        let next = world.claim("b").await.unwrap();
        assert_eq!((next.id, next.fence), (build, lease.fence + 1));
        // Who let go has no say any more, not even in letting go.
        let head = world.head(build).await;
        assert_eq!(world.journal.park(&lease, head, None).await.unwrap(), Parked::LeaseLost);
    }

    async fn answer_claims_a_parked_build_for_a_free_worker(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let earlier = world.claim("a").await.unwrap();
        let id: ClarificationId = store::new_id();
        let head = world.append(build, vec![script::question(build, id)]).await.last_seq;
        assert_eq!(world.journal.park(&earlier, head, None).await.unwrap(), Parked::Parked);

        let (claim, lease) = free_worker();
        let answer = vec![script::answer(id, script::user(world.owner), None)];
        let entry = Entry::given(build, None, answer).claimed_for(Some(claim));
        let late = Entry::given(build, Some(earlier.fence), vec![script::log("too late")]);
        let journal = &world.journal;
        let (answered, refused) = tokio::join!(journal.append(entry), journal.append(late));
        let answered = answered.unwrap().last_seq;
        assert!(matches!(refused, Err(AppendError::LeaseLost)), "{refused:?}");
        let lease = lease.await.unwrap();
        assert_eq!((lease.id, lease.fence), (build, earlier.fence + 1));
        assert_eq!(world.work_status(build).await, "claimed");
        assert_eq!(world.claim("c").await, None);

        let (events, _) = world.refolded(build).await;
        let [.., answer, resumed] = events.as_slice() else { panic!("two events at least") };
        assert_eq!((answer.seq, answer.at), (answered, resumed.at));
        let attempt = lease.fence as u32;
        let wanted = Resumed { node: "node-b".to_owned(), from_seq: answered, attempt };
        assert_eq!(resumed.body, wanted.into());
        let entry = Entry::given(build, Some(lease.fence), vec![script::log("it continues")]);
        world.journal.append(entry).await.unwrap();
    }

    async fn answer_claims_nothing_from_a_worker_and_nothing_if_it_is_refused(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let held = world.claim("a").await.unwrap();
        let id: ClarificationId = store::new_id();
        world.append(build, vec![script::question(build, id)]).await;
        let (claim, lease) = free_worker();
        let answer = || vec![script::answer(id, script::user(world.owner), None)];
        let entry = Entry::given(build, None, answer()).claimed_for(Some(claim));
        let head = world.journal.append(entry).await.unwrap().last_seq;
        assert!(lease.await.is_err(), "the build has a worker");
        assert_eq!(world.head(build).await, head);

        assert_eq!(world.journal.park(&held, head, None).await.unwrap(), Parked::Parked);
        let (claim, lease) = free_worker();
        let entry = Entry::given(build, None, answer()).claimed_for(Some(claim));
        let refused = world.journal.append(entry).await;
        assert!(matches!(refused, Err(AppendError::Illegal(_))), "{refused:?}");
        assert!(lease.await.is_err(), "nothing was answered");
        assert_eq!(world.work_status(build).await, "waiting");
    }

    async fn resume_wakes_a_paused_build(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let lease = world.claim("a").await.unwrap();
        let by = script::user(world.owner);
        let pause = vec![PauseRequested { by: by.clone() }.into()];
        world.append(build, pause).await;
        let paused = vec![Paused { by: by.clone(), reason: None }.into()];
        let head = world.append(build, paused).await.last_seq;
        assert_eq!(world.journal.park(&lease, head, None).await.unwrap(), Parked::Parked);
        assert_eq!(world.claim("b").await, None);
        world.append(build, vec![ResumeRequested { by, budget_added: None }.into()]).await;
        assert!(world.claim("b").await.is_some());
    }

    async fn command_wakes_a_build_before_its_retry(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let lease = world.claim("a").await.unwrap();
        let head = world.head(build).await;
        let in_an_hour = Some(store::now() + TimeDelta::hours(1));
        assert_eq!(world.journal.park(&lease, head, in_an_hour).await.unwrap(), Parked::Parked);
        world.append(build, vec![script::log("this wakes no worker")]).await;
        assert_eq!(world.claim("b").await, None);
        let by = script::user(world.owner);
        world.append(build, vec![PauseRequested { by }.into()]).await;
        assert!(world.claim("b").await.is_some());
    }

    // However the two fall, either the worker hears of the answer or the queue does.
    async fn answer_concurrent_to_parking_wakes_the_build(db: Db) {
        let world = World::new(db).await;
        for _ in 0..12 {
            let build = world.open_up_to(Until::Coding).await;
            let lease = world.claim("a").await.unwrap();
            let id: ClarificationId = store::new_id();
            let head = world.append(build, vec![script::question(build, id)]).await.last_seq;
            let answer = vec![script::answer(id, script::user(world.owner), None)];
            let (parked, _) =
                tokio::join!(world.journal.park(&lease, head, None), world.append(build, answer));
            let woken = match parked.unwrap() {
                Parked::NewEvents => world.work_status(build).await == "claimed",
                Parked::Parked => world.claim("b").await.is_some(),
                Parked::LeaseLost => false,
            };
            assert!(woken);
            world.append(build, script::given_up(script::user(world.owner))).await;
        }
    }
}
