//! Appending: whole or not at all, in order, without holes, and only by who may.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{event::agents::Task, ids::ClarificationId};
use forgeguard::{
    journal::{AgentMessage, AppendError, Entry},
    store::{self, Db, agent_messages, blobs, clarifications},
};
use futures::future::join_all;
use sha2::{Digest, Sha256};

use crate::{
    script::{self, Until},
    world::World,
};

support::on_both! {
    async fn concurrent_appends_leave_no_gap(db: Db) {
        let world = World::new(db).await;
        let builds = [world.open().await, world.open().await, world.open().await];
        let writers = (0..8).map(|writer| {
            let world = world.clone();
            tokio::spawn(async move {
                let mut written = Vec::new();
                for n in 0..30 {
                    let build = builds[(writer + n) % 3];
                    let lines: Vec<String> =
                        (0..=n % 3).map(|line| format!("{writer}/{n}/{line}")).collect();
                    let events = lines.iter().map(script::log).collect();
                    let appended = world.append(build, events).await;
                    written.push((build, appended.first_seq, appended.last_seq, lines));
                }
                written
            })
        });
        let written: Vec<_> =
            join_all(writers).await.into_iter().flat_map(Result::unwrap).collect();
        for build in builds {
            let (events, state) = world.refolded(build).await;
            let own: Vec<_> = written.iter().filter(|(id, ..)| *id == build).collect();
            let lines: usize = own.iter().map(|(_, _, _, lines)| lines.len()).sum();
            assert_eq!(events.len(), lines + 1);
            assert_eq!(*world.state(build).await, state);
            for (_, first, last, lines) in own {
                let span = &events[*first as usize - 1..*last as usize];
                let said = span.iter().map(|event| event.body.clone());
                assert!(said.eq(lines.iter().map(script::log)), "{lines:?} at {first}");
            }
        }
    }

    async fn worker_that_lost_its_lease_cannot_append(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let old = world.claim("a").await.unwrap();
        let entry = |fence| Entry::given(build, fence, vec![script::log("still here")]);
        world.journal.append(entry(Some(old.fence))).await.unwrap();
        let new = world.claim_after("b", TimeDelta::minutes(1)).await.unwrap();
        let head = world.head(build).await;

        let late = world.journal.append(entry(Some(old.fence))).await;
        assert!(matches!(late, Err(AppendError::LeaseLost)), "{late:?}");
        assert_eq!(world.head(build).await, head);
        world.journal.append(entry(Some(new.fence))).await.unwrap();
        world.journal.append(entry(None)).await.unwrap();
        assert_eq!(world.head(build).await, head + 2);
    }

    async fn first_of_two_concurrent_answers_counts(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let id: ClarificationId = store::new_id();
        world.append(build, vec![script::question(build, id)]).await;
        let racers = (0..8).map(|n| {
            let (world, by) = (world.clone(), script::user(world.owner));
            tokio::spawn(async move {
                let entry = Entry::derived(build, None, move |state, _| {
                    if state.questions.is_empty() {
                        return Err(AppendError::Refused("too late"));
                    }
                    Ok(vec![script::answer(id, by, Some(&format!("answer {n}")))])
                });
                world.journal.append(entry).await.map(|_| n)
            })
        });
        let outcomes: Vec<_> = join_all(racers).await.into_iter().map(Result::unwrap).collect();
        let winners: Vec<_> = outcomes.iter().flatten().collect();
        assert_eq!(winners.len(), 1, "{outcomes:?}");
        let late = outcomes.iter().filter(|it| matches!(it, Err(AppendError::Refused("too late"))));
        assert_eq!(late.count(), 7);
        let mut conn = world.db.read().await.unwrap();
        let row = clarifications::get(&mut conn, build, id).await.unwrap().unwrap();
        assert_eq!(row.answer, Some(format!("answer {}", winners[0])));
        assert_eq!((row.status.as_str(), row.answered_by), ("answered", Some(world.owner)));
    }

    async fn illegal_event_rejects_its_whole_entry(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let (head, before) = (world.head(build).await, world.state(build).await);
        let large = "x".repeat(100_000);
        let run_id = script::run(build, Task::Execute);
        let message = serde_json::json!({ "role": "user", "content": "hello" });
        let bad = || {
            let wrong_run = script::turn(build, Task::Scout);
            let events = vec![script::turn(build, Task::Execute), script::log(&large), wrong_run];
            let message = AgentMessage { run_id, position: 0, role: "user", message: message.clone() };
            Entry::given(build, None, events).with_messages(vec![message])
        };
        let good = |n: usize| Entry::given(build, None, vec![script::log(format!("good {n}"))]);
        // All at once, so that good and bad ones meet in one transaction.
        let entries = (0..12).map(|n| if n % 2 == 0 { good(n) } else { bad() });
        let outcomes = join_all(entries.map(|entry| world.journal.append(entry))).await;
        for (n, outcome) in outcomes.iter().enumerate() {
            let illegal = matches!(outcome, Err(AppendError::Illegal(_)));
            assert_eq!(illegal, n % 2 == 1, "{n}: {outcome:?}");
        }
        let (events, state) = world.refolded(build).await;
        assert_eq!(events.len() as u64, head + 6);
        assert_eq!(state.spent.tokens_in, before.spent.tokens_in);
        assert_eq!(*world.state(build).await, state);
        let mut conn = world.db.read().await.unwrap();
        let digest = hex::encode(Sha256::digest(&large));
        assert_eq!(blobs::get(&mut conn, &digest).await.unwrap(), None);
        assert!(agent_messages::list(&mut conn, run_id, 0, 10).await.unwrap().is_empty());
    }

    async fn transcript_is_stored_with_its_events(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let run_id = script::run(build, Task::Execute);
        let said = |position, words: &str| AgentMessage {
            run_id,
            position,
            role: "user",
            message: serde_json::json!({ "role": "user", "content": words }),
        };
        let turn = vec![script::turn(build, Task::Execute)];
        let entry = Entry::given(build, None, turn.clone()).with_messages(vec![said(0, "a"), said(1, "b")]);
        world.journal.append(entry).await.unwrap();
        // The same place twice is a runner that has lost count: its event is refused as well.
        let head = world.head(build).await;
        let again = Entry::given(build, None, turn).with_messages(vec![said(1, "c")]);
        assert!(world.journal.append(again).await.is_err());
        assert_eq!(world.head(build).await, head);
        let mut conn = world.db.read().await.unwrap();
        let stored = agent_messages::list(&mut conn, run_id, 0, 10).await.unwrap();
        let stored: Vec<_> = stored.iter().map(|row| row.message.clone()).collect();
        assert_eq!(stored, [said(0, "a").message.to_string(), said(1, "b").message.to_string()]);
    }

    async fn rejected_row_does_not_undo_appends_to_other_builds(db: Db) {
        let world = World::new(db).await;
        let (ours, theirs) = (world.open_up_to(Until::Coding).await, world.open().await);
        let message = AgentMessage {
            run_id: script::run(ours, Task::Execute),
            position: 0,
            role: "user",
            message: serde_json::json!({}),
        };
        let said = || {
            let turn = vec![script::turn(ours, Task::Execute)];
            Entry::given(ours, None, turn).with_messages(vec![message.clone()])
        };
        world.journal.append(said()).await.unwrap();
        let head = world.head(ours).await;
        // All at once, so that both builds meet in one transaction.
        let entries = (0..12).map(|n| match n % 2 {
            0 => said(),
            _ => Entry::given(theirs, None, vec![script::log(format!("good {n}"))]),
        });
        let outcomes = join_all(entries.map(|entry| world.journal.append(entry))).await;
        for (n, outcome) in outcomes.iter().enumerate() {
            let refused = matches!(outcome, Err(AppendError::Store(error)) if error.is_refusal());
            assert_eq!(refused, n % 2 == 0, "{n}: {outcome:?}");
        }
        assert_eq!(world.head(ours).await, head);
        assert_eq!(world.refolded(theirs).await.0.len(), 1 + 6);
    }

    async fn entry_that_panics_does_not_affect_others(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let broken = Entry::derived(build, None, |_, _| panic!("a fault of ours"));
        let outcome = world.journal.append(broken).await;
        assert!(matches!(outcome, Err(AppendError::Panicked)), "{outcome:?}");
        world.append(build, vec![script::log("and on it goes")]).await;
        assert_eq!(world.refolded(build).await.0.len(), 2);
    }

    async fn project_has_at_most_as_many_unfinished_builds_as_it_may(db: Db) {
        let world = World::new(db).await;
        let by = script::user(world.owner);
        for limit in [1, 3] {
            let project = world.project().await;
            let opened = join_all((0..6).map(|_| world.open_within(project, limit))).await;
            let builds: Vec<_> = opened.iter().flatten().collect();
            assert_eq!(builds.len(), limit as usize, "{opened:?}");
            let refused = opened.iter().filter(|it| matches!(it, Err(AppendError::BuildLimit)));
            assert_eq!(refused.count(), 6 - limit as usize);

            world.append(*builds[0], script::given_up(by.clone())).await;
            let next = world.open_within(project, limit).await.unwrap();
            // Those that were refused took no number.
            let row = store::builds::get(&mut world.db.read().await.unwrap(), next).await.unwrap().unwrap();
            assert_eq!(row.number, limit + 1);
        }
    }

    async fn append_to_an_unknown_build_is_rejected(db: Db) {
        let world = World::new(db).await;
        let unknown = store::new_id();
        let appended = world.journal.append(Entry::given(unknown, None, vec![script::log("x")])).await;
        assert!(matches!(appended, Err(AppendError::UnknownBuild)), "{appended:?}");
        assert!(matches!(world.journal.state(unknown).await, Err(AppendError::UnknownBuild)));
    }

    async fn empty_entry_returns_the_end_of_the_journal(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let appended = world.append(build, Vec::new()).await;
        assert_eq!((appended.first_seq, appended.last_seq), (2, 1));
        assert_eq!(world.head(build).await, 1);
    }

    async fn large_body_is_truncated_and_stored_in_full_as_a_blob(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let text = format!("first {} last", "é\n".repeat(60_000));
        world.append(build, vec![script::log(&text), script::log("small")]).await;
        let (events, _) = world.refolded(build).await;
        let stored = serde_json::to_string(&events[1]).unwrap();
        let digest = hex::encode(Sha256::digest(&text));
        assert!(stored.len() < 64 * 1024 && stored.contains(&digest), "{} bytes", stored.len());
        let mut conn = world.db.read().await.unwrap();
        let blob = blobs::get(&mut conn, &digest).await.unwrap().unwrap();
        assert_eq!(blob.size, text.len() as u64);
        assert_eq!(zstd::decode_all(blob.zstd.as_slice()).unwrap(), text.as_bytes());
    }

    async fn shared_state_is_not_changed_by_later_events(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let early = world.state(build).await;
        let copy = early.as_ref().clone();
        world.append(build, vec![script::turn(build, Task::Execute)]).await;
        assert_eq!(*early, copy);
        let late = world.state(build).await;
        assert!(late.spent.tokens_in > early.spent.tokens_in);
        assert!(Arc::ptr_eq(&late, &world.state(build).await));
    }
}
