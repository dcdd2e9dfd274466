//! What a reader of a journal asks for.

use serde::Deserialize;
use utoipa::IntoParams;

/// Which events are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Events with a greater seq, oldest first. A stream begins here too.
    pub after: Option<u64>,
    /// The last events with a smaller seq, oldest first.
    pub before: Option<u64>,
    /// True: the last events of all, oldest first.
    #[serde(default)]
    pub tail: bool,
    /// How many on a page, at most 1,000; 200 if not said.
    pub limit: Option<u32>,
}
