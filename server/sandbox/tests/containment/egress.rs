//! Network access: what the proxy allows, and that it cannot be bypassed.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sandbox::{Command, EgressRules, Level, OutputChunk, SandboxError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{TestEnv, at_each_level};

at_each_level!(
    command_without_network_cannot_connect,
    command_with_network_is_confined_or_rejected,
);

/// An environment with network access; `None` if the machine does not support the strict level.
async fn test_env_with_network(allow: &[&str]) -> Option<TestEnv> {
    let mut env = TestEnv::at(Level::Strict).await?;
    env.policy.network = Some(rules(allow));
    Some(env)
}

fn rules(allow: &[&str]) -> EgressRules {
    EgressRules { allow: allow.iter().map(|text| text.parse().unwrap()).collect() }
}

/// TCP and UDP services on all addresses of the host.
struct HostServices {
    tcp: TcpListener,
    udp: UdpSocket,
}

impl HostServices {
    fn start() -> Self {
        let tcp = TcpListener::bind("[::]:0").unwrap();
        let udp = UdpSocket::bind(("::", tcp.local_addr().unwrap().port())).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        Self { tcp, udp }
    }

    fn port(&self) -> u16 {
        self.tcp.local_addr().unwrap().port()
    }

    /// All addresses of this machine.
    fn addresses() -> Vec<String> {
        let interfaces = if_addrs::get_if_addrs().unwrap();
        let addresses: Vec<String> = interfaces.iter().map(|one| one.ip().to_string()).collect();
        assert!(addresses.contains(&"127.0.0.1".to_owned()));
        addresses
    }

    fn assert_unreached(&self) {
        assert_eq!(self.tcp.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(self.udp.recv(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}

/// A program that tries to connect without the proxy and prints what it reached.
fn direct_attempts(port: u16) -> String {
    let mut addresses = HostServices::addresses();
    // Documentation addresses, so that no traffic leaves this machine if the test fails.
    addresses.extend(["198.51.100.1", "2001:db8::1", "169.254.169.254"].map(str::to_owned));
    format!(
        r#"
import socket
def attempt(kind, address, port):
    try:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, kind) as client:
            client.settimeout(2)
            client.connect((address, port))
            client.send(b"x")
            # A datagram to a closed port of the own loopback is refused with the next call.
            if kind == socket.SOCK_DGRAM: client.recv(1)
            print("reached", kind, address, port)
    except OSError: pass
for address in {addresses:?}:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        attempt(kind, address, {port})
    attempt(socket.SOCK_STREAM, address, 5432)
for line in open("/etc/resolv.conf"):
    if line.startswith("nameserver"):
        attempt(socket.SOCK_STREAM, line.split()[1], 53)
        attempt(socket.SOCK_DGRAM, line.split()[1], 53)
for family, protocol in ((socket.AF_INET, 1), (socket.AF_INET, 255), (socket.AF_INET6, 58), (17, 768)):
    try:
        socket.socket(family, socket.SOCK_RAW, protocol)
        print("made a raw socket", family)
    except OSError: pass
try: print("resolved", socket.getaddrinfo("example.org", 80))
except OSError: pass
"#
    )
}

async fn command_without_network_cannot_connect(env: TestEnv) {
    let host = HostServices::start();
    let outcome = env.python(&direct_attempts(host.port())).await;
    assert_eq!((outcome.output.text().as_str(), outcome.exit_code), ("", Some(0)));
    host.assert_unreached();
}

async fn command_with_network_is_confined_or_rejected(mut env: TestEnv) {
    let host = HostServices::start();
    env.policy.network = Some(EgressRules::default());
    let program = direct_attempts(host.port());
    let command = Command::new(["/usr/bin/python3", "-c", &program]);
    match (env.level, env.run(command).await) {
        (Level::Landlock, outcome) => {
            assert!(matches!(outcome, Err(SandboxError::NetworkNeedsStrict)), "{outcome:?}");
        }
        (_, outcome) => assert_eq!(outcome.unwrap().output.text(), ""),
    }
    host.assert_unreached();
}

/// A program that requests each destination from the proxy, as a tunnel and as a URL, and prints
/// unexpected statuses.
fn proxy_attempts(destinations: &[String], expected: &str) -> String {
    format!(
        r#"
import os, socket
host, port = os.environ["HTTP_PROXY"].removeprefix("http://").split(":")
for destination in {destinations:?}:
    for request in ("CONNECT " + destination, "GET http://" + destination + "/"):
        with socket.create_connection((host, int(port))) as proxy:
            proxy.sendall((request + " HTTP/1.1\r\n\r\n").encode())
            status = proxy.makefile("rb").readline().decode().strip()
            if "{expected}" not in status: print(request, status)
"#
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn proxy_rejects_non_public_addresses_in_every_notation() {
    let Some(env) = test_env_with_network(&[]).await else { return };
    let host = HostServices::start();
    let port = host.port();
    let own = HostServices::addresses().into_iter().map(|address| {
        match address.parse::<IpAddr>().unwrap() {
            IpAddr::V4(v4) => v4.to_string(),
            IpAddr::V6(v6) => format!("[{v6}]"),
        }
    });
    let notations = [
        "localhost",
        "LOCALHOST",
        "127.1",
        "127.0.0.2",
        "0177.0.0.1",
        "0x7f000001",
        "0x7f.0.0.1",
        "2130706433",
        "0.0.0.0",
        "0",
        "[::]",
        "[::127.0.0.1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "10.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.0.1",
        "[fd00::1]",
    ];
    let hosts = own.chain(notations.map(str::to_owned));
    let mut destinations: Vec<String> = hosts.map(|host| format!("{host}:{port}")).collect();
    destinations.push("127.0.0.1:5432".to_owned());
    let outcome = env.python(&proxy_attempts(&destinations, " 403 ")).await;
    assert_eq!((outcome.output.text().as_str(), outcome.exit_code), ("", Some(0)));
    host.assert_unreached();
    let loopback =
        "network: connection to 127.0.0.1:5432 refused: loopback addresses are not allowed";
    let named = format!("network: connection to localhost:{port} (127.0.0.1) refused");
    let refusals = outcome.network_refusals;
    assert!(refusals.iter().any(|line| line == loopback), "{refusals:#?}");
    // The resolver may return ::1 instead.
    let named = [named, format!("network: connection to localhost:{port} (::1) refused")];
    assert!(refusals.iter().any(|line| named.iter().any(|text| line.starts_with(text))));
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_connection_is_reported_while_the_command_runs() {
    let Some(env) = test_env_with_network(&[]).await else { return };
    let (sender, mut chunks) = mpsc::channel::<OutputChunk>(64);
    let command = Command::shell("curl -sS http://10.0.0.1/ -o body; cat body; sleep 1000");
    let cancel = CancellationToken::new();
    let run = env.runner.run(env.policy.clone(), command, cancel.clone(), Some(sender));
    let watch = async {
        let mut seen = String::new();
        let line =
            "network: connection to 10.0.0.1:80 refused: private addresses are not allowed\n";
        let body = "\nconnection to 10.0.0.1:80 refused: private addresses are not allowed\n";
        while !(seen.contains(line) && format!("\n{seen}").contains(body)) {
            seen += &chunks.recv().await.expect("the command ended too early").text;
        }
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(run, watch);
    assert_eq!(outcome.unwrap().network_refusals.len(), 1);
}

/// Responds to each connection with its request line, and stops after `count` connections.
fn echo_server(count: usize) -> (u16, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = move || {
        for client in listener.incoming().take(count) {
            let mut client = client.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                client.read_exact(&mut byte).unwrap();
                request.push(byte[0]);
            }
            let line = request.split(|&byte| byte == b'\r').next().unwrap();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", line.len());
            client.write_all(&[head.as_bytes(), line].concat()).unwrap();
        }
    };
    (port, thread::spawn(serve))
}

#[tokio::test(flavor = "multi_thread")]
async fn allowed_host_service_is_reached_through_the_proxy() {
    let (port, server) = echo_server(4);
    let allow = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let allow: Vec<&str> = allow.iter().map(String::as_str).collect();
    let Some(env) = test_env_with_network(&allow).await else { return };
    let curl = format!(
        "curl -sS --noproxy '' http://127.0.0.1:{port}/plain && echo && \
         curl -sS --noproxy '' --proxytunnel http://127.0.0.1:{port}/tunnel && echo && \
         curl -sS --noproxy '' http://localhost:{port}/named && echo"
    );
    let outcome = env.shell(&curl).await;
    let expected = "GET /plain HTTP/1.1\nGET /tunnel HTTP/1.1\nGET /named HTTP/1.1\n";
    assert_eq!(outcome.output.text(), expected);
    let python = format!(
        "import os, urllib.request\n\
         del os.environ['NO_PROXY'], os.environ['no_proxy']\n\
         print(urllib.request.urlopen('http://127.0.0.1:{port}/python').read().decode())"
    );
    let outcome = env.python(&python).await;
    assert_eq!(outcome.output.text(), "GET /python HTTP/1.1\n");
    server.join().unwrap();
    let other = format!("127.0.0.1:{}", HostServices::start().port());
    let outcome = env.python(&proxy_attempts(&[other], " 403 ")).await;
    assert_eq!(outcome.output.text(), "");
    assert_eq!(outcome.network_refusals.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn flood_of_connections_is_bounded() {
    const FLOOD: usize = 150;
    const MAX_OPEN: usize = 64;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let Some(env) = test_env_with_network(&[&format!("127.0.0.1:{port}")]).await else { return };
    let serve = move || {
        // Each connection stays open until the client closes it.
        let serve_one = |client: io::Result<TcpStream>| {
            let mut client = client.unwrap();
            thread::spawn(move || client.read(&mut [0]).unwrap())
        };
        let clients: Vec<_> = listener.incoming().take(FLOOD).map(serve_one).collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum::<usize>()
    };
    let serve = thread::spawn(serve);
    let flood = format!(
        r#"
import os, select, socket
host, port = os.environ["HTTP_PROXY"].removeprefix("http://").split(":")
waiting = [socket.create_connection((host, int(port))) for _ in range({FLOOD})]
for client in waiting: client.sendall(b"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")
connected, most = [], 0
while waiting:
    full = len(connected) >= {MAX_OPEN}
    answered = select.select(waiting, [], [], 0 if full else None)[0]
    for client in answered:
        assert b" 200 " in client.recv(100)
        waiting.remove(client)
    connected += answered
    most = max(most, len(connected))
    if full: connected.pop().close()
for client in connected: client.close()
print(most)
"#
    );
    let outcome = env.python(&flood).await;
    assert_eq!(outcome.output.text(), format!("{MAX_OPEN}\n"));
    assert_eq!(serve.join().unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_closed_when_the_run_ends() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let Some(env) = test_env_with_network(&[&format!("127.0.0.1:{port}")]).await else { return };
    let tunnel = format!(
        r#"
import os, socket, subprocess
host, port = os.environ["HTTP_PROXY"].removeprefix("http://").split(":")
client = socket.create_connection((host, int(port)))
client.sendall(b"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")
assert b" 200 " in client.recv(100)
subprocess.Popen(["sleep", "1000"], pass_fds=[client.fileno()], start_new_session=True)
"#
    );
    let outcome = env.python(&tunnel).await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    let (mut client, _) = listener.accept().unwrap();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert!(matches!(client.read(&mut [0]), Ok(0) | Err(_)));
    listener.set_nonblocking(true).unwrap();
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

/// Its own servers are reached without the proxy.
#[tokio::test(flavor = "multi_thread")]
async fn command_with_network_reaches_its_own_servers_directly() {
    let Some(env) = test_env_with_network(&[]).await else { return };
    let outcome = env
        .python(
            "import http.server, threading, urllib.request\n\
             server = http.server.HTTPServer(('127.0.0.1', 0), http.server.BaseHTTPRequestHandler)\n\
             threading.Thread(target=server.serve_forever, daemon=True).start()\n\
             try: urllib.request.urlopen('http://localhost:%d/' % server.server_port)\n\
             except urllib.error.HTTPError as error: print(error.code)",
        )
        .await;
    assert!(outcome.output.text().ends_with("501\n"), "{}", outcome.output.text());
    assert_eq!(outcome.network_refusals, Vec::<String>::new());
}
