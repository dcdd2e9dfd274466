//! A build with a hundred thousand events: its newest page opens immediately, and reading all of it
//! needs no more memory than reading a part.

use domain::chain;
use futures::StreamExt;
use tempfile::TempDir;

use crate::{
    harness::{Database, Instance},
    server_process::ServerProcess,
};

const EVENTS: usize = 100_000;
/// Characters per log line; about 60 MB in total.
const LINE_LENGTH: usize = 400;
/// The memory that reading may need in addition. The journal is far larger.
const MAX_GROWTH_KIB: u64 = 24 * 1_024;

#[tokio::test]
async fn long_journal_is_read_in_constant_memory() {
    let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
    let (build, head) = write_journal(&folder).await;
    let server = ServerProcess::start_in(folder, &[("FORGEGUARD_ROLE", "web")]).await;

    let page = server.get(&format!("/api/builds/{build}/events?tail=true&limit=200")).await;
    assert_eq!(page["items"].as_array().map(Vec::len), Some(200));
    assert_eq!(page["items"][199]["hash"], head);

    let before = server.resident_kib();
    let mut most = before;
    let path = format!("/api/builds/{build}/events?after=0");
    let mut chunks = server.stream(&path, "application/x-ndjson").await.bytes_stream();
    let (mut lines, mut bytes, mut unread) = (0, 0, Vec::new());
    let mut last = String::new();
    while lines <= EVENTS {
        let chunk =
            chunks.next().await.expect("the stream has another chunk").expect("it can be read");
        bytes += chunk.len();
        unread.extend_from_slice(&chunk);
        while let Some(end) = unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = unread.drain(..=end).collect();
            if line.len() > 1 {
                last = String::from_utf8(line).expect("events are text");
                lines += 1;
            }
        }
        most = most.max(server.resident_kib());
    }
    let link = chain::without_hash(last.trim_end()).expect("a line is an event");
    assert_eq!(link.hash, head);
    let grown = most - before;
    println!("{bytes} bytes read, memory grew from {before} KiB by {grown} KiB");
    assert!(
        bytes as u64 / 1_024 > 2 * MAX_GROWTH_KIB,
        "the journal is too short to tell: {bytes} bytes"
    );
    assert!(grown < MAX_GROWTH_KIB, "memory grew by {grown} KiB while {bytes} bytes were read");
    drop(chunks);
    server.stop().await;
}

/// A queued build with many log lines in a data directory; returns its id and the last hash.
async fn write_journal(folder: &TempDir) -> (String, String) {
    let data = folder.path().join("data");
    std::fs::create_dir(&data).expect("the folder is empty");
    let file = format!("sqlite:{}", data.join("forgeguard.db").display());
    let Ok(database) = Database::connect(&file, 1).await;
    let instance = Instance::start(&database).await;
    let admin = instance.admin().await;
    let project = admin.project("Long").await;
    let build = instance.queue_build(&project, &admin.id).await;
    for first in (0..EVENTS).step_by(1_000) {
        let line = |n: usize| format!("line {} {}", first + n, "x".repeat(LINE_LENGTH));
        instance.log(build, (0..1_000).map(line)).await;
    }
    let stored = admin.get(&format!("/api/builds/{build}")).await.json();
    instance.stop().await;
    let head = stored["head_hash"].as_str().expect("a hash").to_owned();
    (build.to_string(), head)
}
