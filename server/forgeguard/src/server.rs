//! The service: `Server::start` opens everything, `Server::run` serves a listener.

mod connections;
mod models;
mod own_socket;
mod timed_body;
mod wiring;

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use tokio::{net::TcpListener, task::JoinHandle, time::sleep};

use crate::{
    api::{App, router},
    config::{Config, ConnectionLimits, NodeRole},
    engine::{
        backlog, branch_delivery, build_worker, fetching, gate_reruns, generation_worker,
        notifications, repacking,
    },
    telemetry::Listening,
};
use connections::Connections;
pub use models::{NoModel, models};
pub use own_socket::{OwnSocket, socket_path};
pub use wiring::{StartError, open_database, runner};

/// How long requests and builds in progress may take to finish when the service stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

pub struct Server {
    app: Arc<App>,
    role: NodeRole,
    connections: ConnectionLimits,
    setup_token: Option<String>,
}

impl Server {
    /// Opens the data directory and the database, and creates the first account if it is
    /// configured.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        let (app, setup_token) = wiring::wire(config).await?;
        Ok(Self { app, role: config.role, connections: config.connections, setup_token })
    }

    /// The state of the routes, for use within the process.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// What to announce about a listener.
    pub fn listening(&self, listener: &TcpListener) -> io::Result<Listening> {
        let address = match self.app.own_address.public_url() {
            Some(url) => url.to_owned(),
            None => format!("http://{}", reachable_address(listener.local_addr()?)),
        };
        let token = self.setup_token.as_ref();
        let setup_url = token.map(|token| format!("{address}/setup?token={token}"));
        let data_dir = self.app.engine.paths().root().display().to_string();
        Ok(Listening { role: self.role, address, setup_url, data_dir })
    }

    /// Serves requests and runs builds, depending on the node's role, until `shutdown` completes.
    /// Sockets are then closed with 1001, and builds are released at their current state.
    pub async fn run(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let stopping = self.app.stopping.clone();
        let stop = stopping.clone();
        tokio::spawn(async move {
            shutdown.await;
            stop.cancel();
        });
        let address = self.listening(&listener)?.address;
        let work = (self.role != NodeRole::Web).then(|| self.spawn_workers(&address));
        let repacking = self.spawn_repacking();
        let checks = self.spawn_access_checks();
        let notifications = self.spawn_notifications(address);
        let (app, limits) = (&self.app, self.connections.within_open_files());
        match self.role {
            NodeRole::Worker => answer(router::probes, app, limits, listener).await,
            NodeRole::All | NodeRole::Web => answer(router::router, app, limits, listener).await,
        }
        stopping.cancel();
        let part = async {
            self.app.sockets.close();
            self.app.sockets.wait().await;
            // The supervisor has logged the error.
            futures::future::join_all(work.into_iter().flatten().chain([
                checks,
                repacking,
                notifications,
            ]))
            .await;
        };
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, part).await.is_err() {
            tracing::warn!("some tasks did not finish before the service stopped");
        }
        self.app.db.close().await;
        Ok(())
    }
}

impl Server {
    fn spawn_access_checks(&self) -> JoinHandle<()> {
        let app = self.app.clone();
        self.app.journal.supervisor().spawn("access checks", move || {
            let app = app.clone();
            async move {
                let interval = app.stream.access_check_interval;
                app.access.clone().run(app.db.clone(), interval, app.stopping.clone()).await;
            }
        })
    }

    fn spawn_repacking(&self) -> JoinHandle<()> {
        let engine = self.app.engine.clone();
        self.app.journal.supervisor().spawn("repacking", move || repacking::run(engine.clone()))
    }

    /// `address` is that of links in notifications.
    fn spawn_notifications(&self, address: String) -> JoinHandle<()> {
        let engine = self.app.engine.clone();
        self.app
            .journal
            .supervisor()
            .spawn("notifications", move || notifications::run(engine.clone(), address.clone()))
    }

    /// `address` is that of links in pull requests.
    fn spawn_workers(&self, address: &str) -> [JoinHandle<()>; 6] {
        let supervisor = self.app.journal.supervisor();
        let (builds, generations, deliveries) =
            (self.app.engine.clone(), self.app.engine.clone(), self.app.engine.clone());
        let (fetches, reruns, backlogs) =
            (self.app.engine.clone(), self.app.engine.clone(), self.app.engine.clone());
        let address = address.to_owned();
        [
            supervisor.spawn("queue of builds", move || build_worker::run(builds.clone())),
            supervisor
                .spawn("queue of generations", move || generation_worker::run(generations.clone())),
            supervisor.spawn("queue of fetches", move || fetching::run(fetches.clone())),
            supervisor.spawn("queue of backlogs", move || backlog::run(backlogs.clone())),
            supervisor.spawn("queue of gate reruns", move || gate_reruns::run(reruns.clone())),
            supervisor.spawn("queue of deliveries", move || {
                branch_delivery::run(deliveries.clone(), address.clone())
            }),
        ]
    }
}

/// Starts a node and runs it until `shutdown` completes.
pub async fn serve(
    config: &Config,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), StartError> {
    let server = Server::start(config).await?;
    server.listening(&listener)?.announce(config.log.format)?;
    server.run(listener, shutdown).await?;
    Ok(())
}

/// An address at which this machine reaches the listener: 0.0.0.0 cannot be opened.
fn reachable_address(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

async fn answer(
    routes: fn(Arc<App>) -> Router,
    app: &Arc<App>,
    limits: ConnectionLimits,
    listener: TcpListener,
) {
    let connections = Connections {
        routes: routes(app.clone()),
        limits,
        trusted_proxies: app.trusted_proxies.clone(),
        stopping: app.stopping.clone(),
    };
    let late = async {
        app.stopping.cancelled().await;
        sleep(SHUTDOWN_TIMEOUT).await;
    };
    tokio::select! {
        () = connections.serve(listener) => {}
        () = late => {}
    }
}
