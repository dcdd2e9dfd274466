//! `/api/builds/{build}/events`: the journal as a page, or as a stream that goes on with it.

mod page;
mod query;
mod stream;

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use domain::ids::BuildId;

use super::{
    app::Shared,
    extract::Search,
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
};
pub use page::EventPage;
pub use query::EventsQuery;

/// How the client wants to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Page,
    Stream(stream::Format),
}

/// The build's events. As `text/event-stream` (the id is the seq) or `application/x-ndjson` the
/// answer goes on until the build has ended; as JSON it is one page.
#[utoipa::path(get, path = "/api/builds/{build}/events", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), EventsQuery), responses(
        (status = 200, content((EventPage = "application/json"),
            (String = "text/event-stream"), (String = "application/x-ndjson"))),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_events(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectBuild>,
    headers: HeaderMap,
    Search(query): Search<EventsQuery>,
) -> Result<Response, Problem> {
    match form(&headers) {
        Form::Page => Ok(page::read(&app, &thing.build, &query).await?.into_response()),
        Form::Stream(format) => {
            let after = last_event_id(&headers).or(query.after).unwrap_or(0);
            Ok(stream::follow(app, thing.build.id, after, format))
        }
    }
}

fn form(headers: &HeaderMap) -> Form {
    let accepts = |media_type: &str| {
        let values = headers.get_all(header::ACCEPT).into_iter();
        values.filter_map(|value| value.to_str().ok()).any(|value| value.contains(media_type))
    };
    if accepts("text/event-stream") {
        Form::Stream(stream::Format::EventStream)
    } else if accepts("application/x-ndjson") {
        Form::Stream(stream::Format::Lines)
    } else {
        Form::Page
    }
}

/// Where a browser that lost its stream wants to go on.
fn last_event_id(headers: &HeaderMap) -> Option<u64> {
    headers.get("last-event-id")?.to_str().ok()?.parse().ok()
}
