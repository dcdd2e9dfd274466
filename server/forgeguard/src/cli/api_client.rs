//! The HTTP API as commands use it: of a server, or of a data directory on this machine.

use std::{io, sync::Arc, time::Duration};

use domain::{event::Event, ids::BuildId};
use futures::TryStreamExt;
use reqwest::{Client, ClientBuilder, RequestBuilder, Response, header::ACCEPT, redirect::Policy};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, Lines},
    net::UnixStream,
};
use tokio_util::io::StreamReader;

use super::{
    command_line_user::command_line_user,
    failure::Failure,
    stored_keys::{self, StoredKeys},
};
use crate::{
    api::App,
    config::{self, Config, NodeRole},
    secret::Secret,
    server::{OwnSocket, Server, socket_path},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longer than a server is silent: streams have pings, and calls over MCP end earlier.
const READ_TIMEOUT: Duration = Duration::from_secs(120);

/// A client with the settings that all commands share.
pub fn http_client() -> Result<ClientBuilder, Failure> {
    let tls = llm::tls_config().map_err(|error| Failure::new(error.to_string()))?;
    Ok(Client::builder()
        .user_agent(concat!("forgeguard/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(READ_TIMEOUT)
        .tls_backend_preconfigured(tls))
}

/// The forge key for a server: that of the environment, or the one that `forgeguard login` stored.
pub fn key(server: &str) -> Result<Secret<String>, Failure> {
    if let Some(key) = config::forge_key() {
        return Ok(key);
    }
    let address = stored_keys::address(server)?;
    let stored = StoredKeys::read()?.get(&address).map(|stored| stored.key.clone());
    stored.ok_or_else(|| {
        Failure::new(format!(
            "sign in with `forgeguard login --server {server}`, or set FORGEGUARD_KEY to a forge key"
        ))
    })
}

pub fn unreachable_server(base: &str, error: reqwest::Error) -> Failure {
    Failure::with_cause(format!("{base} cannot be reached"), &error.without_url())
}

/// The response if it is a success; otherwise the problem that it describes.
pub async fn answered(response: Response) -> Result<Response, Failure> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let server = response.url().origin().ascii_serialization();
    let body = response.text().await.unwrap_or_default();
    let problem: Value = serde_json::from_str(&body).unwrap_or_default();
    Err(Failure::new(match problem["detail"].as_str() {
        Some(detail) => detail.to_owned(),
        None => format!("{server} answered {status}"),
    }))
}

pub struct Api {
    client: Client,
    base: String,
    place: Place,
}

enum Place {
    Server {
        key: Secret<String>,
    },
    /// Another process serves it.
    ServedDirectory {
        config: Box<Config>,
    },
    OpenedDirectory {
        app: Arc<App>,
        socket: OwnSocket,
    },
}

impl Api {
    /// With a server, its API; otherwise that of the data directory. The process that uses the
    /// directory answers, such as `forgeguard build`; if there is none, or no longer one, this one
    /// opens it.
    pub async fn open(config: &Config, server: Option<&str>) -> Result<Self, Failure> {
        if let Some(server) = server {
            let base = server.trim_end_matches('/').to_owned();
            let client = http_client()?.build()?;
            return Ok(Self { client, base, place: Place::Server { key: key(server)? } });
        }
        let socket = socket_path(&config.data_dir);
        let place = match UnixStream::connect(&socket).await {
            Ok(_) => Place::ServedDirectory { config: Box::new(config.clone()) },
            Err(_) => open_data_directory(config).await?,
        };
        let client = http_client()?.unix_socket(socket).build()?;
        Ok(Self { client, base: "http://localhost".to_owned(), place })
    }

    /// Whether another process serves it, which may also run builds.
    pub fn is_served(&self) -> bool {
        !matches!(self.place, Place::OpenedDirectory { .. })
    }

    /// Closes what it has opened.
    pub async fn close(self) {
        if let Place::OpenedDirectory { app, socket } = self.place {
            app.stopping.cancel();
            // Otherwise its connections would stay open.
            drop(self.client);
            socket.closed().await;
            app.db.close().await;
        }
    }

    pub async fn get<T: DeserializeOwned>(&mut self, path: &str) -> Result<T, Failure> {
        let request = self.client.get(self.url(path));
        Ok(self.send(request).await?.json().await?)
    }

    pub async fn get_text(&mut self, path: &str, media_type: &str) -> Result<String, Failure> {
        let request = self.client.get(self.url(path)).header(ACCEPT, media_type);
        Ok(self.send(request).await?.text().await?)
    }

    pub async fn post(&mut self, path: &str, body: &impl Serialize) -> Result<Value, Failure> {
        let request = self.client.post(self.url(path)).json(body);
        Ok(self.send(request).await?.json().await?)
    }

    /// Events after a seq, until the build has ended.
    pub async fn events(&mut self, build: BuildId, after: u64) -> Result<EventLines, Failure> {
        let url = self.url(&format!("/api/builds/{build}/events?after={after}"));
        let request = self.client.get(url).header(ACCEPT, "application/x-ndjson");
        let bytes = self.send(request).await?.bytes_stream().map_err(io::Error::other);
        let reader: Reader = StreamReader::new(Box::pin(bytes));
        Ok(EventLines(reader.lines()))
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    async fn send(&mut self, request: RequestBuilder) -> Result<Response, Failure> {
        let request = match &self.place {
            Place::Server { key } => request.bearer_auth(key.expose()),
            Place::ServedDirectory { .. } | Place::OpenedDirectory { .. } => request,
        };
        let again = request.try_clone();
        let mut sent = request.send().await;
        if sent.as_ref().is_err_and(reqwest::Error::is_connect)
            && let (Place::ServedDirectory { config }, Some(again)) = (&self.place, again)
        {
            // The process that served the directory has ended, such as a build.
            self.place = open_data_directory(config).await?;
            sent = again.send().await;
        }
        answered(sent.map_err(|error| unreachable_server(&self.base, error))?).await
    }
}

async fn open_data_directory(config: &Config) -> Result<Place, Failure> {
    if !config.data_dir.is_dir() {
        return Err(Failure::new(format!(
            "there is no data directory {}; name one with --data-dir, or a server with --server",
            config.data_dir.display()
        )));
    }
    let config = Config { role: NodeRole::Web, first_admin: None, ..config.clone() };
    let server = Server::start(&config).await?;
    let app = server.app().clone();
    let user = command_line_user(&app).await?;
    let socket = OwnSocket::open(&app, user)?;
    Ok(Place::OpenedDirectory { app, socket })
}

type Reader = StreamReader<
    std::pin::Pin<Box<dyn futures::Stream<Item = io::Result<bytes::Bytes>> + Send>>,
    bytes::Bytes,
>;

/// Events as they arrive.
pub struct EventLines(Lines<Reader>);

impl EventLines {
    /// The next event, as it was sent and as it was read; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<(String, Event)>, Failure> {
        while let Some(line) = self.0.next_line().await? {
            // An empty line shows that the server is alive.
            if !line.is_empty() {
                let event = serde_json::from_str(&line)?;
                return Ok(Some((line, event)));
            }
        }
        Ok(None)
    }
}
