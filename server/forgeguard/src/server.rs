//! The whole service, put together from its settings: `Server::start`, then `run` on a listener.

mod models;
mod wiring;

use std::{io, sync::Arc, time::Duration};

use axum::{Router, serve::ListenerExt};
use tokio::{net::TcpListener, time::sleep};

use crate::{
    api::{App, router},
    config::{Config, NodeRole},
    engine::{queue, writers},
    telemetry::Listening,
};
pub use models::{NoModel, models};
pub use wiring::{StartError, open_database, runner};

/// What requests and builds that are under way get to finish when the service stops.
const PARTING: Duration = Duration::from_secs(10);

/// A node that is ready to run.
pub struct Server {
    app: Arc<App>,
    role: NodeRole,
    setup_token: Option<String>,
}

impl Server {
    /// Opens the data directory and the database, and makes the first account if the settings
    /// name one.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        let (app, setup_token) = wiring::wire(config).await?;
        Ok(Self { app, role: config.role, setup_token })
    }

    /// The state of the routes, for whoever looks from within the process.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// What to say about a listener.
    pub fn listening(&self, listener: &TcpListener) -> io::Result<Listening> {
        let address = match self.app.own_address.public_url() {
            Some(url) => url.to_owned(),
            None => format!("http://{}", listener.local_addr()?),
        };
        let token = self.setup_token.as_ref();
        let setup_url = token.map(|token| format!("{address}/setup?token={token}"));
        let data_dir = self.app.engine.paths().root().display().to_string();
        Ok(Listening { address, setup_url, data_dir })
    }

    /// Answers requests and runs builds, as its role says, until `shutdown` is over. Sockets are
    /// then closed with 1001, and builds let go of where they stand.
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
        let engine = self.app.engine.clone();
        let work = async move { tokio::join!(queue::run(engine.clone()), writers::run(engine)) };
        let work = (self.role != NodeRole::Web).then(|| tokio::spawn(work));
        let answered = match self.role {
            NodeRole::Worker => answer(router::probes, &self.app, listener).await,
            NodeRole::All | NodeRole::Web => answer(router::router, &self.app, listener).await,
        };
        stopping.cancel();
        let part = async {
            self.app.sockets.close();
            self.app.sockets.wait().await;
            if let Some(work) = work {
                // A panic there was logged there.
                let _ = work.await;
            }
        };
        if tokio::time::timeout(PARTING, part).await.is_err() {
            tracing::warn!("not everything had ended when the service stopped");
        }
        self.app.db.close().await;
        answered
    }
}

/// Starts a node and runs it until `shutdown` is over.
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

async fn answer(
    routes: fn(Arc<App>) -> Router,
    app: &Arc<App>,
    listener: TcpListener,
) -> io::Result<()> {
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
    });
    let routes = routes(app.clone()).into_make_service_with_connect_info::<std::net::SocketAddr>();
    let late = async {
        app.stopping.cancelled().await;
        sleep(PARTING).await;
    };
    let stopping = app.stopping.clone().cancelled_owned();
    let serving = axum::serve(listener, routes).with_graceful_shutdown(stopping);
    tokio::select! {
        served = serving => served,
        () = late => Ok(()),
    }
}
