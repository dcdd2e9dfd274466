//! Which sockets can be created, and that those of the host cannot be reached.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use sandbox::{EgressRules, Level};

use crate::support::{TestEnv, at_each_level};

at_each_level!(
    host_unix_sockets_cannot_be_connected_to,
    unusual_socket_families_are_rejected,
    socket_pairs_work,
);

async fn host_unix_sockets_cannot_be_connected_to(mut env: TestEnv) {
    let name = format!("sandbox-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let abstract_listener = UnixListener::bind_addr(&address).unwrap();
    let path = env.top.path().join("data/socket");
    let file_listener = UnixListener::bind(&path).unwrap();
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
    for network in networks(env.level) {
        env.policy.network = network;
        let outcome = env.python(&program).await;
        assert_eq!((outcome.output.text().as_str(), outcome.exit_code), ("", Some(0)));
    }
    for listener in [abstract_listener, file_listener] {
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err());
    }
}

async fn unusual_socket_families_are_rejected(mut env: TestEnv) {
    for network in networks(env.level) {
        env.policy.network = network;
        let outcome = env.python(MAKE_UNUSUAL_SOCKETS).await;
        assert_eq!((outcome.output.text().as_str(), outcome.exit_code), ("", Some(0)));
    }
}

const MAKE_UNUSUAL_SOCKETS: &str = r#"
import socket
for family, kind, protocol in [(17, 3, 0), (40, 1, 0), (38, 5, 0), (16, 3, 16), (2, 3, 1), (31, 3, 1)]:
    try:
        socket.socket(family, kind, protocol)
        print("made", family)
    except OSError: pass
"#;

/// Without network access, and with it at the level that supports it.
pub fn networks(level: Level) -> Vec<Option<EgressRules>> {
    match level {
        Level::Strict => vec![None, Some(EgressRules::default())],
        Level::Landlock | Level::None => vec![None],
    }
}

async fn socket_pairs_work(env: TestEnv) {
    let outcome = env
        .python(
            "import socket\na, b = socket.socketpair()\na.send(b'x')\nprint(b.recv(1).decode())",
        )
        .await;
    assert_eq!(outcome.output.text(), "x\n");
}

/// Only a private network namespace permits loopback connections.
#[tokio::test(flavor = "multi_thread")]
async fn command_can_connect_to_itself_at_the_strict_level() {
    let Some(env) = TestEnv::at(Level::Strict).await else { return };
    let outcome = env
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
