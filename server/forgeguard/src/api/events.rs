//! `/api/builds/{build}/events`: the journal, as pages or as a stream.

mod page;
mod stream;

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use domain::ids::BuildId;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::QueryParams,
    owned::{Owned, ProjectBuild},
};
pub use page::{EventPage, EventsQuery};

/// The requested representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Page,
    Stream(stream::Format),
}

/// Lists the build's events: as JSON one page; as `text/event-stream` (the id is the seq) or
/// `application/x-ndjson` a stream that ends with the build.
#[utoipa::path(get, path = "/api/builds/{build}/events", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), EventsQuery), responses(
        (status = 200, content((EventPage = "application/json"),
            (String = "text/event-stream"), (String = "application/x-ndjson"))),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_events(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    headers: HeaderMap,
    QueryParams(query): QueryParams<EventsQuery>,
) -> Result<Response, ApiError> {
    match form(&headers) {
        Form::Page => Ok(page::read(&app, &resource.build, &query).await?.into_response()),
        Form::Stream(format) => {
            let after = last_event_id(&headers).or(query.after).unwrap_or(0);
            let watch = by.watch(&app).of_project(resource.project.id);
            Ok(stream::follow(app, watch, resource.build.id, after, format))
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

/// Sent by browsers when they reconnect.
fn last_event_id(headers: &HeaderMap) -> Option<u64> {
    headers.get("last-event-id")?.to_str().ok()?.parse().ok()
}
