//! What a build withstands: a server that is killed again and again, that is told to stop, and a
//! person who ends it while its commands refuse to go.

use std::{
    collections::HashSet,
    env,
    time::{Duration, Instant},
};

use domain::event::{Event, EventBody};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;

use crate::{follower::Given, processes::Process, watched_build::WatchedBuild};

/// Kills of one build, unless `FORGEGUARD_CHAOS_ROUNDS` says otherwise.
const ROUNDS: u64 = 20;
/// Milliseconds before each piece of the demo's text: time in which a kill can hit a turn.
const PACE: (&str, &str) = ("FORGEGUARD_DEMO_PACE", "2");
const NO_PACE: (&str, &str) = ("FORGEGUARD_DEMO_PACE", "0");

/// A hundred kills in all, of builds that are tested side by side.
mod kills_at_random_moments_leave_the_build_certified {
    macro_rules! builds {
        ($($name:ident),+) => {
            $(#[tokio::test]
            async fn $name() {
                super::kill_at_random_moments().await;
            })+
        };
    }
    builds!(first, second, third, fourth, fifth);
}

async fn kill_at_random_moments() {
    let rounds = number("FORGEGUARD_CHAOS_ROUNDS").unwrap_or(ROUNDS);
    let seed = number("FORGEGUARD_CHAOS_SEED").unwrap_or_else(rand::random);
    println!("FORGEGUARD_CHAOS_SEED={seed} FORGEGUARD_CHAOS_ROUNDS={rounds}");
    let mut random = StdRng::seed_from_u64(seed);
    let length = undisturbed_length().await;

    let mut demo = WatchedBuild::demo(&[PACE]).await;
    for round in 0..rounds {
        // As far as the rounds that are left allow, so that the last ones hit the end.
        let (left, done) = (rounds - round, demo.progress());
        let room = length.saturating_sub(done + left);
        let ahead = random.random_range(0..=(2 * room / left).min(room));
        let in_between = random.random_bool(0.5);
        let hit = demo.run_until(|progress, _| progress >= done + ahead).await;
        let hit = hit.unwrap_or_else(|| panic!("the build ended before kill {round}"));
        if in_between {
            demo.wait_for_preview().await;
        }
        println!("kill {round}: after event {} {}", hit.seq, hit.body.type_name());
        demo.kill_and_start_again().await;
    }
    demo.run_to_the_end().await;
    demo.assert_certified().await;
    demo.server.stop().await;
}

#[tokio::test]
async fn a_kill_right_after_each_kind_of_event_leaves_the_build_certified() {
    let mut demo = WatchedBuild::demo(&[NO_PACE]).await;
    let mut kinds = HashSet::new();
    loop {
        let first = |_, event: &Event| !kinds.contains(event.body.type_name());
        let Some(event) = demo.run_until(first).await else { break };
        kinds.insert(event.body.type_name());
        demo.kill_and_start_again().await;
    }
    assert!(kinds.len() > 20, "a build has more kinds of events than {kinds:?}");
    demo.assert_certified().await;
    demo.server.stop().await;
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_says_so_and_the_build_goes_on_after_the_next_start() {
    let mut demo = WatchedBuild::demo(&[PACE]).await;
    demo.run_until(|_, event| matches!(event.body, EventBody::BuildTaskDone(_))).await;
    demo.server.begin_to_stop();
    let close = loop {
        match demo.follower.next().await {
            Given::Closed(close) => break close,
            Given::Event(event) => demo.note(*event),
            Given::Other(_) => {}
        }
    };
    assert_eq!(close.map(|close| u16::from(close.code)), Some(1001));
    assert!(demo.server.ended().await.success());
    demo.assert_no_process_is_left();

    demo.server.start_again().await;
    demo.follower.move_to(demo.server.address());
    demo.run_to_the_end().await;
    demo.assert_certified().await;
    demo.server.stop().await;
}

#[tokio::test]
async fn an_end_takes_commands_along_that_refuse_to_go() {
    // Ignores the polite signal, and leaves a grandchild in a session of its own that does too.
    const STUBBORN: &str = "trap '' TERM INT HUP; \
        (setsid sh -c 'trap \"\" TERM INT HUP; while :; do sleep 1; done' &); \
        echo running; while :; do sleep 1; done";
    let gate = json!({
        "name": "test", "command": STUBBORN, "timeout_s": 600, "required": true, "network": false
    });
    let mut demo = WatchedBuild::demo_with_gates(&[NO_PACE], json!([gate])).await;
    let answered =
        |_, event: &Event| matches!(event.body, EventBody::BuildClarificationResolved(_));
    demo.run_until(answered).await.expect("the demo asks and is answered");
    // The coder runs the gates' commands itself before it hands in its work.
    demo.wait_for("output", "running").await;
    let shells = |process: &&Process| {
        process.command.starts_with("sh ") || process.command.starts_with("/bin/sh ")
    };
    let running = demo.processes();
    assert!(running.iter().filter(shells).count() >= 2, "{running:?}");

    let asked = Instant::now();
    let cancel = format!("/api/builds/{}/cancel", demo.build);
    demo.server.post(&cancel, json!({})).await;
    demo.run_to_the_end().await;
    assert!(asked.elapsed() < Duration::from_secs(5), "it took {:?}", asked.elapsed());
    assert!(matches!(demo.events.last().unwrap().body, EventBody::BuildAbandoned(_)));
    demo.assert_no_process_is_left();
    demo.server.stop().await;
}

/// How many events a build has that nothing disturbs.
async fn undisturbed_length() -> u64 {
    let mut demo = WatchedBuild::demo(&[NO_PACE]).await;
    demo.run_to_the_end().await;
    demo.assert_certified().await;
    let length = demo.progress();
    demo.server.stop().await;
    length
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")))
}
