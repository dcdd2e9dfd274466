//! A TCP proxy between the server and PostgreSQL, whose connections can be cut.

use std::net::Ipv4Addr;

use reqwest::Url;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// How the proxy treats connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Forwards them.
    Open,
    /// Closes open ones, and refuses new ones.
    Refused,
    /// Stops forwarding without closing; new ones are accepted without a response.
    Silent,
}

pub struct PostgresProxy {
    url: String,
    way: watch::Sender<Way>,
    running: JoinHandle<()>,
}

impl PostgresProxy {
    /// Starts in front of the server at this address.
    pub async fn start(url: &str) -> Self {
        let mut url = Url::parse(url).expect("an address");
        let server = (url.host_str().unwrap_or("127.0.0.1").to_owned(), url.port().unwrap_or(5432));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        url.set_host(Some("127.0.0.1")).expect("a host");
        url.set_port(Some(port)).expect("a port");
        let (way, changes) = watch::channel(Way::Open);
        let running = tokio::spawn(accept(listener, port, server, changes));
        Self { url: url.to_string(), way, running }
    }

    /// The address of the proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sets how connections are treated. Open ones survive only a silence that ends before the
    /// server's timeout.
    pub fn set(&self, way: Way) {
        self.way.send_replace(way);
    }

    /// Cuts all open connections; new ones are forwarded.
    pub async fn cut(&self) {
        self.set(Way::Refused);
        tokio::task::yield_now().await;
        self.set(Way::Open);
    }
}

impl Drop for PostgresProxy {
    fn drop(&mut self) {
        self.running.abort();
    }
}

async fn accept(
    listener: TcpListener,
    port: u16,
    server: (String, u16),
    mut way: watch::Receiver<Way>,
) {
    let mut listener = Some(listener);
    loop {
        let current = *way.borrow_and_update();
        match (current, &listener) {
            (Way::Refused, Some(_)) => listener = None,
            (Way::Open | Way::Silent, None) => {
                let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
                listener = Some(bound.expect("the port is still ours"));
            }
            _ => {}
        }
        let Some(listener) = &listener else {
            if way.changed().await.is_err() {
                return;
            }
            continue;
        };
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((client, _)) = accepted {
                    tokio::spawn(forward(client, server.clone(), way.clone()));
                }
            }
            changed = way.changed() => if changed.is_err() { return },
        }
    }
}

/// Forwards one connection until the mode changes; a silent one is then kept until it changes
/// again.
async fn forward(mut client: TcpStream, server: (String, u16), mut way: watch::Receiver<Way>) {
    let current = *way.borrow_and_update();
    if current == Way::Open {
        let Ok(mut server) = TcpStream::connect(server).await else { return };
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => return,
            _ = way.changed() => {}
        }
        if *way.borrow_and_update() == Way::Silent {
            let _ = way.changed().await;
        }
    } else if current == Way::Silent {
        let _ = way.changed().await;
    }
}
