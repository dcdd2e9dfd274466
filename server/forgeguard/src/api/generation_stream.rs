//! `/api/generations/{generation}`: how a generation stands, once or as it goes on.

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
    app::{App, Shared},
    extract::Json,
    generation::Generation,
    owned::{Owned, ProjectGeneration},
    problem::{Problem, ProblemBody},
};
use crate::store::{self, generations};

/// Between two looks at what other nodes have done.
const LOOK: Duration = Duration::from_secs(1);

/// How it stands. As `text/event-stream` each change comes as an event `generation` with all of it,
/// until it has ended: so whoever lost the stream just asks again.
#[utoipa::path(get, path = "/api/generations/{generation}", tag = "projects",
    params(("generation" = GenerationId, Path, description = "The generation's id")), responses(
        (status = 200, content((Generation = "application/json"), (String = "text/event-stream"))),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_generation(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectGeneration>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("text/event-stream")) {
        return Ok(follow(app, thing.generation.id));
    }
    let mut conn = app.db.read().await?;
    Ok(Json(Generation::read(&mut conn, thing.generation).await?).into_response())
}

fn follow(app: Arc<App>, id: GenerationId) -> Response {
    let keep_alive = KeepAlive::new().interval(app.stream.ping_every);
    let changes = app.engine.follow_generations();
    let follower = Follower { app, id, changes, shown: None };
    let events = stream::unfold(follower, |mut follower| async move {
        let event = follower.next().await?;
        Some((Ok::<_, Infallible>(event), follower))
    });
    Sse::new(events).keep_alive(keep_alive).into_response()
}

struct Follower {
    app: Arc<App>,
    id: GenerationId,
    changes: watch::Receiver<()>,
    shown: Option<Generation>,
}

impl Follower {
    /// The next state that was not shown yet; none once it has ended and was shown.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if self.shown.as_ref().is_some_and(|shown| shown.status.is_final()) {
                return None;
            }
            self.changes.mark_unchanged();
            match self.read().await {
                Ok(Some(now)) if self.shown.as_ref() != Some(&now) => {
                    let event = Event::default().event("generation").json_data(&now).ok()?;
                    self.shown = Some(now);
                    return Some(event);
                }
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => {
                    tracing::error!(%error, "a generation cannot be followed");
                    return None;
                }
            }
            tokio::select! {
                _ = self.changes.changed() => {}
                () = tokio::time::sleep(LOOK) => {}
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
