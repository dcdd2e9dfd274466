//! Slow clients, many connections and password guessing: resources are bounded, and other clients
//! are served.

use std::time::{Duration, Instant};

use reqwest::header;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::{
    harness::{ADMIN, ApiResponse, PASSWORD, send},
    server_process::ServerProcess,
};

const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// The interval at which a slow client sends a byte.
const DRIP_INTERVAL: Duration = Duration::from_millis(100);
const HEAD: &str = "POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

async fn connect(server: &ServerProcess) -> TcpStream {
    TcpStream::connect(server.address()).await.expect("it listens")
}

async fn connect_with(server: &ServerProcess, sent: &str) -> TcpStream {
    let mut stream = connect(server).await;
    stream.write_all(sent.as_bytes()).await.expect("it is open");
    stream
}

/// Everything received until the server closes the connection.
async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut received = Vec::new();
    // A reset also closes it.
    let read = timeout(ANSWER_TIMEOUT, stream.read_to_end(&mut received)).await;
    let _ = read.expect("the server closes the connection");
    String::from_utf8_lossy(&received).into_owned()
}

/// Sends one byte after another until the server closes the connection; returns the response.
async fn drip(mut stream: TcpStream) -> String {
    let begun = Instant::now();
    let mut received = Vec::new();
    while begun.elapsed() < ANSWER_TIMEOUT {
        let mut piece = [0; 1_024];
        match timeout(DRIP_INTERVAL, stream.read(&mut piece)).await {
            Ok(Ok(0) | Err(_)) => return String::from_utf8_lossy(&received).into_owned(),
            Ok(Ok(length)) => received.extend_from_slice(&piece[..length]),
            // If the write fails, the connection is closed, which the next read reports.
            Err(_) => drop(stream.write_all(b"x").await),
        }
    }
    panic!("the server never closed the connection");
}

/// A proxy in front of a server.
struct Proxy {
    url: String,
    client: reqwest::Client,
}

impl Proxy {
    fn of(server: &ServerProcess) -> Self {
        let url = format!("http://{}/api/session", server.address());
        Self { url, client: support::http_client().build().expect("a client") }
    }

    /// Forwards a sign-in from this address.
    async fn sign_in(&self, from: &str, email: &str, password: &str) -> ApiResponse {
        let request = self.client.post(&self.url).header("x-forwarded-for", from);
        send(request.json(&json!({"email": email, "password": password}))).await
    }
}

#[tokio::test]
async fn connection_ends_when_a_request_does_not_arrive_in_time() {
    let server = ServerProcess::start(&[("FORGEGUARD_REQUEST_TIMEOUT", "1")]).await;
    for sent in ["", "GET / HTT", "GET / HTTP/1.1\r\nHost: x\r\nX-A: "] {
        assert_eq!(read_to_end(&mut connect_with(&server, sent).await).await, "", "{sent:?}");
    }
    assert_eq!(drip(connect_with(&server, "GET / HTTP/1.1\r\nX-A: ").await).await, "");
    let body = format!("{HEAD}Content-Length: 1000\r\n\r\n");
    let chunked = format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n3e8\r\n");
    for sent in [body, chunked] {
        let idle = read_to_end(&mut connect_with(&server, &sent).await).await;
        assert!(idle.starts_with("HTTP/1.1 408 "), "{idle}");
        let dripping = drip(connect_with(&server, &sent).await).await;
        assert!(dripping.starts_with("HTTP/1.1 408 "), "{dripping}");
    }
    // An idle connection is also closed after a response.
    let mut idle = connect_with(&server, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(read_to_end(&mut idle).await.starts_with("HTTP/1.1 200 "));
    server.stop().await;
}

#[tokio::test]
async fn connections_of_one_address_are_limited() {
    let server = ServerProcess::start(&[
        ("FORGEGUARD_MAX_CONNECTIONS_PER_ADDRESS", "8"),
        ("FORGEGUARD_REQUEST_TIMEOUT", "2"),
    ])
    .await;
    // One of them belongs to the signed-in client.
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(connect_with(&server, "GET / HTTP/1.1\r\n").await);
    }
    let refused = read_to_end(&mut connect(&server).await).await;
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    assert!(refused.contains("Retry-After: "), "{refused}");
    for stream in &mut held {
        read_to_end(stream).await;
    }
    let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let served = read_to_end(&mut connect_with(&server, request).await).await;
    assert!(served.starts_with("HTTP/1.1 200 "), "{served}");
    server.stop().await;
}

#[tokio::test]
async fn connections_in_total_are_limited() {
    let server = ServerProcess::start(&[("FORGEGUARD_MAX_CONNECTIONS", "8")]).await;
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(connect_with(&server, "GET / HTTP/1.1\r\n").await);
    }
    let refused = read_to_end(&mut connect(&server).await).await;
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    server.stop().await;
}

#[tokio::test]
async fn client_behind_a_trusted_proxy_is_limited_by_its_own_address() {
    let server = ServerProcess::start(&[("FORGEGUARD_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    let proxy = Proxy::of(&server);
    // The part of the header that the client wrote is ignored.
    for n in 0..5 {
        let from = format!("198.51.100.{n}, 203.0.113.7");
        proxy.sign_in(&from, ADMIN, "wrong password").await.problem(401);
    }
    let refused = proxy.sign_in("203.0.113.7", ADMIN, PASSWORD).await;
    refused.problem(429);
    assert!(refused.headers.contains_key(header::RETRY_AFTER));
    assert_eq!(proxy.sign_in("203.0.113.8", ADMIN, PASSWORD).await.status, 200);

    // One address, many accounts.
    let mut statuses = Vec::new();
    for n in 0..40 {
        let email = format!("user-{n}@example.org");
        statuses.push(proxy.sign_in("203.0.113.9", &email, "wrong").await.status.as_u16());
    }
    assert!(statuses.ends_with(&[429]) && statuses.starts_with(&[401; 30]), "{statuses:?}");
    server.stop().await;
}

#[tokio::test]
async fn forwarded_address_of_an_unknown_peer_is_ignored() {
    let server = ServerProcess::start(&[]).await;
    let proxy = Proxy::of(&server);
    for n in 0..5 {
        let from = format!("203.0.113.{n}");
        proxy.sign_in(&from, ADMIN, "wrong password").await.problem(401);
    }
    proxy.sign_in("203.0.113.99", ADMIN, PASSWORD).await.problem(429);
    server.stop().await;
}

#[tokio::test]
async fn correct_password_is_accepted_during_a_flood_of_wrong_ones() {
    let server = ServerProcess::start(&[("FORGEGUARD_TRUSTED_PROXIES", "127.0.0.1")]).await;
    let proxy = Proxy::of(&server);
    let known = "198.51.100.1";
    assert_eq!(proxy.sign_in(known, ADMIN, PASSWORD).await.status, 200);
    let guess = async |from: usize, round: usize| {
        let from = format!("203.0.{}.{}", from / 250, from % 250);
        let answer = proxy.sign_in(&from, &format!("{round}@example.org"), "wrong").await;
        if answer.status == 429 {
            assert!(answer.headers.contains_key(header::RETRY_AFTER));
        }
        answer.status.as_u16()
    };
    // Many addresses concurrently, until the owner has signed in ten times.
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let flood = futures::future::join_all((0..100).map(|from| {
        let stopped = stopped.clone();
        let guess = &guess;
        async move {
            let (mut round, mut statuses) = (0, Vec::new());
            while !*stopped.borrow() {
                statuses.push(guess(from, round).await);
                round += 1;
            }
            statuses
        }
    }));
    let owner = async {
        let mut slowest = Duration::ZERO;
        for from in [known, known, known, known, known, "198.51.100.2", "198.51.100.3"] {
            let begun = Instant::now();
            let answer = proxy.sign_in(from, ADMIN, PASSWORD).await;
            assert_eq!(answer.status, 200, "{from}: {}", answer.text);
            slowest = slowest.max(begun.elapsed());
        }
        stop.send_replace(true);
        slowest
    };
    let (statuses, slowest) = tokio::join!(flood, owner);
    let statuses = statuses.concat();
    let refused = statuses.iter().filter(|status| **status == 429).count();
    println!("{} guesses, {refused} refused; slowest correct: {slowest:?}", statuses.len());
    assert!(statuses.iter().all(|status| [401, 429].contains(status)), "{statuses:?}");
    assert!(refused > 0, "the flood was no flood");
    server.stop().await;
}
