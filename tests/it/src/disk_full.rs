//! A server whose disk becomes full at random moments during a build: it reports that, loses
//! nothing that it has acknowledged, and recovers when there is space again.

use std::{
    fs::{self, File},
    io::Write,
    path::PathBuf,
    time::Instant,
};

use model_server::{Dialect, ModelServer};
use rand::{RngExt, rngs::StdRng};
use reqwest::{Method, StatusCode, header};
use serde_json::json;

use crate::{
    greeting_project,
    harness::ApiResponse,
    outages::{self, WAITS},
    project_fixture::ProjectFixture,
    server_process::SmallDisk,
    watched_build::WatchedBuild,
};

const ROUNDS: u32 = 3;
const SOAK_ROUNDS: u32 = 20;
const DISK: SmallDisk = SmallDisk { mebibytes: 64 };
/// More writes than needed until a full disk shows: SQLite's log has room for some transactions.
const MAX_WRITES: u32 = 5_000;
/// In characters.
const LARGE_TEXT_LENGTH: usize = 10_000;

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_loses_nothing_and_service_recovers_without_restart() {
    fill_at_random_moments(ROUNDS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn soak_disk_is_full_twenty_times() {
    fill_at_random_moments(SOAK_ROUNDS).await;
}

async fn fill_at_random_moments(rounds: u32) {
    let mut random = outages::random("disk");
    let mut left = rounds;
    while left > 0 {
        let mut filling = Filling::begin().await;
        left -= filling.make(left, &mut random).await;
        filling.end().await;
    }
}

/// A build on a small disk.
struct Filling {
    watched: WatchedBuild,
    model: ModelServer,
    /// The last acknowledged notepad; each version extends the previous one.
    note: (u64, String),
    pid: Option<u32>,
}

impl Filling {
    async fn begin() -> Self {
        let fixture = ProjectFixture::with(Dialect::Anthropic, WAITS, &[], Some(DISK)).await;
        greeting_project::prepare(&fixture).await;
        let ProjectFixture { server, model, project } = fixture;
        let pid = server.pid();
        let watched = WatchedBuild::begin(server, project).await;
        Self { watched, model, note: (0, String::new()), pid }
    }

    /// Fills the disk up to `rounds` times before the build ends; returns how often.
    async fn make(&mut self, rounds: u32, random: &mut StdRng) -> u32 {
        for round in 0..rounds.min(outages::PER_BUILD) {
            let ahead = self.watched.progress() + random.random_range(1..=outages::EVENTS_BETWEEN);
            let hit = self.watched.run_until(|progress, _| progress >= ahead).await;
            let Some(hit) = hit else { return round };
            println!("full after event {} {}", hit.seq, hit.body.type_name());
            self.round().await;
        }
        rounds.min(outages::PER_BUILD)
    }

    async fn round(&mut self) {
        let ballast = self.fill();
        let refused = self.write_until_refused().await;
        assert_eq!(refused.status, StatusCode::INSUFFICIENT_STORAGE, "{}", refused.text);
        assert_eq!(refused.json()["type"], "urn:forgeguard:problem:storage_full");
        assert!(refused.headers.contains_key(header::RETRY_AFTER));
        let server = &self.watched.server;
        assert!(server.request(Method::GET, "/healthz", None).await.status.is_success());
        // Reading still works.
        self.assert_note_is_stored().await;

        fs::remove_file(ballast).expect("space can be freed");
        let freed = Instant::now();
        outages::recovery(&self.watched.server).await;
        println!("ready {:?} after the disk had space again", freed.elapsed());
        let written = self.write(LARGE_TEXT_LENGTH).await;
        assert_eq!(written.status, StatusCode::OK, "{}", written.text);
    }

    /// Uses all remaining space.
    fn fill(&self) -> PathBuf {
        let ballast = self.watched.server.data().join("ballast");
        let mut file = File::create(&ballast).expect("a file");
        for size in [1024 * 1024, 4096, 1] {
            let piece = vec![0; size];
            while file.write_all(&piece).is_ok() {}
        }
        ballast
    }

    /// Writes until neither a large nor a small text fits into SQLite's log.
    async fn write_until_refused(&mut self) -> ApiResponse {
        for _ in 0..MAX_WRITES {
            if self.write(LARGE_TEXT_LENGTH).await.status.is_success() {
                continue;
            }
            let refused = self.write(1).await;
            let ready = self.watched.server.request(Method::GET, "/readyz", None).await;
            if !refused.status.is_success() && ready.status.is_server_error() {
                return refused;
            }
        }
        panic!("{MAX_WRITES} writes were accepted on a full disk");
    }

    /// Writes the next version of the notepad, and remembers it if it is acknowledged.
    async fn write(&mut self, size: usize) -> ApiResponse {
        let (version, _) = self.note;
        let content = format!("{} {version}", "x".repeat(size));
        let body = json!({ "content": content, "version": version });
        let answer = self.watched.server.request(Method::PUT, &self.notepad(), Some(body)).await;
        if answer.status.is_success() {
            self.note = (version + 1, content);
        }
        answer
    }

    async fn assert_note_is_stored(&self) {
        let (version, content) = &self.note;
        let stored = self.watched.server.get(&self.notepad()).await;
        assert_eq!((&stored["version"], &stored["content"]), (&json!(version), &json!(content)));
    }

    fn notepad(&self) -> String {
        format!("/api/projects/{}/notepad", self.watched.project)
    }

    async fn end(mut self) {
        self.watched.run_to_the_end().await;
        self.watched.assert_certified().await;
        assert_eq!(self.watched.server.pid(), self.pid, "it was never restarted");
        self.assert_note_is_stored().await;
        self.model.finish();
        self.watched.server.stop().await;
    }
}
