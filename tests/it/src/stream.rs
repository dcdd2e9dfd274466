//! Unusual readers of a journal: one that reconnects often, and a slow one.

use std::time::Duration;

use domain::event::{Event, EventBody};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::{sync::Notify, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    follower::{Follower, Received},
    harness::{Database, Instance},
    watched_build::WatchedBuild,
};

const CONNECTIONS: u32 = 200;
/// So that the second half of the connections happens during the build.
const PACE: (&str, &str) = ("FORGEGUARD_DEMO_PACE", "10");
/// In milliseconds.
const MAX_CONNECTION_MS: u64 = 30;
/// Far more bytes than the kernel buffers for a reader.
const EVENTS: u64 = 30_000;
const LINE_LENGTH: usize = 600;

#[tokio::test]
async fn client_that_reconnects_200_times_receives_the_whole_journal() {
    let seed = rand::random();
    println!("the seed is {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let mut demo = WatchedBuild::demo_without_mutants(&[PACE]).await;
    let mut follower = Follower::new(demo.server.address(), demo.server.token(), demo.build);
    let (half_way, ended) = (Notify::new(), CancellationToken::new());
    let building = async {
        let asked =
            |_, event: &Event| matches!(event.body, EventBody::BuildClarificationRequest(_));
        demo.run_until(asked).await.expect("the demo asks");
        // The question is answered only after half of the connections.
        half_way.notified().await;
        demo.run_to_the_end().await;
        ended.cancel();
    };
    let connecting = async {
        let mut with_events = 0;
        for connection in 0..CONNECTIONS {
            if connection == CONNECTIONS / 2 {
                half_way.notify_one();
            }
            if connection >= CONNECTIONS / 2 {
                // On a busy machine the time limit may pass before the first event arrives.
                tokio::select! {
                    () = read_event(&mut follower) => with_events += 1,
                    () = ended.cancelled() => {}
                }
            }
            let limit = Duration::from_millis(random.random_range(0..MAX_CONNECTION_MS));
            read_for(&mut follower, limit).await;
        }
        with_events
    };
    let ((), with_events) = tokio::join!(building, connecting);
    assert!(with_events > 10, "only {with_events} connections received an event");
    while follower.head().0 < demo.follower.head().0 {
        follower.event().await;
    }
    assert_eq!(follower.head(), demo.follower.head());
    demo.assert_certified().await;
    demo.server.stop().await;
}

#[tokio::test]
async fn slow_reader_delays_no_other_and_receives_the_whole_journal() {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let instance = Instance::start(&database).await;
    let admin = instance.admin().await;
    let project = admin.project("Long").await;
    let build = instance.queue_build(&project, &admin.id).await;
    let address = instance.direct_url.trim_start_matches("http://");
    let mut quick = Follower::new(address, &admin.token, build);
    let mut slow = Follower::new(address, &admin.token, build).with_receive_buffer(4_096);
    slow.connect().await;
    let writing = async {
        for _ in 0..EVENTS / 100 {
            instance.log(build, (0..100).map(|n| format!("{n} {}", "x".repeat(LINE_LENGTH)))).await;
        }
    };
    let reading = async {
        while quick.head().0 <= EVENTS {
            quick.event().await;
            if quick.head().0.is_multiple_of(10) {
                slow.event().await;
            }
        }
    };
    tokio::join!(writing, reading);
    assert!(slow.head().0 <= EVENTS / 10, "it was as far as {:?}", slow.head());
    while slow.head().0 < quick.head().0 {
        match slow.next().await {
            Received::Event(_) | Received::Other(_) => {}
            Received::Closed(close) => panic!("it reads, if slowly, but was shown out: {close:?}"),
        }
    }
    assert_eq!(slow.head(), quick.head());
    let stored = admin.get(&format!("/api/builds/{build}")).await.json();
    assert_eq!(stored["head_hash"], slow.head().1);
    instance.stop().await;
}

/// Connects, reads, and disconnects after `limit`.
async fn read_for(follower: &mut Follower, limit: Duration) {
    let reading = async {
        loop {
            read_event(follower).await;
        }
    };
    let result = timeout(limit, reading).await;
    let Err(_) = result;
    follower.disconnect();
}

async fn read_event(follower: &mut Follower) {
    loop {
        match follower.next().await {
            Received::Event(_) => return,
            Received::Other(_) => {}
            Received::Closed(close) => panic!("the server closed the socket: {close:?}"),
        }
    }
}
