//! The backlog of a project whose items several nodes build, which are killed at random.

use std::{collections::BTreeMap, time::Duration};

use domain::verdict::Verdict;
use model_server::Dialect;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use support::Postgres;
use tokio::time::{Instant, timeout};

use crate::{
    backlog::{file_named, model},
    harness::text,
    outages::{WAITS, eventually},
    project_fixture::{ProjectFixture, git},
    server_process::{NodeProcess, ServerProcess},
};

/// Nodes besides the server that the test talks to.
const OTHER_NODES: [&str; 3] = ["second", "third", "fourth"];
const ITEMS: usize = 8;
const SOAK_ITEMS: usize = 200;
/// The seed of `make test`; soaks use a random one.
const SEED: u64 = 1;
/// Milliseconds between two kills.
const KILL_INTERVAL_MS: std::ops::Range<u64> = 1_000..5_000;
/// Per item, on a busy machine.
const ITEM_TIMEOUT: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread")]
async fn items_are_built_once_and_in_order_by_nodes_that_are_killed() {
    build_items(ITEMS, SEED).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn soak_two_hundred_items_are_built_once_and_in_order() {
    build_items(SOAK_ITEMS, rand::random()).await;
}

async fn build_items(count: usize, seed: u64) {
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let database = Postgres::create().await;
    let environment = [("DATABASE_URL", database.url()), ("FORGEGUARD_NODE", "first")];
    let fixture = ProjectFixture::with(Dialect::Anthropic, WAITS, &environment, None).await;
    fixture.model.play(model);
    let gate = json!({
        "name": "test", "command": "cat item-*.txt && echo ok 1", "timeout_s": 60, "required": true,
        "network": false
    });
    fixture.set("settings", json!({ "gates": [gate], "max_concurrent_builds": 8 })).await;
    let hosted = fixture.hosted();
    let ProjectFixture { mut server, model, project } = fixture;
    let mut nodes = Vec::new();
    for node in OTHER_NODES {
        nodes.push(server.start_node(node).await);
    }
    let backlog = format!("/api/projects/{project}/backlog");
    let dependencies = dependencies(count, &mut random);
    let mut ids: Vec<String> = Vec::new();
    for (item, earlier) in dependencies.iter().enumerate() {
        let depends_on: Vec<_> = earlier.iter().map(|index| &ids[*index]).collect();
        let file = file_named(&item.to_string());
        let body = json!({
            "title": format!("Add {file}"), "scope": [file], "depends_on": depends_on
        });
        ids.push(text(&server.post(&backlog, body).await["id"]));
    }
    server.post(&format!("{backlog}/start"), json!({})).await;

    let limit = Instant::now() + ITEM_TIMEOUT * u32::try_from(count).expect("few items");
    loop {
        let moment = Duration::from_millis(random.random_range(KILL_INTERVAL_MS));
        let built = eventually(async || all_built(&server, &backlog).await);
        if timeout(moment, built).await.is_ok() {
            break;
        }
        assert!(Instant::now() < limit, "{:#}\n{}", server.get(&backlog).await, server.log());
        kill_one(&mut server, &mut nodes, &mut random).await;
    }

    let items = server.get(&format!("{backlog}?limit=200")).await;
    let items = items["items"].as_array().expect("a list");
    let built: BTreeMap<_, _> = items.iter().map(|item| (text(&item["id"]), item)).collect();
    assert_eq!(built.len(), count);
    for (index, id) in ids.iter().enumerate() {
        let item = built[id];
        assert_eq!(
            (&item["state"], &item["attempts"]),
            (&json!("in_review"), &json!(1)),
            "{item:#}"
        );
        let verdict: Verdict =
            serde_json::from_value(item["build"]["verdict"].clone()).expect("one");
        assert_ne!(verdict, Verdict::Flagged, "{item:#}");
        // The branch has the work of all dependencies, so that their builds were sealed before.
        let files = git(&hosted, &["ls-tree", "--name-only", &text(&item["build"]["head_sha"])]);
        let files: Vec<_> = files.lines().collect();
        for needed in ancestors(&dependencies, index).into_iter().chain([index]) {
            assert!(
                files.contains(&file_named(&needed.to_string()).as_str()),
                "{item:#} {files:?}"
            );
        }
    }
    let builds = all_builds(&server, &project).await;
    assert_eq!(builds.len(), count, "{builds:#?}");
    model.finish();
    for node in nodes {
        node.stop().await;
    }
    server.stop().await;
    database.remove().await;
}

async fn all_built(server: &ServerProcess, backlog: &str) -> bool {
    let items = server.get(&format!("{backlog}?limit=200")).await;
    let is_built = |item: &Value| item["state"] == "in_review" || item["state"] == "needs_you";
    items["items"].as_array().expect("a list").iter().all(is_built)
}

async fn all_builds(server: &ServerProcess, project: &str) -> Vec<Value> {
    let builds = server.get(&format!("/api/projects/{project}/builds?limit=200")).await;
    assert!(builds["next"].is_null(), "{builds}");
    builds["items"].as_array().expect("a list").clone()
}

async fn kill_one(server: &mut ServerProcess, nodes: &mut [NodeProcess], random: &mut StdRng) {
    let chosen = random.random_range(0..=nodes.len());
    println!("kill of node {chosen}");
    match nodes.get_mut(chosen) {
        Some(node) => node.kill_and_restart().await,
        None => {
            server.kill().await;
            server.restart().await;
        }
    }
}

/// For each item, earlier ones that it depends on. Some depend on one, some also on something that
/// this one depends on: a build starts from one branch, which has to contain the work of all.
fn dependencies(count: usize, random: &mut StdRng) -> Vec<Vec<usize>> {
    let mut dependencies: Vec<Vec<usize>> = Vec::new();
    for item in 0..count {
        let mut own = Vec::new();
        if item > 0 && random.random_bool(0.7) {
            let parent = random.random_range(0..item);
            own.push(parent);
            let above = ancestors(&dependencies, parent);
            if !above.is_empty() && random.random_bool(0.3) {
                own.push(above[random.random_range(0..above.len())]);
            }
        }
        dependencies.push(own);
    }
    dependencies
}

/// All items that an item depends on, also indirectly.
fn ancestors(dependencies: &[Vec<usize>], item: usize) -> Vec<usize> {
    let (mut found, mut open) = (Vec::new(), dependencies[item].clone());
    while let Some(next) = open.pop() {
        if !found.contains(&next) {
            found.push(next);
            open.extend(&dependencies[next]);
        }
    }
    found
}
