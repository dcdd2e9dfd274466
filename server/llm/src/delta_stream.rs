//! Converts a provider's events into deltas.

use std::collections::VecDeque;

use futures::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    error::ModelError,
    http::{Events, sanitize},
    provider::DeltaStream,
    reply::Delta,
};

/// Parses the events of one reply, in the format of one API.
pub(crate) trait ReplyReader: Send + 'static {
    /// Returns the deltas of this event. Not called again after `Finished`.
    fn read(&mut self, data: &str) -> Result<Vec<Delta>, ModelError>;

    /// Called at the end of the stream. Returns the remaining deltas if the reply is complete.
    fn end(&mut self) -> Result<Vec<Delta>, ModelError> {
        Err(ModelError::Truncated)
    }
}

struct DeltaReader<R> {
    events: Events,
    reader: R,
    pending: VecDeque<Delta>,
    has_ended: bool,
}

/// Reads until the end of the reply, without waiting for the end of the connection.
pub(crate) fn deltas(events: Events, reader: impl ReplyReader) -> DeltaStream {
    let delta_stream = DeltaReader { events, reader, pending: VecDeque::new(), has_ended: false };
    stream::try_unfold(delta_stream, |mut delta_stream| async move {
        let delta = delta_stream.next().await?;
        Ok(delta.map(|delta| (delta, delta_stream)))
    })
    .boxed()
}

impl<R: ReplyReader> DeltaReader<R> {
    async fn next(&mut self) -> Result<Option<Delta>, ModelError> {
        while self.pending.is_empty() && !self.has_ended {
            self.pending = match self.events.try_next().await? {
                Some(data) => self.reader.read(&data)?.into(),
                None => {
                    self.has_ended = true;
                    self.reader.end()?.into()
                }
            };
        }
        let delta = self.pending.pop_front();
        if matches!(delta, Some(Delta::Finished { .. })) {
            self.has_ended = true;
        }
        Ok(delta)
    }
}

pub(crate) fn parse<'a, T: Deserialize<'a>>(data: &'a str) -> Result<T, ModelError> {
    serde_json::from_str(data).map_err(|error| malformed(format!("unexpected event: {error}")))
}

/// Parses the complete input of a tool call: an object, or the text if it is not an object. Empty
/// input means no arguments.
pub(crate) fn input(json: &str) -> Value {
    if matches!(json.trim(), "" | "null") {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(json) {
        Ok(input @ Value::Object(_)) => input,
        _ => Value::String(json.to_owned()),
    }
}

fn malformed(reason: String) -> ModelError {
    ModelError::Malformed { reason: sanitize(&reason, None) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{reply::StopReason, usage::Usage};
    use serde_json::json;

    /// Returns each word as text, and finishes at `end`.
    struct Words;

    impl ReplyReader for Words {
        fn read(&mut self, data: &str) -> Result<Vec<Delta>, ModelError> {
            let finished = || Delta::Finished {
                stop_reason: StopReason::EndTurn,
                usage: Usage::default(),
                provider: None,
            };
            let word =
                |word| if word == "end" { finished() } else { Delta::Text(String::from(word)) };
            Ok(data.split_whitespace().map(word).collect())
        }
    }

    async fn read(data: &[&str]) -> Vec<Result<Delta, ModelError>> {
        let data: Vec<_> = data.iter().map(|data| Ok(String::from(*data))).collect();
        deltas(stream::iter(data).boxed(), Words).collect().await
    }

    #[tokio::test]
    async fn reply_is_truncated_when_the_stream_ends_before_it() {
        let whole = read(&["a b", "", "c", "end", "more"]).await;
        assert_eq!(whole.len(), 4);
        assert!(matches!(whole[3], Ok(Delta::Finished { .. })));
        let cut = read(&["a b"]).await;
        assert_eq!(cut[2..], [Err(ModelError::Truncated)]);
    }

    #[test]
    fn input_that_is_not_an_object_is_returned_as_text() {
        assert_eq!(input(""), json!({}));
        assert_eq!(input(" null"), json!({}));
        assert_eq!(input("{\"a\": 1}"), json!({"a": 1}));
        for unreadable in ["[]", "{\"a\": ", "3"] {
            assert_eq!(input(unreadable), json!(unreadable));
        }
    }
}
