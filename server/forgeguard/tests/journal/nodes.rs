//! Two nodes on one PostgreSQL: what one appends, the other's readers see, in order.

use std::{sync::Arc, time::Duration};

use domain::{errors::Severity, ids::BuildId};
use forgeguard::{
    journal::{AppendError, Entry, Item, Journal, PreviewKind, Subscription},
    store::Db,
};
use futures::future::join_all;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::{
    script::{self, Until},
    world::{World, connect},
};

/// Another node with connections of its own.
async fn second_node(world: &World, url: &str) -> World {
    let db = Db::connect(url, 8).await.unwrap();
    World { journal: Journal::start(db.clone()), db, owner: world.owner }
}

/// Reads up to and with event `last`, and checks that nothing is missing before it.
async fn read_up_to(node: &World, build: BuildId, last: u64) -> Vec<bytes::Bytes> {
    let mut reader = node.journal.feed().subscribe(build, 0);
    let mut has = Vec::new();
    while (has.len() as u64) < last {
        let item = tokio::time::timeout(Duration::from_secs(30), reader.next()).await;
        let Item::Events(events) = item.expect("word gets around").unwrap() else { continue };
        for event in events {
            assert_eq!(event.seq, has.len() as u64 + 1);
            has.push(event.event());
        }
    }
    has
}

async fn on_two_nodes<F>(body: impl FnOnce(World, World) -> F + Send + 'static)
where
    F: Future<Output = ()> + Send + 'static,
{
    let database = support::Postgres::create().await;
    support::run_on(database, |url| async move {
        let a = World::new(connect(&url).await).await;
        let b = second_node(&a, &url).await;
        body(a, b).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reader_receives_events_of_another_node() {
    on_two_nodes(|a, b| async move {
        let build = a.open().await;
        let reader = {
            let b = b.clone();
            tokio::spawn(async move { read_up_to(&b, build, 301).await })
        };
        let mut head = b.journal.follow(build);
        for n in 0..100 {
            let lines = (0..3).map(|line| script::log(format!("{n}/{line}")));
            a.append(build, lines.collect()).await;
        }
        let seen = reader.await.unwrap();
        assert_eq!(seen, read_up_to(&a, build, 301).await);
        head.wait_for(|head| *head == 301).await.unwrap();
        assert_eq!(b.state(build).await, a.state(build).await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn states_are_correct_when_both_nodes_append() {
    on_two_nodes(|a, b| async move {
        let builds =
            Arc::new([a.open_up_to(Until::Coding).await, a.open_up_to(Until::Coding).await]);
        // Counting is right only where every append has met the newest state.
        let writers = (0..6).map(|writer: usize| {
            let (node, builds) =
                (if writer.is_multiple_of(2) { a.clone() } else { b.clone() }, builds.clone());
            tokio::spawn(async move {
                for n in 0..25 {
                    let build = builds[(writer / 2 + n) % 2];
                    let count = Entry::derived(build, None, move |state, _| {
                        Ok(vec![script::error(state, build, Severity::Warning, "again")])
                    });
                    node.journal.append(count).await.unwrap();
                }
            })
        });
        for writer in join_all(writers).await {
            writer.unwrap();
        }
        let mut counted = 0;
        for build in *builds {
            let (_, state) = a.refolded(build).await;
            counted += state.errors.values().map(|error| error.occurrence_count).sum::<u32>();
            assert_eq!(*a.state(build).await, state);
            assert_eq!(*b.state(build).await, state);
            let head = a.head(build).await;
            assert_eq!(read_up_to(&a, build, head).await, read_up_to(&b, build, head).await);
        }
        assert_eq!(counted, 6 * 25);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_that_lost_the_lease_cannot_append() {
    on_two_nodes(|a, b| async move {
        let build = a.open_up_to(Until::Coding).await;
        let old = a.claim("a").await.unwrap();
        let new = b.claim_after("b", chrono::TimeDelta::minutes(1)).await.unwrap();
        let entry = |fence| Entry::given(build, Some(fence), vec![script::log("mine")]);
        let late = a.journal.append(entry(old.fence)).await;
        assert!(matches!(late, Err(AppendError::LeaseLost)), "{late:?}");
        b.journal.append(entry(new.fence)).await.unwrap();
        assert_eq!(a.state(build).await, b.state(build).await);
    })
    .await;
}

/// Sends a preview with this text on one node, again and again, until the other node's reader has
/// one; gives the text that arrived. The other node may still be connecting.
async fn eventually_previewed(
    from: &World,
    build: BuildId,
    to: &mut Subscription,
    text: &str,
) -> String {
    let payload = serde_json::json!({ "run_id": "r", "text": text });
    for _ in 0..300 {
        from.journal.feed().preview(build, PreviewKind::Text, &payload);
        let item = tokio::time::timeout(Duration::from_millis(100), to.next()).await;
        if let Ok(Ok(Item::Preview(frame))) = item {
            let frame: serde_json::Value = serde_json::from_slice(&frame).unwrap();
            assert_eq!((&frame["op"], &frame["kind"]), (&"preview".into(), &"text".into()));
            assert_eq!(frame["build_id"], build.to_string());
            return frame["payload"]["text"].as_str().unwrap().to_owned();
        }
    }
    panic!("no preview arrives");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn preview_of_one_node_reaches_readers_on_the_other() {
    on_two_nodes(|a, b| async move {
        let build = a.open().await;
        let mut reader = b.journal.feed().subscribe(build, 0);
        assert_eq!(eventually_previewed(&a, build, &mut reader, "hello").await, "hello");
        drop(reader);
        // Longer than a notification may be.
        let long = "y".repeat(9_000) + &"z".repeat(4_000);
        let mut reader = b.journal.feed().subscribe(build, 0);
        let mut shown = String::from("hello");
        while shown == "hello" {
            shown = eventually_previewed(&a, build, &mut reader, &long).await;
        }
        assert!(shown.len() > 3_500 && long.ends_with(&shown), "{} bytes", shown.len());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flood_of_previews_is_dropped_and_holds_up_no_event() {
    on_two_nodes(|a, b| async move {
        let build = a.open().await;
        let mut reader = b.journal.feed().subscribe(build, 0);
        eventually_previewed(&a, build, &mut reader, "ready").await;
        let payload = serde_json::json!({ "run_id": "r", "text": "x".repeat(3_000) });
        for n in 0..100 {
            for _ in 0..100 {
                a.journal.feed().preview(build, PreviewKind::Text, &payload);
            }
            a.append(build, vec![script::log(format!("{n}"))]).await;
        }
        let (mut last, mut previews) = (0, 0);
        while last < 101 {
            let item = tokio::time::timeout(Duration::from_secs(30), reader.next()).await;
            match item.expect("events arrive").unwrap() {
                Item::Events(events) => last = events.last().map_or(last, |event| event.seq),
                Item::Preview(_) => previews += 1,
                Item::Reset { .. } => panic!("reset"),
            }
        }
        assert!(previews < 5_000, "{previews} of 10,000 previews");
    })
    .await;
}

/// Runs statements without parameters.
async fn execute(connection: &mut PgConnection, statements: &str) {
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(connection).await.unwrap();
}

/// Waits until reading has failed so often since `readable` was replaced.
async fn eventually_failed(connection: &mut PgConnection, times: i64) {
    loop {
        let (last, called): (i64, bool) =
            sqlx::query_as("SELECT last_value, is_called FROM follower.attempts")
                .fetch_one(&mut *connection)
                .await
                .unwrap();
        if called && last >= times {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_catch_up_after_reads_have_failed() {
    let database = support::Postgres::create().await;
    support::run_on(database, |url| async move {
        let a = World::new(connect(&url).await).await;
        // The second node reads events through a view that can be made to fail.
        let mut admin = PgConnection::connect(&url).await.unwrap();
        let readable = |condition: &str| {
            format!(
                "CREATE OR REPLACE FUNCTION follower.readable(id uuid) RETURNS boolean \
                 LANGUAGE plpgsql AS $$ BEGIN IF {condition} THEN RETURN true; END IF; \
                 PERFORM nextval('follower.attempts'); RAISE 'injected'; END $$"
            )
        };
        let view = "CREATE VIEW follower.build_events AS SELECT * FROM public.build_events \
             WHERE follower.readable(build_id)";
        let sequence = "CREATE SCHEMA follower; CREATE SEQUENCE follower.attempts";
        execute(&mut admin, &format!("{sequence}; {}; {view}", readable("true"))).await;
        let separator = if url.contains('?') { '&' } else { '?' };
        let options = format!("{separator}options[search_path]=follower,public");
        let b = second_node(&a, &(url + &options)).await;

        let mut readers = Vec::new();
        for _ in 0..6 {
            let build = a.open().await;
            let mut reader = b.journal.feed().subscribe(build, 0).without_previews();
            assert!(
                matches!(reader.next().await.unwrap(), Item::Events(events) if events.len() == 1)
            );
            readers.push((build, reader));
        }
        execute(&mut admin, &readable("false")).await;
        for (build, _) in &readers {
            a.append(*build, vec![script::log("missed")]).await;
        }
        eventually_failed(&mut admin, 6).await;
        // One build can be read again, the others cannot.
        let (build, mut reader) = readers.pop().unwrap();
        execute(&mut admin, &readable(&format!("id = '{build}'"))).await;
        let events = tokio::time::timeout(Duration::from_secs(30), reader.next()).await;
        assert!(matches!(events.expect("it catches up").unwrap(), Item::Events(_)));
        execute(&mut admin, &readable("true")).await;
        for (_, mut reader) in readers {
            let events = tokio::time::timeout(Duration::from_secs(30), reader.next()).await;
            assert!(matches!(events.expect("it catches up").unwrap(), Item::Events(_)));
        }
    })
    .await;
}
