//! One socket, from its first frame to its close.

use std::{sync::Arc, time::Duration};

use axum::extract::ws::{Message, WebSocket};
use bytes::Bytes;
use chrono::Utc;
use domain::ids::BuildId;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::{
    feeds::Feeds,
    frame::{Close, Reply, Request},
    outgoing::{self, Unsent},
};
use crate::{
    api::{
        app::App,
        identity::{Identity, Proof, by_secret},
        owned::{Access, ProjectBuild, look_up},
    },
    store,
};

/// What a client gets to answer when the service stops.
const PARTING: Duration = Duration::from_secs(1);
/// As good as for ever: what has no end is confirmed with every ping.
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// Who opened the socket.
pub enum Greeting {
    /// Somebody we know.
    Known(Identity),
    /// Somebody who has yet to say.
    Stranger,
    /// Somebody with credentials that do not count.
    Refused,
}

/// How the conversation ends.
enum End {
    /// With this code.
    Close(Close),
    /// The client has left.
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

/// Holds the conversation until either side ends it.
pub async fn hold(app: Arc<App>, mut socket: WebSocket, greeting: Greeting) {
    let end = match greeting {
        Greeting::Known(identity) => talk(&app, &mut socket, Some(identity)).await,
        Greeting::Stranger => talk(&app, &mut socket, None).await,
        Greeting::Refused => Err(End::Close(Close::NotSignedIn)),
    };
    if let Err(End::Close(close)) = end {
        let patience = match close {
            Close::Stopping => PARTING,
            _ => app.stream.write_grace,
        };
        outgoing::close(&mut socket, patience, close).await;
    }
}

async fn talk(
    app: &Arc<App>,
    socket: &mut WebSocket,
    identity: Option<Identity>,
) -> Result<(), End> {
    let mut caller = Caller::new(app, identity);
    let mut feeds = Feeds::default();
    let grace = app.stream.write_grace;
    let every = app.stream.ping_every;
    let mut pings = interval_at(Instant::now() + every, every);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            received = socket.recv() => {
                let Some(Ok(message)) = received else { return Ok(()) };
                // Rare and large: an idle socket does not carry the room for it.
                Box::pin(answer(app, socket, &mut caller, &mut feeds, message)).await?;
            }
            frames = feeds.next() => outgoing::send(socket, grace, frames?).await?,
            _ = pings.tick() => {
                Box::pin(caller.confirm(app)).await?;
                let ping = Message::Ping(Bytes::new());
                outgoing::send(socket, grace, [Reply::Ping.message(), ping]).await?;
            }
            () = tokio::time::sleep_until(caller.until) => {
                return Err(End::Close(Close::NotSignedIn));
            }
            () = app.stopping.cancelled() => return Err(End::Close(Close::Stopping)),
        }
    }
}

/// Does what a message of the client asks for.
async fn answer(
    app: &Arc<App>,
    socket: &mut WebSocket,
    caller: &mut Caller,
    feeds: &mut Feeds,
    message: Message,
) -> Result<(), End> {
    let text = match &message {
        Message::Text(text) => text.as_str(),
        Message::Binary(_) => return refuse(app, socket, Close::NotUnderstood, None).await,
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => return Ok(()),
    };
    match serde_json::from_str(text) {
        Ok(Request::Auth { token }) => match by_secret(app, &token).await {
            Ok(identity) => *caller = Caller::new(app, Some(identity)),
            Err(_) => return refuse(app, socket, Close::NotSignedIn, None).await,
        },
        Ok(Request::Subscribe { build_id, after }) => {
            subscribe(app, socket, caller, feeds, build_id, after).await?;
        }
        Ok(Request::Unsubscribe { build_id }) => feeds.leave(build_id),
        Ok(Request::Pong) => {}
        Err(_) => return refuse(app, socket, Close::NotUnderstood, None).await,
    }
    Ok(())
}

async fn subscribe(
    app: &Arc<App>,
    socket: &mut WebSocket,
    caller: &Caller,
    feeds: &mut Feeds,
    build_id: BuildId,
    after: u64,
) -> Result<(), End> {
    let Some(identity) = &caller.identity else {
        return refuse(app, socket, Close::NotSignedIn, Some(build_id)).await;
    };
    if feeds.is_full() {
        return refuse(app, socket, Close::NotUnderstood, Some(build_id)).await;
    }
    // Before the look at the journal's head, so that nothing falls in between.
    let subscription = app.journal.feed().subscribe(build_id, after);
    let mut conn = app.db.read().await?;
    let found = look_up::<ProjectBuild>(&mut conn, identity.user.id, build_id).await?;
    drop(conn);
    let head = match found {
        Access::Granted(found, _) => found.build.head_seq,
        Access::NotYours => return refuse(app, socket, Close::NotYours, Some(build_id)).await,
        Access::Missing => return refuse(app, socket, Close::NoSuchBuild, Some(build_id)).await,
    };
    let subscribed = Reply::Subscribed { build_id, head };
    outgoing::reply(socket, app.stream.write_grace, &subscribed).await?;
    feeds.follow(build_id, subscription);
    Ok(())
}

/// Says why, then ends the conversation.
async fn refuse(
    app: &App,
    socket: &mut WebSocket,
    close: Close,
    build_id: Option<BuildId>,
) -> Result<(), End> {
    outgoing::reply(socket, app.stream.write_grace, &close.error(build_id)).await?;
    Err(End::Close(close))
}

/// Who is at the other end, and until when that is believed.
struct Caller {
    identity: Option<Identity>,
    until: Instant,
}

impl Caller {
    fn new(app: &App, identity: Option<Identity>) -> Self {
        let left = match identity.as_ref().map(|identity| &identity.proof) {
            None => app.stream.sign_in_grace,
            Some(Proof::Session { until, .. }) => {
                (*until - Utc::now()).to_std().unwrap_or_default()
            }
            Some(Proof::ForgeKey { .. }) => YEAR,
        };
        Self { identity, until: Instant::now() + left }
    }

    /// Looks whether the session or the key still counts.
    async fn confirm(&self, app: &App) -> Result<(), End> {
        let Some(identity) = &self.identity else { return Ok(()) };
        match identity.still_holds(app).await? {
            true => Ok(()),
            false => Err(End::Close(Close::NotSignedIn)),
        }
    }
}
