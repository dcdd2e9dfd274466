//! The limits of a proxy, with connections in this process.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream as StdStream};

use tokio::task::{JoinHandle, spawn_blocking};

use super::*;

struct TestProxy {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<Vec<String>>,
}

impl TestProxy {
    /// A proxy that allows all loopback addresses.
    fn start(limits: Limits) -> Self {
        let listener = StdListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let rules = EgressRules { allow: vec!["127.0.0.0/8".parse().unwrap()] };
        let proxy = Proxy::with_limits(rules, None, limits);
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            proxy.serve(listener.into(), &stopped).await.unwrap();
            proxy.finish()
        });
        Self { address, stop, task }
    }

    /// Sends `request` and returns everything that comes back until the proxy closes.
    async fn request(&self, request: String) -> String {
        let address = self.address;
        let ask = move || {
            let mut client = StdStream::connect(address).unwrap();
            client.write_all(request.as_bytes()).unwrap();
            let mut answer = Vec::new();
            // A reset after the response is expected.
            let _ = client.read_to_end(&mut answer);
            String::from_utf8(answer).unwrap()
        };
        spawn_blocking(ask).await.unwrap()
    }

    async fn finish(self) -> Vec<String> {
        self.stop.cancel();
        self.task.await.unwrap()
    }
}

/// Accepts connections, sends each of them `content` and keeps it open.
fn sending_host(content: &'static [u8]) -> SocketAddr {
    let listener = StdListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let _ = client.write_all(content);
            open.push(client);
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn incomplete_request_times_out() {
    let limits = Limits { head_timeout: Duration::from_millis(10), ..LIMITS };
    let proxy = TestProxy::start(limits);
    let answer = proxy.request("CONNECT 127.0.0.1:1 HTTP/1.1\r\nX".into()).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connection_is_closed() {
    let limits = Limits { idle_timeout: Duration::from_millis(10), ..LIMITS };
    let proxy = TestProxy::start(limits);
    let host = sending_host(b"");
    proxy.request(format!("CONNECT {host} HTTP/1.1\r\n\r\n")).await;
    assert_eq!(proxy.finish().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn number_of_connections_is_limited() {
    let limits = Limits { max_connections: 1, ..LIMITS };
    let proxy = TestProxy::start(limits);
    let first = proxy.request("CONNECT 10.0.0.1:80 HTTP/1.1\r\n\r\n".into()).await;
    assert!(first.starts_with("HTTP/1.1 403 "), "{first}");
    let second = proxy.request("CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n".into()).await;
    assert!(second.starts_with("HTTP/1.1 429 "), "{second}");
    let refusals = proxy.finish().await;
    assert!(refusals.contains(&"network: more than 1 connections are not allowed".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn transferred_bytes_are_limited() {
    let limits = Limits { max_transferred_bytes: 100_000, ..LIMITS };
    let proxy = TestProxy::start(limits);
    let host = sending_host(&[b'x'; 1 << 20]);
    let answer = proxy.request(format!("CONNECT {host} HTTP/1.1\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.len() < 1 << 20, "{}", answer.len());
    let again = proxy.request(format!("CONNECT {host} HTTP/1.1\r\n\r\n")).await;
    assert_eq!(again, "");
    assert!(proxy.finish().await[0].starts_with("network: connections closed: more than "));
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_hosts_are_reported_as_such() {
    let proxy = TestProxy::start(LIMITS);
    // The port is bound but does not listen.
    let bound = rustix::net::socket(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::STREAM,
        None,
    )
    .unwrap();
    rustix::net::bind(&bound, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let address = rustix::net::getsockname(&bound).unwrap();
    let address = SocketAddr::try_from(address).unwrap();
    let answer = proxy.request(format!("CONNECT {address} HTTP/1.1\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert_eq!(proxy.finish().await, Vec::<String>::new());
}
