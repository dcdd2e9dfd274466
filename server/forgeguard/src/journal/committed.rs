//! A committed event, serialised once and shared by all readers.

use bytes::Bytes;
use domain::chain;

const OPEN: &str = "{\"op\":\"event\",\"event\":";

/// A committed event. Clones share the bytes.
#[derive(Clone, Debug)]
pub struct Committed {
    pub seq: u64,
    frame: Bytes,
}

impl Committed {
    /// From the hashed text and its hash.
    pub fn new(seq: u64, body: &str, hash: &str) -> Self {
        let mut frame = String::with_capacity(OPEN.len() + body.len() + hash.len() + 16);
        frame.push_str(OPEN);
        chain::write_with_hash(&mut frame, body, hash);
        frame.push('}');
        Self { seq, frame: frame.into() }
    }

    /// The frame that is sent to sockets; UTF-8.
    pub fn into_frame(self) -> Bytes {
        self.frame
    }

    /// The event as it is exported; UTF-8.
    pub fn event(&self) -> Bytes {
        self.frame.slice(OPEN.len()..self.frame.len() - 1)
    }

    /// The size of the frame in bytes.
    pub fn size(&self) -> usize {
        self.frame.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_contains_the_event_as_it_is_exported() {
        let committed = Committed::new(7, r#"{"seq":7}"#, "ab");
        assert_eq!(committed.event(), r#"{"seq":7,"hash":"ab"}"#);
        assert_eq!(committed.into_frame(), r#"{"op":"event","event":{"seq":7,"hash":"ab"}}"#);
    }
}
