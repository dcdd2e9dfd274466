//! Reaching the host and the world beyond it.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use sandbox::Level;

use crate::support::{Site, at_each_level};

at_each_level!(
    no_network_means_none,
    network_on_request,
    local_sockets_of_the_host_are_out_of_reach,
    unusual_sockets_are_refused,
    pairs_of_sockets_work,
);

const TRY_TO_CONNECT: &str = r#"
import socket, sys
reached = []
for family, kind, address in [
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT)),
    (socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80)),
    (socket.AF_INET, socket.SOCK_STREAM, ("1.1.1.1", 53)),
    (socket.AF_INET, socket.SOCK_DGRAM, ("1.1.1.1", 53)),
    (socket.AF_INET6, socket.SOCK_STREAM, ("2606:4700::1111", 53)),
]:
    try:
        with socket.socket(family, kind) as client:
            client.settimeout(2)
            client.connect(address)
            client.send(b"x")
            reached.append(address)
    except OSError: pass
print("reached", reached)
"#;

async fn no_network_means_none(site: Site) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let outcome = site.python(&TRY_TO_CONNECT.replace("PORT", &port)).await;
    assert_eq!(outcome.output.text(), "reached []\n");
    let unreached = listener.accept().unwrap_err();
    assert_eq!(unreached.kind(), std::io::ErrorKind::WouldBlock);
}

async fn network_on_request(mut site: Site) {
    site.policy.network = true;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let outcome = site
        .python(&format!(
            "import socket\nsocket.create_connection(('127.0.0.1', {port}), 5).send(b'x')"
        ))
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_ok());
}

async fn local_sockets_of_the_host_are_out_of_reach(mut site: Site) {
    let name = format!("sandbox-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let abstract_one = UnixListener::bind_addr(&address).unwrap();
    let path = site.top.path().join("data/socket");
    let named_one = UnixListener::bind(&path).unwrap();
    let program = format!(
        r#"
import socket
for address in ("\0{name}", "{path}"):
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(address)
            print("reached", address)
    except OSError: pass
"#,
        path = path.display()
    );
    for network in [false, true] {
        site.policy.network = network;
        let outcome = site.python(&program).await;
        // Shared with the host when the network is, so this wall is Landlock's alone.
        let unscoped = network && outcome.landlock_abi.is_none_or(|version| version < 6);
        if !(site.level == Level::Strict && unscoped) {
            assert_eq!(outcome.output.text(), "", "network: {network}");
        }
    }
    for listener in [abstract_one, named_one] {
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err());
    }
}

async fn unusual_sockets_are_refused(mut site: Site) {
    site.policy.network = true;
    let outcome = site
        .python(
            r#"
import socket
for family, kind, protocol in [(17, 3, 0), (40, 1, 0), (38, 5, 0), (16, 3, 16), (2, 3, 1), (31, 3, 1)]:
    try:
        socket.socket(family, kind, protocol)
        print("made", family)
    except OSError: pass
"#,
        )
        .await;
    assert_eq!(outcome.output.text(), "");
}

async fn pairs_of_sockets_work(site: Site) {
    let outcome = site
        .python(
            "import socket\na, b = socket.socketpair()\na.send(b'x')\nprint(b.recv(1).decode())",
        )
        .await;
    assert_eq!(outcome.output.text(), "x\n");
}

/// Only with a network of its own can a command be a server for itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_can_serve_itself_at_the_strict_level() {
    let Some(site) = Site::at(Level::Strict).await else { return };
    let outcome = site
        .python(
            "import socket\n\
             server = socket.create_server(('127.0.0.1', 0))\n\
             client = socket.create_connection(server.getsockname())\n\
             client.send(b'x')\n\
             print(server.accept()[0].recv(1).decode())",
        )
        .await;
    assert_eq!(outcome.output.text(), "x\n");
}
