//! Readers of a journal that are not like others: one that comes and goes, one that is slow.

use std::time::Duration;

use domain::event::{Event, EventBody};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::{sync::Notify, time::timeout};

use crate::{
    follower::{Follower, Given},
    harness::{Database, Instance},
    watched_build::WatchedBuild,
};

const VISITS: u32 = 200;
/// So that the second half of the visits meets a build at work.
const PACE: (&str, &str) = ("FORGEGUARD_DEMO_PACE", "10");
/// How long a visit lasts at the most, in milliseconds.
const VISIT: u64 = 30;
/// Far more bytes than the kernel keeps for a reader that does not read.
const EVENTS: u64 = 30_000;
const LINE: usize = 600;

#[tokio::test]
async fn a_client_that_comes_and_goes_200_times_has_the_whole_journal_in_the_end() {
    let seed = rand::random();
    println!("the seed is {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let mut demo = WatchedBuild::demo(&[PACE]).await;
    let mut restless = Follower::new(demo.server.address(), demo.server.token(), demo.build);
    let half_way = Notify::new();
    let building = async {
        let asked =
            |_, event: &Event| matches!(event.body, EventBody::BuildClarificationRequest(_));
        demo.run_until(asked).await.expect("the demo asks");
        // Nobody answers before half of the visits are over.
        half_way.notified().await;
        demo.run_to_the_end().await;
    };
    let visiting = async {
        let mut fruitful = 0;
        for visit in 0..VISITS {
            if visit == VISITS / 2 {
                half_way.notify_one();
            }
            let before = restless.head().0;
            pay_a_visit(&mut restless, Duration::from_millis(random.random_range(0..VISIT))).await;
            fruitful += u32::from(restless.head().0 > before);
        }
        fruitful
    };
    let ((), fruitful) = tokio::join!(building, visiting);
    assert!(fruitful > 10, "only {fruitful} visits met an event");
    while restless.head().0 < demo.follower.head().0 {
        restless.event().await;
    }
    assert_eq!(restless.head(), demo.follower.head());
    demo.assert_certified().await;
    demo.server.stop().await;
}

#[tokio::test]
async fn a_reader_at_a_tenth_of_the_speed_holds_up_nobody_and_has_the_whole_journal_in_the_end() {
    let file = support::Sqlite::create();
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
            instance.log(build, (0..100).map(|n| format!("{n} {}", "x".repeat(LINE)))).await;
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
            Given::Event(_) | Given::Other(_) => {}
            Given::Closed(close) => panic!("it reads, if slowly, but was shown out: {close:?}"),
        }
    }
    assert_eq!(slow.head(), quick.head());
    let told = admin.get(&format!("/api/builds/{build}")).await.json();
    assert_eq!(told["head_hash"], slow.head().1);
    instance.stop().await;
}

/// Connects, reads whatever comes, and hangs up in the midst of it once the patience is over.
async fn pay_a_visit(restless: &mut Follower, patience: Duration) {
    let reading = async {
        loop {
            if let Given::Closed(close) = restless.next().await {
                panic!("the server closed the socket: {close:?}");
            }
        }
    };
    let hung_up = timeout(patience, reading).await;
    let Err(_) = hung_up;
    restless.disconnect();
}
