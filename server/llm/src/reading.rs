//! From a provider's events to deltas, whatever the provider's dialect.

use std::collections::VecDeque;

use futures::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    error::ModelError,
    http::{Events, readable},
    provider::DeltaStream,
    reply::Delta,
};

/// Understands the events of one reply.
pub(crate) trait Reader: Send + 'static {
    /// What this event adds. After `Finished` it is not asked again.
    fn read(&mut self, data: &str) -> Result<Vec<Delta>, ModelError>;

    /// What is left to say at the end of the events, if that can be an end of the reply.
    fn end(&mut self) -> Result<Vec<Delta>, ModelError> {
        Err(ModelError::Cut)
    }
}

struct Reading<R> {
    events: Events,
    reader: R,
    waiting: VecDeque<Delta>,
    has_ended: bool,
}

/// Reads to the end of the reply, which is not the end of the connection.
pub(crate) fn deltas(events: Events, reader: impl Reader) -> DeltaStream {
    let reading = Reading { events, reader, waiting: VecDeque::new(), has_ended: false };
    stream::try_unfold(reading, |mut reading| async move {
        let delta = reading.next().await?;
        Ok(delta.map(|delta| (delta, reading)))
    })
    .boxed()
}

impl<R: Reader> Reading<R> {
    async fn next(&mut self) -> Result<Option<Delta>, ModelError> {
        while self.waiting.is_empty() && !self.has_ended {
            self.waiting = match self.events.try_next().await? {
                Some(data) => self.reader.read(&data)?.into(),
                None => {
                    self.has_ended = true;
                    self.reader.end()?.into()
                }
            };
        }
        let delta = self.waiting.pop_front();
        if matches!(delta, Some(Delta::Finished { .. })) {
            self.has_ended = true;
        }
        Ok(delta)
    }
}

/// One event of the reply.
pub(crate) fn parse<'a, T: Deserialize<'a>>(data: &'a str) -> Result<T, ModelError> {
    serde_json::from_str(data).map_err(|error| malformed(format!("an event does not fit: {error}")))
}

/// A tool call's input, once all its pieces are there: none at all stand for no arguments.
pub(crate) fn input(json: &str) -> Result<Value, ModelError> {
    if matches!(json.trim(), "" | "null") {
        return Ok(Value::Object(Map::new()));
    }
    match serde_json::from_str(json) {
        Ok(input @ Value::Object(_)) => Ok(input),
        Ok(_) => Err(malformed("the input of a tool call is no JSON object".into())),
        Err(error) => Err(malformed(format!("the input of a tool call is no JSON: {error}"))),
    }
}

fn malformed(reason: String) -> ModelError {
    ModelError::Malformed { reason: readable(&reason, None) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{reply::StopReason, usage::Usage};
    use serde_json::json;

    /// Says every word, and is done at `end`.
    struct Words;

    impl Reader for Words {
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
    async fn the_end_of_the_reply_ends_it_and_the_end_of_the_connection_cuts_it() {
        let whole = read(&["a b", "", "c", "end", "more"]).await;
        assert_eq!(whole.len(), 4);
        assert!(matches!(whole[3], Ok(Delta::Finished { .. })));
        let cut = read(&["a b"]).await;
        assert_eq!(cut[2..], [Err(ModelError::Cut)]);
    }

    #[test]
    fn an_input_is_an_object() {
        assert_eq!(input("").unwrap(), json!({}));
        assert_eq!(input(" null").unwrap(), json!({}));
        assert_eq!(input("{\"a\": 1}").unwrap(), json!({"a": 1}));
        for wrong in ["[]", "{\"a\": ", "3"] {
            assert!(matches!(input(wrong), Err(ModelError::Malformed { .. })), "{wrong}");
        }
    }
}
