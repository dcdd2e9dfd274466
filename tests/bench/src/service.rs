//! The real server in this process, on a free port and an empty data directory, running no builds.

use domain::ids::UserId;
use forgeguard::{
    Server,
    config::{Config, FirstAdmin, LogFormat, NodeRole},
    journal::Journal,
    secret::Secret,
};
use tempfile::TempDir;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::{Result, account::Account};

/// A running server, and a signed-in user.
pub struct Service {
    account: Account,
    journal: Journal,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
    _data: TempDir,
}

impl Service {
    /// Starts the server and signs in; on SQLite where no database is given.
    pub async fn start(database_url: Option<&str>) -> Result<Self> {
        let data = tempfile::tempdir()?;
        let mut config = Config::in_directory(data.path().to_owned());
        config.database_url = database_url.map(|url| Secret::new(url.to_owned()));
        config.role = NodeRole::Web;
        config.log.format = LogFormat::Json;
        config.connections.max_per_address = config.connections.max;
        config.first_admin = Some(FirstAdmin {
            email: Account::EMAIL.to_owned(),
            password: Secret::new(Account::PASSWORD.to_owned()),
        });
        let server = Server::start(&config).await?;
        let journal = server.app().journal.clone();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(server.run(listener, async move { drop(stopped.await) }));
        let account = Account::sign_in(&address).await?;
        Ok(Self { account, journal, stop, serving, _data: data })
    }

    /// Who is signed in.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        &self.account.address
    }

    /// A bearer token.
    pub fn token(&self) -> &str {
        &self.account.token
    }

    /// The id of who is signed in.
    pub fn owner(&self) -> UserId {
        self.account.user
    }

    /// Its journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Stops it.
    pub async fn stop(self) -> Result<()> {
        // Fails if it has already stopped, which is reported below.
        let _ = self.stop.send(());
        Ok(self.serving.await??)
    }
}
