//! Output of a command: chunks while it runs, head and tail afterwards.

use std::collections::VecDeque;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

const MAX_CHUNK_BYTES: usize = 8 << 10;
/// Reads are bounded by this, so that a burst is read no faster than it is hashed.
const READ_BUFFER_BYTES: usize = 64 << 10;

/// A piece of output, with standard output and standard error in their original order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputChunk {
    /// The text, with bytes that are not UTF-8 replaced.
    pub text: String,
    /// Bytes before this chunk that were dropped because the receiver was too slow.
    pub dropped_bytes: u64,
}

/// The output of a run, without the middle if it was too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CappedOutput {
    /// The first bytes, up to half of the limit.
    pub head: Vec<u8>,
    /// The last bytes, up to half of the limit; empty if all output fits in `head`.
    pub tail: Vec<u8>,
    /// Bytes between head and tail that were not kept.
    pub cut_bytes: u64,
    /// Bytes that the command wrote.
    pub total_bytes: u64,
    /// SHA-256 of all output, including what was cut, in hex.
    pub sha256: String,
}

impl CappedOutput {
    pub(crate) fn empty() -> Self {
        OutputBuffer::new(0).finish()
    }

    /// The bytes that were kept.
    pub fn kept_bytes(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// The same output with a lower limit.
    pub fn limited(&self, max_bytes: usize) -> Self {
        let mut buffer = OutputBuffer::new(max_bytes);
        buffer.add(&self.head);
        buffer.skip(self.cut_bytes);
        buffer.add(&self.tail);
        Self { sha256: self.sha256.clone(), ..buffer.finish() }
    }

    /// Head and tail as text, with a line between them that states how much was cut.
    pub fn text(&self) -> String {
        if self.cut_bytes == 0 {
            let whole = [self.head.as_slice(), self.tail.as_slice()].concat();
            return String::from_utf8_lossy(&whole).into_owned();
        }
        format!(
            "{}\n[… {} bytes cut …]\n{}",
            String::from_utf8_lossy(&self.head),
            self.cut_bytes,
            String::from_utf8_lossy(&self.tail)
        )
    }
}

/// Reads until end of file, or until `abandon` is cancelled, and keeps up to `max_bytes`.
///
/// Chunks are also sent to `live`.
pub(crate) async fn collect(
    mut source: impl AsyncRead + Unpin,
    mut live: Option<LiveOutput>,
    abandon: CancellationToken,
    max_bytes: usize,
) -> CappedOutput {
    let mut buffered = OutputBuffer::new(max_bytes);
    let mut buffer = vec![0; READ_BUFFER_BYTES];
    loop {
        let due = live.as_ref().and_then(LiveOutput::due);
        tokio::select! {
            read = source.read(&mut buffer) => match read {
                Ok(0) | Err(_) => break,
                Ok(length) => {
                    buffered.add(&buffer[..length]);
                    if let Some(live) = &mut live {
                        live.add(&buffer[..length]);
                    }
                }
            },
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                if let Some(live) = &mut live {
                    live.flush();
                }
            }
            () = abandon.cancelled() => break,
        }
    }
    if let Some(mut live) = live {
        live.finish();
    }
    buffered.finish()
}

struct OutputBuffer {
    /// Of head and of tail.
    limit: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    hash: Sha256,
}

impl OutputBuffer {
    fn new(max_bytes: usize) -> Self {
        let (limit, head, tail) = (max_bytes / 2, Vec::new(), VecDeque::new());
        Self { limit, head, tail, total: 0, hash: Sha256::new() }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.limit - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.limit)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.limit);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    /// Counts bytes that are not available any more.
    fn skip(&mut self, bytes: u64) {
        self.total += bytes;
    }

    fn finish(self) -> CappedOutput {
        let kept = (self.head.len() + self.tail.len()) as u64;
        CappedOutput {
            head: self.head,
            tail: self.tail.into(),
            cut_bytes: self.total - kept,
            total_bytes: self.total,
            sha256: hex::encode(self.hash.finalize()),
        }
    }
}

/// Output that is passed on while the command runs. It is dropped without waiting if the receiver is
/// too slow.
pub(crate) struct LiveOutput {
    receiver: mpsc::Sender<OutputChunk>,
    delay: Duration,
    pending: Vec<u8>,
    since: Option<Instant>,
    dropped: u64,
    started: bool,
}

impl LiveOutput {
    /// `delay` is how long output is held back at most, so that more is sent together.
    pub fn new(receiver: mpsc::Sender<OutputChunk>, delay: Duration) -> Self {
        Self { receiver, delay, pending: Vec::new(), since: None, dropped: 0, started: false }
    }

    fn due(&self) -> Option<Instant> {
        self.since.map(|since| since + self.delay)
    }

    fn add(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(MAX_CHUNK_BYTES) {
            self.pending.extend_from_slice(piece);
            self.since.get_or_insert_with(Instant::now);
            if !self.started || self.pending.len() >= MAX_CHUNK_BYTES {
                self.started = true;
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        let whole = complete_prefix_len(&self.pending);
        let rest = self.pending.split_off(whole);
        self.send();
        self.since = (!rest.is_empty()).then(Instant::now);
        self.pending = rest;
    }

    fn finish(&mut self) {
        self.flush();
        self.send();
    }

    fn send(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(&self.pending).into_owned();
        let chunk = OutputChunk { text, dropped_bytes: self.dropped };
        match self.receiver.try_send(chunk) {
            Ok(()) => self.dropped = 0,
            Err(_) => self.dropped += self.pending.len() as u64,
        }
        self.pending.clear();
    }
}

/// Length of the prefix that does not end in the middle of a UTF-8 character.
fn complete_prefix_len(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len() - incomplete_suffix_len(bytes),
    }
}

/// Length of an incomplete character at the end of bytes that are also invalid elsewhere.
fn incomplete_suffix_len(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    (from..bytes.len())
        .find(|&at| {
            std::str::from_utf8(&bytes[at..])
                .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .map_or(0, |at| bytes.len() - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_BYTES: usize = 1 << 20;
    const DELAY: Duration = Duration::from_millis(50);

    async fn collected(bytes: &[u8]) -> CappedOutput {
        collect(bytes, None, CancellationToken::new(), MAX_BYTES).await
    }

    #[tokio::test]
    async fn short_output_is_not_cut() {
        let output = collected(b"one\ntwo\n").await;
        assert_eq!(output.text(), "one\ntwo\n");
        assert_eq!(output.cut_bytes, 0);
        assert_eq!(output.sha256, hex::encode(Sha256::digest(b"one\ntwo\n")));
    }

    #[tokio::test]
    async fn long_output_keeps_head_and_tail_and_is_hashed_in_full() {
        let bytes: Vec<u8> = (0..400_000u32).flat_map(u32::to_be_bytes).collect();
        let output = collected(&bytes).await;
        assert_eq!(output.head, &bytes[..MAX_BYTES / 2]);
        assert_eq!(output.tail, &bytes[bytes.len() - MAX_BYTES / 2..]);
        assert_eq!(output.cut_bytes, (bytes.len() - MAX_BYTES) as u64);
        assert_eq!(output.sha256, hex::encode(Sha256::digest(&bytes)));
    }

    #[tokio::test]
    async fn output_of_exactly_the_limit_is_not_cut() {
        let output = collected(&vec![b'x'; MAX_BYTES]).await;
        assert_eq!((output.cut_bytes, output.text().len()), (0, MAX_BYTES));
    }

    #[tokio::test]
    async fn lower_limit_gives_the_same_as_if_it_had_been_set_before() {
        let bytes: Vec<u8> = (0..400_000u32).flat_map(u32::to_be_bytes).collect();
        let output = collected(&bytes).await;
        let direct = collect(&bytes[..], None, CancellationToken::new(), 1_000).await;
        assert_eq!(output.limited(1_000), direct);
        assert_eq!(output.limited(MAX_BYTES), output);
    }

    #[tokio::test]
    async fn full_channel_drops_output_and_reports_its_size() {
        let (sender, mut receiver) = mpsc::channel(1);
        let mut feed = LiveOutput::new(sender, DELAY);
        feed.add(b"first");
        feed.add(&[b'x'; MAX_CHUNK_BYTES]);
        assert_eq!(receiver.recv().await.unwrap().text, "first");
        feed.add(b"last");
        feed.finish();
        let last = receiver.recv().await.unwrap();
        assert_eq!((last.text.as_str(), last.dropped_bytes), ("last", MAX_CHUNK_BYTES as u64));
    }

    #[tokio::test]
    async fn characters_are_not_split_between_chunks() {
        let (sender, mut receiver) = mpsc::channel(8);
        let mut feed = LiveOutput::new(sender, DELAY);
        feed.add(b"a\xe2\x82");
        feed.add(b"\xac!");
        feed.finish();
        let mut text = String::new();
        drop(feed);
        while let Some(chunk) = receiver.recv().await {
            text.push_str(&chunk.text);
        }
        assert_eq!(text, "a€!");
    }

    #[tokio::test(start_paused = true)]
    async fn first_bytes_are_sent_immediately_and_later_ones_are_batched() {
        let (mut writer, reader) = tokio::io::duplex(1 << 16);
        let (sender, mut receiver) = mpsc::channel(8);
        let live = LiveOutput::new(sender, DELAY);
        let task = tokio::spawn(collect(reader, Some(live), CancellationToken::new(), MAX_BYTES));
        use tokio::io::AsyncWriteExt;
        let start = Instant::now();
        writer.write_all(b"a").await.unwrap();
        assert_eq!(receiver.recv().await.unwrap().text, "a");
        assert_eq!(start.elapsed(), Duration::ZERO);
        writer.write_all(b"b").await.unwrap();
        tokio::task::yield_now().await;
        writer.write_all(b"c").await.unwrap();
        assert_eq!(receiver.recv().await.unwrap().text, "bc");
        assert!(start.elapsed() >= DELAY);
        drop(writer);
        assert_eq!(task.await.unwrap().total_bytes, 3);
    }
}
