//! Builds on a server that is killed repeatedly or stopped, and cancellation while commands ignore
//! signals.

use std::{
    collections::HashSet,
    env,
    time::{Duration, Instant},
};

use domain::event::{Event, EventBody};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;

use crate::{follower::Received, processes::Process, watched_build::WatchedBuild};

/// Kills per build, unless `FORGEGUARD_CHAOS_ROUNDS` is set.
const ROUNDS: u64 = 4;
const SOAK_ROUNDS: u64 = 100;
/// The seed of `make test`, unless `FORGEGUARD_CHAOS_SEED` is set; soaks use a random one.
const SEED: u64 = 1;
/// Milliseconds before each part of the demo's text, so that a kill can hit a turn.
const PACE: (&str, &str) = ("FORGEGUARD_DEMO_PACE", "2");
const NO_PACE: (&str, &str) = ("FORGEGUARD_DEMO_PACE", "0");

#[tokio::test]
async fn build_that_is_killed_at_random_moments_is_certified() {
    kill_at_random_moments(ROUNDS, SEED).await;
}

#[tokio::test]
async fn soak_build_that_is_killed_a_hundred_times_is_certified() {
    kill_at_random_moments(SOAK_ROUNDS, rand::random()).await;
}

async fn kill_at_random_moments(rounds: u64, seed: u64) {
    let rounds = number("FORGEGUARD_CHAOS_ROUNDS").unwrap_or(rounds);
    let seed = number("FORGEGUARD_CHAOS_SEED").unwrap_or(seed);
    println!("FORGEGUARD_CHAOS_SEED={seed} FORGEGUARD_CHAOS_ROUNDS={rounds}");
    let mut random = StdRng::seed_from_u64(seed);
    let length = undisturbed_length().await;

    let mut demo = WatchedBuild::demo(&[PACE]).await;
    for round in 0..rounds {
        // Spread over the remaining rounds, so that the last kills hit the end of the build.
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
        demo.kill_and_restart().await;
    }
    demo.run_to_the_end().await;
    demo.assert_certified().await;
    demo.server.stop().await;
}

#[tokio::test]
async fn build_killed_after_each_kind_of_event_is_certified() {
    let mut demo = WatchedBuild::demo(&[NO_PACE]).await;
    let mut kinds = HashSet::new();
    loop {
        let first = |_, event: &Event| !kinds.contains(event.body.type_name());
        let Some(event) = demo.run_until(first).await else { break };
        kinds.insert(event.body.type_name());
        demo.kill_and_restart().await;
    }
    assert!(kinds.len() > 20, "a build has more kinds of events than {kinds:?}");
    demo.assert_certified().await;
    demo.server.stop().await;
}

#[tokio::test]
async fn stopped_server_closes_sockets_and_resumes_the_build_after_a_restart() {
    let mut demo = WatchedBuild::demo_without_mutants(&[PACE]).await;
    demo.run_until(|_, event| matches!(event.body, EventBody::BuildTaskDone(_))).await;
    demo.server.request_stop();
    let close = loop {
        match demo.follower.next().await {
            Received::Closed(close) => break close,
            Received::Event(event) => demo.note(*event),
            Received::Other(_) => {}
        }
    };
    assert_eq!(close.map(|close| u16::from(close.code)), Some(1001));
    assert!(demo.server.ended().await.success());
    demo.assert_no_process_is_left();

    demo.server.restart().await;
    demo.follower.set_address(demo.server.address());
    demo.run_to_the_end().await;
    demo.assert_certified().await;
    demo.server.stop().await;
}

#[tokio::test]
async fn cancellation_kills_commands_that_ignore_signals() {
    // Once the coder has begun, it ignores SIGTERM, and leaves a grandchild in its own session that does
    // so too.
    const STUBBORN: &str = "[ -e src/due.js ] || exit 0; trap '' TERM INT HUP; \
        (setsid sh -c 'trap \"\" TERM INT HUP; echo running; while :; do sleep 1; done' &); \
        while :; do sleep 1; done";
    let gate = json!({
        "name": "test", "command": STUBBORN, "timeout_s": 600, "required": true, "network": false
    });
    let mut demo = WatchedBuild::demo_with_gates(&[NO_PACE], json!([gate])).await;
    let answered =
        |_, event: &Event| matches!(event.body, EventBody::BuildClarificationResolved(_));
    demo.run_until(answered).await.expect("the demo asks and is answered");
    // The coder runs the gates' commands itself before it submits its work.
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
    // The gate itself would run for ten minutes.
    assert!(asked.elapsed() < Duration::from_secs(60), "it took {:?}", asked.elapsed());
    assert!(matches!(demo.events.last().unwrap().body, EventBody::BuildAbandoned(_)));
    demo.assert_no_process_is_left();
    demo.server.stop().await;
}

/// The number of events of an undisturbed build.
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
