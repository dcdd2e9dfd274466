//! Following a build: every event once, in order, whatever falls in between.

use bytes::Bytes;
use domain::{chain, ids::BuildId};
use forgeguard::{
    journal::{Item, PreviewKind, Subscription},
    store::{self, Db},
};
use futures::{FutureExt, future::join_all};

use crate::{script, world::World};

/// What a reader has, and the next item added to it.
async fn read_on(reader: &mut Subscription, has: &mut Vec<(u64, Bytes)>) {
    match reader.next().await.unwrap() {
        Item::Events(events) => {
            for event in events {
                assert_eq!(event.seq, has.last().map_or(1, |(seq, _)| seq + 1));
                has.push((event.seq, event.event()));
            }
        }
        Item::Preview(_) => {}
        Item::Reset { head } => panic!("reset to {head}"),
    }
}

/// The journal as its readers should have it.
async fn due(world: &World, build: BuildId) -> Vec<(u64, Bytes)> {
    let rows = world.rows(build).await;
    rows.iter().map(|row| (row.seq, chain::with_hash(&row.body, &row.hash).into())).collect()
}

/// Writers that append `count` log lines each, a few at a time.
fn start_writers(
    world: &World,
    build: BuildId,
    writers: usize,
    count: usize,
) -> Vec<tokio::task::JoinHandle<()>> {
    let write = |writer: usize| {
        let world = world.clone();
        tokio::spawn(async move {
            for n in 0..count / 4 {
                let lines = (0..4).map(|line| script::log(format!("{writer}/{n}/{line}")));
                world.append(build, lines.collect()).await;
            }
        })
    };
    (0..writers).map(write).collect()
}

support::on_both! {
    async fn reconnecting_reader_receives_each_event_once(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let last = 1 + 3 * 240;
        let writers = start_writers(&world, build, 3, 240);
        let mut has: Vec<(u64, Bytes)> = Vec::new();
        let mut luck = 7_usize;
        for _ in 0..200 {
            luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Some come back with an older cursor: they see what they had seen once more.
            if luck >> 60 == 0 {
                has.truncate(has.len() / 2);
            }
            let mut reader = world.journal.feed().subscribe(build, has.len() as u64);
            if (has.len() as u64) < last {
                read_on(&mut reader, &mut has).await;
            }
        }
        let mut reader = world.journal.feed().subscribe(build, has.len() as u64);
        while (has.len() as u64) < last {
            read_on(&mut reader, &mut has).await;
        }
        join_all(writers).await;
        assert_eq!(has, due(&world, build).await);
    }

    async fn readers_receive_the_same_events_from_any_cursor(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let writers = start_writers(&world, build, 2, 200);
        let readers = (0..20).map(|n| {
            let world = world.clone();
            tokio::spawn(async move {
                let mut reader = world.journal.feed().subscribe(build, 0);
                if n % 2 == 0 {
                    reader = reader.without_previews();
                }
                let mut has = Vec::new();
                while has.len() < 401 {
                    read_on(&mut reader, &mut has).await;
                }
                assert_eq!(reader.cursor(), 401);
                has
            })
        });
        let readers: Vec<_> = readers.collect();
        join_all(writers).await;
        let due = due(&world, build).await;
        for has in join_all(readers).await {
            assert_eq!(has.unwrap(), due);
        }
    }

    // Far more than memory keeps is appended while the reader looks away.
    async fn slow_reader_receives_all_events_without_delaying_others(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let mut slow = world.journal.feed().subscribe(build, 0);
        let mut has = Vec::new();
        read_on(&mut slow, &mut has).await;
        for n in 0..30 {
            let lines = (0..100).map(|line| script::log(format!("{n}/{line}")));
            world.append(build, lines.collect()).await;
            if n % 10 == 9 {
                read_on(&mut slow, &mut has).await;
            }
        }
        while has.len() < 3_001 {
            read_on(&mut slow, &mut has).await;
        }
        assert_eq!(has, due(&world, build).await);
    }

    async fn events_read_one_by_one_are_the_journal(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let writers = start_writers(&world, build, 2, 40);
        let mut has = Vec::new();
        while has.len() < 81 {
            let mut reader = world.journal.feed().subscribe(build, has.len() as u64);
            let Item::Events(events) = reader.next().await.unwrap() else { continue };
            assert_eq!(events[0].seq, has.len() as u64 + 1);
            has.push((events[0].seq, events[0].event()));
        }
        join_all(writers).await;
        assert_eq!(has, due(&world, build).await);
    }

    async fn waiting_for_events_is_cancel_safe(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let mut reader = world.journal.feed().subscribe(build, 0);
        let mut has = Vec::new();
        for n in 0..100 {
            // Polled once and dropped wherever it is, between statements and in the midst of them.
            if let Some(Ok(Item::Events(events))) = reader.next().now_or_never() {
                has.extend(events.iter().map(|event| (event.seq, event.event())));
            }
            world.append(build, vec![script::log(format!("{n}"))]).await;
        }
        while has.len() < 101 {
            read_on(&mut reader, &mut has).await;
        }
        assert_eq!(has, due(&world, build).await);
    }

    async fn cursor_ahead_of_the_journal_is_reset(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        for ahead in [2, 1_000, u64::MAX] {
            let mut reader = world.journal.feed().subscribe(build, ahead);
            let head = world.head(build).await;
            let item = reader.next().await.unwrap();
            assert!(matches!(item, Item::Reset { head: told } if told == head), "{item:?}");
            // From there it continues like any other.
            world.append(build, vec![script::log("next")]).await;
            let Item::Events(events) = reader.next().await.unwrap() else { panic!("no events") };
            assert_eq!(events[0].seq, head + 1);
        }
        let at_the_end = world.head(build).await;
        let mut reader = world.journal.feed().subscribe(build, at_the_end);
        assert!(reader.next().now_or_never().is_none(), "nothing to say yet");
    }

    async fn previews_are_delivered_or_dropped_without_delaying_events(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let feed = world.journal.feed().clone();
        let say = |n: usize| {
            feed.preview(build, PreviewKind::Output, &serde_json::json!({ "text": n }));
        };
        let mut keen = feed.subscribe(build, 0);
        let mut plain = feed.subscribe(build, 0).without_previews();
        let (mut events, mut previews) = (Vec::new(), Vec::new());
        // Far more than are kept for a reader that looks away.
        (0..1_000).for_each(say);
        for n in 0..50 {
            world.append(build, vec![script::log(format!("{n}"))]).await;
            say(n);
        }
        while events.len() < 51 {
            match keen.next().await.unwrap() {
                Item::Events(more) => {
                    events.extend(more.iter().map(|event| (event.seq, event.event())));
                }
                Item::Preview(frame) => previews.push(frame),
                Item::Reset { .. } => panic!("reset"),
            }
        }
        while let Some(Ok(Item::Preview(frame))) = keen.next().now_or_never() {
            previews.push(frame);
        }
        let due = due(&world, build).await;
        assert_eq!(events, due);
        assert!((1..=64).contains(&previews.len()), "{} previews", previews.len());
        let newest: serde_json::Value = serde_json::from_slice(previews.last().unwrap()).unwrap();
        let shown = serde_json::json!({
            "op": "preview", "build_id": build, "kind": "output", "payload": { "text": 49 }
        });
        assert_eq!(newest, shown);
        let mut has = Vec::new();
        while has.len() < 51 {
            read_on(&mut plain, &mut has).await;
        }
        assert_eq!(has, due);
        assert!(plain.next().now_or_never().is_none());
    }

    async fn reader_is_not_affected_by_readers_of_other_builds(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let others = [world.open().await, world.open().await, world.open().await];
        // Others join and leave all the time, which removes channels without readers.
        let visitors = others.map(|other| {
            let world = world.clone();
            tokio::spawn(async move {
                for n in 0..300 {
                    let mut visitor = world.journal.feed().subscribe(other, 0);
                    if n % 50 == 0 {
                        visitor.next().await.unwrap();
                    }
                }
            })
        });
        for n in 0..100 {
            let mut reader = world.journal.feed().subscribe(build, n + 1);
            // Waits for what is not there yet, so that only the live way can bring it.
            assert!(reader.next().now_or_never().is_none());
            let (item, _) =
                tokio::join!(reader.next(), world.append(build, vec![script::log("x")]));
            let Item::Events(events) = item.unwrap() else { panic!("no events") };
            assert_eq!(events[0].seq, n + 2);
        }
        join_all(visitors).await;
    }

    async fn followers_are_notified_of_every_append(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        let mut head = world.journal.follow(build);
        for _ in 0..5 {
            let appended = world.append(build, vec![script::log("x"), script::log("y")]).await;
            head.changed().await.unwrap();
            assert_eq!(*head.borrow_and_update(), appended.last_seq);
        }
        let unknown: BuildId = store::new_id();
        assert_eq!(*world.journal.follow(unknown).borrow(), 0);
    }
}
