//! Two nodes on one PostgreSQL: what one appends, the other's readers see, in order.

use std::{sync::Arc, time::Duration};

use domain::{errors::Severity, ids::BuildId};
use forgeguard::{
    journal::{AppendError, Entry, Item, Journal},
    store::Db,
};
use futures::future::join_all;

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
async fn a_reader_on_one_node_sees_what_the_other_appends() {
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
async fn states_stay_right_when_both_nodes_append() {
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
async fn the_node_that_lost_the_lease_is_refused_on_the_other_one() {
    on_two_nodes(|a, b| async move {
        let build = a.open_up_to(Until::Coding).await;
        let old = a.claim("a").await.unwrap();
        let new = b.claim_after("b", chrono::TimeDelta::minutes(1)).await.unwrap();
        let entry = |fence| Entry::given(build, Some(fence), vec![script::log("mine")]);
        let late = a.journal.append(entry(old.generation)).await;
        assert!(matches!(late, Err(AppendError::LeaseLost)), "{late:?}");
        b.journal.append(entry(new.generation)).await.unwrap();
        assert_eq!(a.state(build).await, b.state(build).await);
    })
    .await;
}
