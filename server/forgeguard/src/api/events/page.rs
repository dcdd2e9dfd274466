//! One page of a journal, assembled from the stored texts without parsing them.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use domain::{chain, event::Event};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    api::{api_error::ApiError, app::App},
    store::{
        builds::Build,
        events::{self, EventRow},
    },
};

const DEFAULT_LIMIT: u32 = 200;
const MAX_LIMIT: u32 = 1_000;

/// Which events to return.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Events with a greater seq, oldest first. Also where a stream starts.
    pub after: Option<u64>,
    /// The last events with a smaller seq, oldest first.
    pub before: Option<u64>,
    /// True: the last events of the journal, oldest first.
    #[serde(default)]
    pub tail: bool,
    /// Events per page, at most 1,000; default 200.
    pub limit: Option<u32>,
}

/// A page of a journal.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventPage {
    /// Oldest first.
    items: Vec<Event>,
    /// The cursor of the next page in the same direction; null at the end.
    #[schema(required)]
    next: Option<String>,
    /// Seq of the journal's newest event.
    head: u64,
}

/// The page as JSON.
pub struct PageText(String);

impl IntoResponse for PageText {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

pub async fn read(app: &App, build: &Build, query: &EventsQuery) -> Result<PageText, ApiError> {
    let limit = match query.limit.unwrap_or(DEFAULT_LIMIT) {
        limit @ 1..=MAX_LIMIT => limit,
        _ => return Err(ApiError::invalid("limit", format!("must be between 1 and {MAX_LIMIT}"))),
    };
    let (limit, mut conn) = (i64::from(limit), app.db.read().await?);
    let (rows, next) = match (query.after, query.before, query.tail) {
        (None, None, true) => backwards(events::before(&mut conn, build.id, None, limit).await?),
        (None, Some(before), false) => {
            backwards(events::before(&mut conn, build.id, Some(before), limit).await?)
        }
        (after, None, false) => {
            let rows = events::after(&mut conn, build.id, after.unwrap_or(0), limit + 1).await?;
            forwards(rows, limit as usize)
        }
        _ => return Err(ApiError::invalid("after", "send one of after, before and tail")),
    };
    let head = build.head_seq.max(rows.last().map_or(0, |row| row.seq));
    Ok(PageText(text(&rows, next, head)))
}

/// There is a previous page unless this one contains the first event.
fn backwards(rows: Vec<EventRow>) -> (Vec<EventRow>, Option<u64>) {
    let next = rows.first().map(|row| row.seq).filter(|seq| *seq > 1);
    (rows, next)
}

/// `rows` has one more than `limit` if there is a next page.
fn forwards(mut rows: Vec<EventRow>, limit: usize) -> (Vec<EventRow>, Option<u64>) {
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().map(|row| row.seq).filter(|_| more);
    (rows, next)
}

fn text(rows: &[EventRow], next: Option<u64>, head: u64) -> String {
    let items: Vec<_> = rows.iter().map(|row| chain::with_hash(&row.body, &row.hash)).collect();
    let next = next.map_or("null".to_owned(), |seq| format!("\"{seq}\""));
    format!("{{\"items\":[{}],\"next\":{next},\"head\":{head}}}", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(seqs: &[u64]) -> Vec<EventRow> {
        let row = |seq: &u64| EventRow {
            seq: *seq,
            kind: "build_log".into(),
            at: chrono::DateTime::UNIX_EPOCH,
            body: format!("{{\"seq\":{seq}}}"),
            hash: "ab".into(),
        };
        seqs.iter().map(row).collect()
    }

    #[test]
    fn page_contains_the_stored_texts_of_events() {
        let page = text(&rows(&[1, 2]), Some(2), 9);
        let expected =
            r#"{"items":[{"seq":1,"hash":"ab"},{"seq":2,"hash":"ab"}],"next":"2","head":9}"#;
        assert_eq!(page, expected);
        assert_eq!(text(&[], None, 0), r#"{"items":[],"next":null,"head":0}"#);
    }

    #[test]
    fn cursor_is_null_at_the_end_in_both_directions() {
        assert_eq!(forwards(rows(&[4, 5, 6]), 2).1, Some(5));
        assert_eq!(forwards(rows(&[4, 5]), 2).1, None);
        assert_eq!(backwards(rows(&[4, 5])).1, Some(4));
        assert_eq!(backwards(rows(&[1, 2])).1, None);
    }
}
