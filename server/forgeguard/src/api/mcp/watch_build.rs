//! `forge_watch_build`: the events of a build since a sequence number, waiting for one if there is none.

use std::time::Duration;

use domain::{ids::BuildId, key_scope::KeyScope};
use rmcp::model::ProgressNotificationParam;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep_until};

use super::{
    call::{Call, Intent, Rejection},
    client_tool::{About, ClientEffect, ClientReply, ClientTool, Properties, Replying},
};
use crate::{
    store::{builds, events},
    tools::input,
};

/// Clients end calls that take a minute.
const MAX_WAIT_S: u64 = 50;
/// How often a waiting call reports progress, which also keeps its connection open.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);
const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;
/// Of one event; a longer one is left out. In bytes.
const MAX_PAYLOAD: usize = 4 * 1024;
/// Of one reply, in bytes.
const MAX_REPLY: usize = 64 * 1024;

pub struct WatchBuild;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// `next_seq` of the previous call; default 0: from the start.
    #[serde(default)]
    after_seq: u64,
    /// Seconds to wait for an event if there is none yet, at most 50; default 0.
    #[serde(default)]
    wait_s: u64,
    /// Events to return, at most 200; default 50.
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct Events {
    status: &'static str,
    /// Oldest first.
    events: Vec<WatchedEvent>,
    /// The value of `after_seq` for the next call.
    next_seq: u64,
    /// Whether there are more events already.
    has_more: bool,
    /// The build has ended, and these were its last events.
    is_finished: bool,
}

#[derive(Serialize, JsonSchema)]
struct WatchedEvent {
    seq: u64,
    at: String,
    #[serde(rename = "type")]
    kind: String,
    /// Absent if it is long; the REST API returns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Map<String, Value>>,
}

impl ClientTool for WatchBuild {
    fn properties(&self) -> Properties {
        Properties {
            name: "forge_watch_build",
            title: "Watch a build",
            description: "Returns the events of a build since a sequence number. With wait_s it waits \
                until there is one. Call it again with next_seq to follow the build.",
            scope: KeyScope::Read,
            effect: ClientEffect::Read,
            about: About::Build,
        }
    }

    fn input(&self) -> Value {
        input::schema::<Params>()
    }

    fn output(&self) -> Value {
        input::schema::<Events>()
    }

    fn call<'a>(&'a self, call: &'a Call, input: Value) -> Replying<'a> {
        Box::pin(async move {
            let params: Params = input::read(input)?;
            let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
            if !(1..=MAX_LIMIT).contains(&limit) {
                return Err(Rejection(format!("`limit` can be 1 to {MAX_LIMIT}.")));
            }
            let until = deadline(params.wait_s)?;
            let build = call.build(Intent::Read).await?.resource.build.id;
            wait(call, build, params.after_seq, until).await?;
            ClientReply::of(&read(call, build, params.after_seq, limit).await?)
        })
    }
}

/// When a call that waits so many seconds returns.
pub fn deadline(wait_s: u64) -> Result<Instant, Rejection> {
    match wait_s {
        0..=MAX_WAIT_S => Ok(Instant::now() + Duration::from_secs(wait_s)),
        _ => Err(Rejection(format!("`wait_s` can be at most {MAX_WAIT_S}."))),
    }
}

/// Waits until the build has an event after `after`, has ended, or the time is over.
pub async fn wait(
    call: &Call,
    build: BuildId,
    after: u64,
    until: Instant,
) -> Result<(), Rejection> {
    let mut head = call.app.journal.follow(build);
    let mut access = call.by.watch(&call.app);
    let started = Instant::now();
    let mut next_progress = started + PROGRESS_INTERVAL;
    loop {
        head.borrow_and_update();
        let found = builds::get(&mut call.app.db.read().await?, build).await?;
        let waits = found.is_some_and(|build| build.head_seq <= after && !build.status.is_final());
        if !waits || Instant::now() >= until {
            return Ok(());
        }
        tokio::select! {
            changed = head.changed() => if changed.is_err() { return Ok(()) },
            () = sleep_until(until) => return Ok(()),
            () = sleep_until(next_progress) => {
                report_progress(call, started, until).await;
                next_progress += PROGRESS_INTERVAL;
            }
            _ = access.lost() => return Err(Rejection("The access of this key has ended.".into())),
            () = call.request.ct.cancelled() => return Err(Rejection("Cancelled.".into())),
            () = call.app.stopping.cancelled() => return Ok(()),
        }
    }
}

async fn report_progress(call: &Call, started: Instant, until: Instant) {
    let Some(token) = call.request.meta.get_progress_token() else { return };
    let total = until.duration_since(started).as_secs_f64();
    let progress = ProgressNotificationParam::new(token, started.elapsed().as_secs_f64())
        .with_total(total)
        .with_message("Waiting for an event");
    // The client has gone; the call is cancelled with its connection.
    let _ = call.request.peer.notify_progress(progress).await;
}

async fn read(call: &Call, build: BuildId, after: u64, limit: u32) -> Result<Events, Rejection> {
    let mut conn = call.app.db.read().await?;
    let rows = events::after(&mut conn, build, after, i64::from(limit) + 1).await?;
    let found = builds::get(&mut conn, build).await?;
    drop(conn);
    let mut has_more = rows.len() > limit as usize;
    let (mut shown, mut size, mut next_seq) = (Vec::new(), 0, after);
    for row in rows.into_iter().take(limit as usize) {
        let event = shorten(row);
        size += serde_json::to_string(&event).map_or(0, |text| text.len());
        if size > MAX_REPLY && !shown.is_empty() {
            has_more = true;
            break;
        }
        next_seq = event.seq;
        shown.push(event);
    }
    let is_final = found.as_ref().is_none_or(|build| build.status.is_final());
    Ok(Events {
        status: found.map_or("deleted", |build| build.status.name()),
        events: shown,
        next_seq,
        has_more,
        is_finished: is_final && !has_more,
    })
}

fn shorten(row: events::EventRow) -> WatchedEvent {
    let body: Option<Map<String, Value>> = match row.body.len() {
        0..=MAX_PAYLOAD => serde_json::from_str(&row.body).ok(),
        _ => None,
    };
    let payload = body.and_then(|mut body| match body.remove("payload") {
        Some(Value::Object(payload)) => Some(payload),
        _ => None,
    });
    WatchedEvent { seq: row.seq, at: row.at.to_rfc3339(), kind: row.kind, payload }
}
