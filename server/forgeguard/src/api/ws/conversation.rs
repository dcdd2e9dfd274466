//! One socket, from its first frame to its close.

use std::{collections::HashMap, future::pending, sync::Arc, time::Duration};

use axum::extract::ws::{Message, WebSocket};
use bytes::Bytes;
use chrono::Utc;
use domain::ids::{BuildId, ProjectId};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::{
    feeds::Feeds,
    frame::{Close, Reply, Request},
    outgoing::{self, Unsent},
};
use crate::{
    api::{
        access::{AccessLoss, AccessWatch},
        app::App,
        identity::{Identity, Proof, by_secret},
        owned::{Access, BuildRef, ProjectBuild, look_up},
    },
    store,
};

/// How long a client has to respond to a close frame, unless it is closed for being too slow.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Effectively unlimited: [`AccessWatch`] reports when a key ends.
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// The credentials of the upgrade request.
pub enum Credentials {
    Valid(Identity),
    /// The client has to sign in.
    None,
    Invalid,
}

/// Why the socket ends.
enum End {
    Close(Close),
    /// The client disconnected.
    Left,
}

impl From<Unsent> for End {
    fn from(unsent: Unsent) -> Self {
        match unsent {
            Unsent::Gone => Self::Left,
            Unsent::TooSlow => Self::Close(Close::TooSlow),
        }
    }
}

impl From<store::Error> for End {
    fn from(error: store::Error) -> Self {
        tracing::error!(%error, "a socket failed");
        Self::Close(Close::Failed)
    }
}

/// Serves the socket until it ends.
pub async fn serve(app: Arc<App>, mut socket: WebSocket, credentials: Credentials) {
    let end = match credentials {
        Credentials::Valid(identity) => run(&app, &mut socket, Some(identity)).await,
        Credentials::None => run(&app, &mut socket, None).await,
        Credentials::Invalid => Err(End::Close(Close::NotSignedIn)),
    };
    if let Err(End::Close(close)) = end {
        let timeout = match close {
            Close::TooSlow | Close::InvalidMessage | Close::Failed => app.stream.write_timeout,
            _ => CLOSE_TIMEOUT,
        };
        outgoing::close(&mut socket, timeout, close).await;
    }
}

async fn run(
    app: &Arc<App>,
    socket: &mut WebSocket,
    identity: Option<Identity>,
) -> Result<(), End> {
    let mut caller = Caller::new(app, identity);
    let mut feeds = Feeds::default();
    let grace = app.stream.write_timeout;
    let every = app.stream.ping_interval;
    let mut pings = interval_at(Instant::now() + every, every);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut responsive_until = Instant::now() + app.stream.pong_timeout;
    loop {
        let until = caller.until;
        tokio::select! {
            // Nothing more is sent once access has ended.
            biased;
            () = app.stopping.cancelled() => return Err(End::Close(Close::Stopping)),
            loss = caller.lost() => return lost(app, socket, &caller, loss).await,
            () = tokio::time::sleep_until(until) => {
                return Err(End::Close(Close::NotSignedIn));
            }
            received = socket.recv() => {
                responsive_until = Instant::now() + app.stream.pong_timeout;
                let message = match received {
                    Some(Ok(message)) => message,
                    Some(Err(error)) => {
                        return Err(Close::of_error(error).map_or(End::Left, End::Close));
                    }
                    None => return Ok(()),
                };
                // Rare and large, so boxed: an idle socket does not need the space.
                Box::pin(answer(app, socket, &mut caller, &mut feeds, message)).await?;
            }
            () = tokio::time::sleep_until(responsive_until) => {
                return Err(End::Close(Close::Unresponsive));
            }
            _ = pings.tick() => {
                let ping = Message::Ping(Bytes::new());
                outgoing::send(socket, grace, [Reply::Ping.message(), ping]).await?;
            }
            frames = feeds.next() => {
                let frames = frames?;
                // A slow reader must not keep open a stream that has to end.
                tokio::select! {
                    sent = outgoing::send(socket, grace, frames) => sent?,
                    loss = caller.lost() => return lost(app, socket, &caller, loss).await,
                }
            }
        }
    }
}

/// Closes the socket with the code of the access loss.
async fn lost(
    app: &App,
    socket: &mut WebSocket,
    caller: &Caller,
    loss: AccessLoss,
) -> Result<(), End> {
    let (close, project) = match loss {
        AccessLoss::SignedOut => (Close::NotSignedIn, None),
        AccessLoss::Forbidden(project) => (Close::Forbidden, Some(project)),
        AccessLoss::Deleted(project) => (Close::UnknownBuild, Some(project)),
    };
    let build_id = project.and_then(|project| caller.followed_build_of(project));
    // The close frame has the same code, in case the client does not read this message in time.
    let rejection = reject(app, socket, close, build_id);
    match timeout(CLOSE_TIMEOUT, rejection).await {
        Ok(Err(End::Left)) => Err(End::Left),
        _ => Err(End::Close(close)),
    }
}

/// Handles a message of the client.
async fn answer(
    app: &Arc<App>,
    socket: &mut WebSocket,
    caller: &mut Caller,
    feeds: &mut Feeds,
    message: Message,
) -> Result<(), End> {
    let text = match &message {
        Message::Text(text) => text.as_str(),
        Message::Binary(_) => return reject(app, socket, Close::InvalidMessage, None).await,
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => return Ok(()),
    };
    match serde_json::from_str(text) {
        Ok(Request::Auth { token }) => match by_secret(app, &token).await {
            Ok(identity) => caller.sign_in(app, identity),
            Err(_) => return reject(app, socket, Close::NotSignedIn, None).await,
        },
        Ok(Request::Subscribe { build_id, after }) => {
            subscribe(app, socket, caller, feeds, build_id, after).await?;
        }
        Ok(Request::Unsubscribe { build_id }) => {
            feeds.leave(build_id);
            caller.unfollow(build_id);
        }
        Ok(Request::Pong) => {}
        Err(_) => return reject(app, socket, Close::InvalidMessage, None).await,
    }
    Ok(())
}

async fn subscribe(
    app: &Arc<App>,
    socket: &mut WebSocket,
    caller: &mut Caller,
    feeds: &mut Feeds,
    build_id: BuildId,
    after: u64,
) -> Result<(), End> {
    let Some(identity) = &caller.identity else {
        return reject(app, socket, Close::NotSignedIn, Some(build_id)).await;
    };
    if feeds.is_full() {
        return reject(app, socket, Close::InvalidMessage, Some(build_id)).await;
    }
    // Subscribe before reading the journal's head, so that no event is missed.
    let subscription = app.journal.feed().subscribe(build_id, after);
    let mut conn = app.db.read().await?;
    let found = look_up::<ProjectBuild>(&mut conn, identity, BuildRef::Id(build_id)).await?;
    drop(conn);
    let (project, head) = match found {
        Access::Granted(found, _) => (found.project.id, found.build.head_seq),
        Access::Forbidden => return reject(app, socket, Close::Forbidden, Some(build_id)).await,
        Access::Missing => return reject(app, socket, Close::UnknownBuild, Some(build_id)).await,
    };
    let subscribed = Reply::Subscribed { build_id, head };
    outgoing::reply(socket, app.stream.write_timeout, &subscribed).await?;
    feeds.follow(build_id, subscription);
    caller.follow(build_id, project);
    Ok(())
}

/// Sends an error, then closes the socket.
async fn reject(
    app: &App,
    socket: &mut WebSocket,
    close: Close,
    build_id: Option<BuildId>,
) -> Result<(), End> {
    outgoing::reply(socket, app.stream.write_timeout, &close.error(build_id)).await?;
    Err(End::Close(close))
}

/// The signed-in user, and until when the credential is valid.
struct Caller {
    identity: Option<Identity>,
    until: Instant,
    watch: Option<AccessWatch>,
    /// The followed builds and their projects.
    followed: HashMap<BuildId, ProjectId>,
}

impl Caller {
    fn new(app: &App, identity: Option<Identity>) -> Self {
        let until = Instant::now() + app.stream.sign_in_timeout;
        let mut caller = Self { identity: None, until, watch: None, followed: HashMap::new() };
        if let Some(identity) = identity {
            caller.sign_in(app, identity);
        }
        caller
    }

    fn sign_in(&mut self, app: &App, identity: Identity) {
        let left = match &identity.proof {
            Proof::Session { until, .. } => (*until - Utc::now()).to_std().unwrap_or_default(),
            Proof::ForgeKey { .. } | Proof::DataDirectory => YEAR,
        };
        self.until = Instant::now() + left;
        self.watch = Some(identity.watch(app));
        self.identity = Some(identity);
        self.watch_followed();
        // Another user may not have access to the builds that the socket follows.
        app.access.check_soon();
    }

    fn follow(&mut self, build: BuildId, project: ProjectId) {
        self.followed.insert(build, project);
        self.watch_followed();
    }

    fn unfollow(&mut self, build: BuildId) {
        self.followed.remove(&build);
        self.watch_followed();
    }

    fn watch_followed(&self) {
        if let Some(watch) = &self.watch {
            watch.set_projects(self.followed.values().copied());
        }
    }

    fn followed_build_of(&self, project: ProjectId) -> Option<BuildId> {
        let mut followed = self.followed.iter();
        followed.find(|(_, of)| **of == project).map(|(build, _)| *build)
    }

    /// Waits until access ends; pending until the first sign-in.
    async fn lost(&mut self) -> AccessLoss {
        match &mut self.watch {
            Some(watch) => watch.lost().await,
            None => pending().await,
        }
    }
}
