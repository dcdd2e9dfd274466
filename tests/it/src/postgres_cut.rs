//! A server whose connection to PostgreSQL is cut at random moments during a build: it reports
//! that, loses nothing that it has acknowledged, and recovers when the connection is restored.

use std::time::{Duration, Instant};

use model_server::{Dialect, ModelServer};
use rand::{RngExt, rngs::StdRng};
use reqwest::{Method, StatusCode};
use serde_json::json;
use support::Postgres;

use crate::{
    greeting_project,
    outages::{self, WAITS},
    postgres_proxy::{PostgresProxy, Way},
    project_fixture::ProjectFixture,
    server_process::ServerProcess,
    watched_build::WatchedBuild,
};

const ROUNDS: u32 = 3;
const SOAK_ROUNDS: u32 = 20;
/// Connections of the server to its database.
const CONNECTIONS: u32 = 8;
/// Three seconds in which `serve` tries to connect, and the time to start it on a busy machine.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn postgres_outages_lose_nothing_and_service_recovers_without_restart() {
    cut_at_random_moments(ROUNDS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn soak_postgres_is_cut_off_twenty_times() {
    cut_at_random_moments(SOAK_ROUNDS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn serve_reports_that_postgres_refuses_connections() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let begun = Instant::now();
    let url = format!("postgres://postgres@127.0.0.1:{port}/none");
    let printed = ServerProcess::fail_to_start(&[("DATABASE_URL", &url)]).await;
    assert!(begun.elapsed() < REFUSAL_TIMEOUT, "it took {:?}", begun.elapsed());
    let expected = format!("the PostgreSQL server at 127.0.0.1:{port} refuses connections");
    assert!(printed.contains(&expected), "{printed}");
}

async fn cut_at_random_moments(rounds: u32) {
    let mut random = outages::random("postgres");
    let database = Postgres::create().await;
    let proxy = PostgresProxy::start(database.url()).await;
    let mut left = rounds;
    while left > 0 {
        let mut cuts = Cuts::begin(&proxy).await;
        left -= cuts.make(left, rounds, &mut random).await;
        cuts.end().await;
    }
    database.remove().await;
}

/// A build whose server reaches its database through a proxy.
struct Cuts<'p> {
    proxy: &'p PostgresProxy,
    watched: WatchedBuild,
    model: ModelServer,
    /// Names of projects whose creation was acknowledged.
    acknowledged: Vec<String>,
    pid: Option<u32>,
}

impl<'p> Cuts<'p> {
    async fn begin(proxy: &'p PostgresProxy) -> Self {
        let environment = [("DATABASE_URL", proxy.url())];
        let fixture = ProjectFixture::with(Dialect::Anthropic, WAITS, &environment, None).await;
        greeting_project::prepare(&fixture).await;
        let ProjectFixture { server, model, project } = fixture;
        let pid = server.pid();
        let watched = WatchedBuild::begin(server, project).await;
        Self { proxy, watched, model, acknowledged: Vec::new(), pid }
    }

    /// Causes up to `left` outages before the build ends; returns how many.
    async fn make(&mut self, left: u32, rounds: u32, random: &mut StdRng) -> u32 {
        for made in 0..left.min(outages::PER_BUILD) {
            let ahead = self.watched.progress() + random.random_range(1..=outages::EVENTS_BETWEEN);
            let hit = self.watched.run_until(|progress, _| progress >= ahead).await;
            let Some(hit) = hit else { return made };
            // Each kind in turn.
            let kind = (rounds - left + made) % 3;
            println!("outage {kind} after event {} {}", hit.seq, hit.body.type_name());
            self.round(kind).await;
        }
        left.min(outages::PER_BUILD)
    }

    async fn round(&mut self, kind: u32) {
        match kind {
            0 => self.proxy.cut().await,
            1 => self.outage(Way::Refused).await,
            _ => self.outage(Way::Silent).await,
        }
        let opened = Instant::now();
        outages::recovery(&self.watched.server).await;
        println!("ready {:?} after the way was open again", opened.elapsed());
        // Connections that were cut unnoticed may fail the first requests.
        for _ in 0..CONNECTIONS {
            match self.write().await {
                StatusCode::CREATED => return,
                status => assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE),
            }
        }
        panic!("requests are still refused\n{}", self.watched.server.log());
    }

    async fn outage(&mut self, way: Way) {
        self.proxy.set(way);
        let refused = self.write().await;
        assert_eq!(refused, StatusCode::SERVICE_UNAVAILABLE);
        let server = &self.watched.server;
        assert!(server.request(Method::GET, "/healthz", None).await.status.is_success());
        // A readiness result is cached for a second.
        outages::failure(server).await;
        self.proxy.set(Way::Open);
    }

    /// Creates a project, and remembers it if that is acknowledged.
    async fn write(&mut self) -> StatusCode {
        let name = uuid::Uuid::now_v7().to_string();
        let body = json!({ "name": name, "description": "" });
        let answer = self.watched.server.request(Method::POST, "/api/projects", Some(body)).await;
        if answer.status.is_success() {
            self.acknowledged.push(name);
        }
        answer.status
    }

    async fn end(mut self) {
        self.watched.run_to_the_end().await;
        self.watched.assert_certified().await;
        assert_eq!(self.watched.server.pid(), self.pid, "it was never restarted");
        let stored = outages::project_names(&self.watched.server).await;
        for name in &self.acknowledged {
            assert_eq!(stored.iter().filter(|stored| *stored == name).count(), 1, "{name}");
        }
        self.model.finish();
        self.watched.server.stop().await;
    }
}
