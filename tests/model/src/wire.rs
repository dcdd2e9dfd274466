//! Framing of the event stream, including faults of real connections.

use std::{io, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use futures::{StreamExt, stream};
use tokio::time::interval;

/// A kind and a message.
type InStreamError = (String, String);

/// Framing and faults of a stream. Counts of events exclude pings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wire {
    ending: Ending,
    chunks: Chunks,
    has_crlf: bool,
    has_pings: bool,
    pace: Option<Duration>,
    inserted: Option<(usize, Option<InStreamError>)>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Ending {
    #[default]
    Whole,
    Cut(usize),
    Reset(usize),
    Silent(usize),
}

#[derive(Clone, Copy, Debug, Default)]
enum Chunks {
    #[default]
    Events,
    Bytes,
    HalfCharacters,
}

/// API-specific events.
pub(crate) struct Specials {
    pub(crate) ping: String,
    pub(crate) garbled: String,
    pub(crate) error: fn(&str, &str) -> String,
}

impl Wire {
    pub(crate) fn cut_after(&mut self, events: usize) {
        self.ending = Ending::Cut(events);
    }

    pub(crate) fn reset_after(&mut self, events: usize) {
        self.ending = Ending::Reset(events);
    }

    pub(crate) fn silent_after(&mut self, events: usize) {
        self.ending = Ending::Silent(events);
    }

    pub(crate) fn insert(&mut self, at: usize, error: Option<InStreamError>) {
        self.inserted = Some((at, error));
    }

    pub(crate) fn byte_by_byte(&mut self) {
        self.chunks = Chunks::Bytes;
    }

    pub(crate) fn in_half_characters(&mut self) {
        self.chunks = Chunks::HalfCharacters;
    }

    pub(crate) fn crlf(&mut self) {
        self.has_crlf = true;
    }

    pub(crate) fn with_pings(&mut self) {
        self.has_pings = true;
    }

    pub(crate) fn slowly(&mut self, pace: Duration) {
        self.pace = Some(pace);
    }

    /// A body with the events, each terminated by an empty line.
    pub(crate) fn body(&self, mut events: Vec<String>, specials: &Specials) -> Body {
        match &self.inserted {
            Some((at, None)) => events.insert(*at, specials.garbled.clone()),
            Some((at, Some((kind, message)))) => {
                events.truncate(*at);
                events.push((specials.error)(kind, message));
            }
            None => {}
        }
        let half = |event: Option<&String>| event.map_or(String::new(), |e| half(e).to_owned());
        match self.ending {
            Ending::Whole => {}
            Ending::Cut(at) | Ending::Reset(at) => {
                let half = half(events.get(at));
                events.truncate(at);
                events.push(half);
            }
            Ending::Silent(at) => events.truncate(at),
        }
        if self.has_pings {
            let ping = |event| [specials.ping.clone(), event];
            events = events.into_iter().flat_map(ping).collect();
        }
        if self.has_crlf {
            events = events.into_iter().map(|event| event.replace('\n', "\r\n")).collect();
        }
        let pieces = stream::iter(self.pieces(&events)).map(Ok);
        let pieces = stream::unfold(
            (pieces, self.pace.map(interval)),
            |(mut pieces, mut ticks)| async move {
                if let Some(ticks) = &mut ticks {
                    ticks.tick().await;
                }
                Some((pieces.next().await?, (pieces, ticks)))
            },
        );
        match self.ending {
            Ending::Whole | Ending::Cut(_) => Body::from_stream(pieces),
            Ending::Reset(_) => Body::from_stream(pieces.chain(stream::once(async {
                // Flushes pending data before the connection is reset.
                tokio::task::yield_now().await;
                Err(io::Error::from(io::ErrorKind::ConnectionReset))
            }))),
            Ending::Silent(_) => Body::from_stream(pieces.chain(stream::pending())),
        }
    }

    fn pieces(&self, events: &[String]) -> Vec<Bytes> {
        let bytes = || events.iter().flat_map(|event| event.bytes());
        match self.chunks {
            Chunks::Events => events.iter().map(|event| Bytes::from(event.clone())).collect(),
            Chunks::Bytes => bytes().map(|byte| Bytes::from(vec![byte])).collect(),
            Chunks::HalfCharacters => {
                let mut pieces = vec![Vec::new()];
                for byte in bytes() {
                    // Pieces start at the second byte of a character.
                    let is_inner = (0x80..0xC0).contains(&byte);
                    match pieces.last_mut() {
                        Some(piece) if !is_inner => piece.push(byte),
                        _ => pieces.push(vec![byte]),
                    }
                }
                pieces.into_iter().map(Bytes::from).collect()
            }
        }
    }
}

fn half(event: &str) -> &str {
    let middle = event.floor_char_boundary(event.len() / 2);
    &event[..middle]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_characters_concatenate_to_the_text() {
        let mut wire = Wire::default();
        wire.in_half_characters();
        let events = vec!["data: ähnlich €\n\n".to_owned()];
        let pieces = wire.pieces(&events);
        assert!(pieces.iter().filter(|piece| std::str::from_utf8(piece).is_err()).count() >= 4);
        assert_eq!(pieces.concat(), events[0].as_bytes());
    }
}
