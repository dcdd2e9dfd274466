//! Shared code of tests with full disks and disconnected databases.

use std::time::Duration;

use rand::{SeedableRng, rngs::StdRng};
use reqwest::Method;
use tokio::time::{interval, timeout};

use crate::{harness::text, server_process::ServerProcess};

/// Short waits, so that failed writes are retried soon.
pub const WAITS: &str = "[waits]\n\
    transient = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n\
    resource = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n\
    unknown = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
/// The maximum of outages per build.
pub const PER_BUILD: u32 = 4;
/// The maximum of events between two outages.
pub const EVENTS_BETWEEN: u64 = 20;
/// Longer than a recovery takes on a busy machine.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Random numbers from a seed that is printed.
pub fn random(what: &str) -> StdRng {
    let seed = std::env::var("FORGEGUARD_CHAOS_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(rand::random);
    println!("FORGEGUARD_CHAOS_SEED={seed} {what}");
    StdRng::seed_from_u64(seed)
}

/// Waits until the server is ready.
pub async fn recovery(server: &ServerProcess) {
    until_readiness_is(true, server).await;
}

/// Waits until the server is not ready.
pub async fn failure(server: &ServerProcess) {
    until_readiness_is(false, server).await;
}

async fn until_readiness_is(wanted: bool, server: &ServerProcess) {
    let reached = eventually(async || {
        server.request(Method::GET, "/readyz", None).await.status.is_success() == wanted
    });
    let reached = timeout(RECOVERY_TIMEOUT, reached).await;
    reached.unwrap_or_else(|_| panic!("readiness never gets {wanted}\n{}", server.log()));
}

/// Polls the condition until it holds.
pub async fn eventually(holds: impl AsyncFn() -> bool) {
    let mut poll = interval(POLL_INTERVAL);
    while !holds().await {
        poll.tick().await;
    }
}

/// The names of all projects.
pub async fn project_names(server: &ServerProcess) -> Vec<String> {
    let mut names = Vec::new();
    let mut query = String::new();
    loop {
        let page = server.get(&format!("/api/projects?limit=100{query}")).await;
        let items = page["items"].as_array().expect("a list");
        names.extend(items.iter().map(|project| text(&project["name"])));
        match page["next"].as_str() {
            Some(next) => query = format!("&after={next}"),
            None => return names,
        }
    }
}
