//! The usage of a build, as returned by the API and the program, compared with the journal.

use std::{collections::BTreeMap, process::Command};

use domain::event::EventBody;
use forgeguard::{contracts, store::Db};
use llm::estimated_tokens;
use serde_json::{Value, json};

use crate::{
    harness::{Database, Instance, binary},
    watched_build::WatchedBuild,
};

support::on_both! {
    async fn queued_build_has_no_usage(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let build = instance.queue_build(&project, &ada.id).await;
        let used = ada.get(&format!("/api/builds/{build}/usage")).await.json();
        assert_eq!((&used["models"], &used["contracts"]), (&json!([]), &json!([])));
        assert_eq!((&used["total"]["turns"], &used["total"]["cost_usd_micros"]), (&json!(0), &json!(0)));
        // Contracts that were never written are templates, and would not be sent.
        let nothing = json!({"on_demand": 0, "pushed": 0});
        let delivery = json!({"pinned": 0, "pinned_tokens": 0, "once": nothing, "sent": nothing});
        assert_eq!(used["delivery"], delivery);
        instance.stop().await;
    }
}

/// Tokens of the demo's nine contracts, by name.
async fn sizes(demo: &WatchedBuild) -> BTreeMap<String, u64> {
    let EventBody::BuildQueued(queued) = &demo.events[0].body else { panic!("it was queued") };
    let db = Db::open_file(&demo.server.data().join("forgeguard.db"), 1).await.expect("it opens");
    let mut conn = db.read().await.expect("a connection");
    let set = contracts::of_snapshot(&mut conn, queued.snapshot_batch).await.expect("it is there");
    set.iter().map(|text| (text.kind.to_string(), estimated_tokens(&text.content))).collect()
}

#[tokio::test]
async fn usage_equals_the_sums_of_the_journal() {
    let mut demo = WatchedBuild::demo_without_mutants(&[("FORGEGUARD_DEMO_PACE", "0")]).await;
    demo.run_to_the_end().await;
    demo.assert_certified().await;
    let used = demo.server.get(&format!("/api/builds/{}/usage", demo.build)).await;

    let mut roles = BTreeMap::new();
    let mut by_role: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    let mut reads: BTreeMap<(String, String), u64> = BTreeMap::new();
    let mut held: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let sizes = sizes(&demo).await;
    let (mut once, mut sent, mut turns) = (0, 0, 0);
    for event in &demo.events {
        match &event.body {
            EventBody::BuildAgentStarted(it) => {
                roles.insert(it.run_id.to_string(), it.role.name().to_owned());
                // A conversation keeps what earlier runs have read.
                let earlier = it.continues.and_then(|run| held.get(&run.to_string()).cloned());
                held.insert(it.run_id.to_string(), earlier.unwrap_or_default());
            }
            EventBody::BuildAgentTurn(it) => {
                let run = it.run_id.to_string();
                let sums = by_role.entry(roles[&run].clone()).or_default();
                for (sum, more) in sums.iter_mut().zip([1, it.tokens_in, it.tokens_out]) {
                    *sum += more;
                }
                turns += 1;
                sent += held.entry(run).or_default().iter().map(|name| sizes[name]).sum::<u64>();
            }
            EventBody::BuildContractRead(it) => {
                let name = it.contract.to_string();
                *reads.entry((it.role.name().to_owned(), name.clone())).or_default() += 1;
                once += sizes[&name];
                held.entry(it.run_id.to_string()).or_default().push(name);
            }
            _ => {}
        }
    }
    let found = |item: &Value| {
        let numbers = ["turns", "tokens_in", "tokens_out"].map(|name| item[name].as_u64().unwrap());
        (item["role"].as_str().unwrap().to_owned(), numbers)
    };
    let models = used["models"].as_array().unwrap();
    assert_eq!(models.iter().map(found).collect::<BTreeMap<_, _>>(), by_role);
    assert!(models.iter().all(|item| item["model"] == "offline"));
    let contracts = used["contracts"].as_array().unwrap();
    let found = |item: &Value| {
        let name = item["contract"].as_str().unwrap().to_owned();
        assert_eq!(item["tokens"], sizes[&name], "{item}");
        ((item["role"].as_str().unwrap().to_owned(), name), item["reads"].as_u64().unwrap())
    };
    assert_eq!(contracts.iter().map(found).collect::<BTreeMap<_, _>>(), reads);

    let (all, runs) = (sizes.values().sum::<u64>(), roles.len() as u64);
    let delivery = json!({
        "pinned": 9,
        "pinned_tokens": all,
        "once": {"on_demand": once, "pushed": runs * all},
        "sent": {"on_demand": sent, "pushed": turns * all},
    });
    assert_eq!(used["delivery"], delivery);
    let sum = |items: &Value, name: &str| -> u64 {
        items.as_array().unwrap().iter().map(|item| item[name].as_u64().unwrap()).sum()
    };
    assert_eq!(used["phases"].as_array().unwrap().len(), 2);
    assert_eq!(sum(&used["phases"], "tokens_out"), sum(&used["models"], "tokens_out"));
    assert!(sent < turns * all && once < runs * all, "reading on demand is the point: {delivery}");

    // The program prints the same while a server runs, and after a restart.
    demo.kill_and_restart().await;
    assert_eq!(demo.server.get(&format!("/api/builds/{}/usage", demo.build)).await, used);
    let (data, build) = (demo.server.data(), demo.build.to_string());
    let ask = |more: &[&str]| {
        let mut command = Command::new(binary());
        command.arg("--data-dir").arg(&data).args(["usage", &build]).args(more);
        let output = command.env_remove("DATABASE_URL").output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(serde_json::from_str::<Value>(&ask(&["--json"])).unwrap(), used);
    assert!(ask(&[]).contains("sent in each request"));
    demo.server.stop().await;
}
