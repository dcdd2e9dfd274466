//! `/api/generations/{generation}`: a generation, once or as a stream.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use domain::ids::GenerationId;
use futures::stream;
use tokio::sync::watch;

use super::{
    access::AccessWatch,
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    extract::Json,
    generation::Generation,
    owned::{Owned, ProjectGeneration},
};
use crate::store::{self, generations};

/// Generations of other nodes are polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Gets a generation. As `text/event-stream`, each change is an event `generation` with the whole
/// generation, until it has ended; a client that reconnects misses nothing.
#[utoipa::path(get, path = "/api/generations/{generation}", tag = "projects",
    params(("generation" = GenerationId, Path, description = "The generation's id")), responses(
        (status = 200, content((Generation = "application/json"), (String = "text/event-stream"))),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_generation(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectGeneration>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("text/event-stream")) {
        let watch = by.watch(&app).of_project(resource.project.id);
        return Ok(follow(app, watch, resource.generation.id));
    }
    let mut conn = app.db.read().await?;
    Ok(Json(Generation::read(&mut conn, resource.generation).await?).into_response())
}

fn follow(app: Arc<App>, watch: AccessWatch, id: GenerationId) -> Response {
    let keep_alive = KeepAlive::new().interval(app.stream.ping_interval);
    let changes = app.engine.follow_generations();
    let follower = Follower { app, id, changes, sent: None };
    let events = stream::unfold((follower, watch), |(mut follower, mut watch)| async move {
        let event = tokio::select! {
            biased;
            // The client asks again and receives the error.
            _ = watch.lost() => None,
            event = follower.next() => event,
        };
        Some((Ok::<_, Infallible>(event?), (follower, watch)))
    });
    Sse::new(events).keep_alive(keep_alive).into_response()
}

struct Follower {
    app: Arc<App>,
    id: GenerationId,
    changes: watch::Receiver<()>,
    sent: Option<Generation>,
}

impl Follower {
    /// The next state that was not sent yet; None once the last one was sent.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if self.sent.as_ref().is_some_and(|sent| sent.status.is_final()) {
                return None;
            }
            self.changes.mark_unchanged();
            match self.read().await {
                Ok(Some(now)) if self.sent.as_ref() != Some(&now) => {
                    let event = Event::default().event("generation").json_data(&now).ok()?;
                    self.sent = Some(now);
                    return Some(event);
                }
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => {
                    tracing::error!(%error, "a generation could not be read");
                    return None;
                }
            }
            tokio::select! {
                _ = self.changes.changed() => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                () = self.app.stopping.cancelled() => return None,
            }
        }
    }

    async fn read(&self) -> store::Result<Option<Generation>> {
        let mut conn = self.app.db.read().await?;
        let Some(row) = generations::get(&mut conn, self.id).await? else { return Ok(None) };
        Generation::read(&mut conn, row).await.map(Some)
    }
}
