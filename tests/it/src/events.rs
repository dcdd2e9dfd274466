//! A journal over plain HTTP: pages in both directions, and streams that end with the build.

use std::time::Duration;

use crate::harness::{Database, Instance, Person, text};
use domain::ids::BuildId;
use futures::StreamExt;
use reqwest::{Method, header};
use serde_json::{Value, json};

async fn with_build(database: &Database, lines: usize) -> (Instance, Person, BuildId) {
    let instance = Instance::start(database).await;
    let ada = instance.user("ada@example.org").await;
    let project = ada.project("P").await;
    let build = instance.queue_build(&project, &ada.id).await;
    instance.log(build, (0..lines).map(|n| format!("line {n}"))).await;
    (instance, ada, build)
}

fn seqs(page: &Value) -> Vec<u64> {
    page["items"].as_array().unwrap().iter().map(|e| e["seq"].as_u64().unwrap()).collect()
}

/// Reads a stream to its end; `meanwhile` runs once the first chunk has arrived.
async fn drain(
    person: &Person,
    path: &str,
    accept: &str,
    meanwhile: impl Future<Output = ()>,
) -> String {
    let request = person.request(Method::GET, path).header(header::ACCEPT, accept);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()[header::CONTENT_TYPE], accept);
    assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
    let mut pieces = response.bytes_stream();
    let mut read = pieces.next().await.expect("a first piece").unwrap().to_vec();
    meanwhile.await;
    let rest = async {
        while let Some(piece) = pieces.next().await {
            read.extend(piece.unwrap())
        }
    };
    tokio::time::timeout(Duration::from_secs(30), rest).await.expect("the stream ends");
    String::from_utf8(read).unwrap()
}

support::on_both! {
    async fn pages_cover_the_journal_in_both_directions(database: Database) {
        let (instance, ada, build) = with_build(&database, 24).await;
        let path = format!("/api/builds/{build}/events");
        let mut after = 0;
        let mut all = Vec::new();
        loop {
            let page = ada.get(&format!("{path}?after={after}&limit=10")).await.json();
            all.extend(page["items"].as_array().unwrap().clone());
            assert_eq!(page["head"], 25);
            match page["next"].as_str() {
                Some(next) => after = next.parse().unwrap(),
                None => break,
            }
        }
        let expected: Vec<u64> = (1..=25).collect();
        assert_eq!(seqs(&json!({"items": all})), expected);

        let tail = ada.get(&format!("{path}?tail=true&limit=5")).await.json();
        assert_eq!(seqs(&tail), [21, 22, 23, 24, 25]);
        let older = ada.get(&format!("{path}?before={}&limit=15", text(&tail["next"]))).await.json();
        assert_eq!(seqs(&older), (6..=20).collect::<Vec<_>>());
        let oldest = ada.get(&format!("{path}?before=6&limit=15")).await.json();
        assert_eq!((seqs(&oldest).len(), &oldest["next"]), (5, &Value::Null));
        instance.stop().await;
    }

    async fn stream_continues_until_the_build_ends(database: Database) {
        let (instance, ada, build) = with_build(&database, 3).await;
        let path = format!("/api/builds/{build}/events?after=1");
        let end = async {
            instance.log(build, ["later".to_owned()]).await;
            ada.post(&format!("/api/builds/{build}/cancel"), json!({})).await;
        };
        let lines = drain(&ada, &path, "application/x-ndjson", end).await;
        let events: Vec<Value> = lines
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(seqs(&json!({"items": events})), [2, 3, 4, 5, 6, 7]);
        let page = ada.get(&path).await.json();
        assert_eq!(page["items"], json!(events), "both are the stored text");

        let again = drain(&ada, &path, "text/event-stream", async {}).await;
        let ids: Vec<_> = again.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
        assert_eq!(ids, ["2", "3", "4", "5", "6", "7"]);
        let data = again.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        assert_eq!(serde_json::from_str::<Value>(data).unwrap(), events[0]);
        instance.stop().await;
    }

    async fn stream_resumes_after_the_last_event_id(database: Database) {
        let (instance, ada, build) = with_build(&database, 3).await;
        ada.post(&format!("/api/builds/{build}/cancel"), json!({})).await;
        let request = ada.request(Method::GET, &format!("/api/builds/{build}/events"));
        let request = request.header(header::ACCEPT, "text/event-stream").header("last-event-id", "4");
        let read = request.send().await.unwrap().text().await.unwrap();
        let ids: Vec<_> = read.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
        assert_eq!(ids, ["5", "6"]);
        instance.stop().await;
    }
}

#[tokio::test]
async fn streams_end_when_the_server_stops() {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let (instance, ada, build) = with_build(&database, 1).await;
    let path = format!("/api/builds/{build}/events");
    let read = drain(&ada, &path, "application/x-ndjson", async { instance.request_stop() }).await;
    assert_eq!(read.lines().count(), 2);
    instance.stop().await;
}
