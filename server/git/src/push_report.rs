//! Reports the status of each pushed reference to the client, in the format of `git receive-pack`.

use crate::wire::{self, FLUSH};

/// Payload of one side-band packet.
const MAX_BAND_PAYLOAD: usize = wire::MAX_PACKET_BYTES - 5;
const REPORT_BAND: u8 = 1;

/// Status lines of a push, and messages on other side bands.
#[derive(Debug, Default)]
pub(crate) struct PushReport {
    lines: Vec<Vec<u8>>,
    /// Packets of the other side bands.
    messages: Vec<u8>,
}

impl PushReport {
    /// A report that starts with the status of the pack.
    pub(crate) fn unpacked() -> Self {
        Self { lines: vec![b"unpack ok\n".to_vec()], messages: Vec::new() }
    }

    /// Parses a response of `git receive-pack`; `None` if it has no report.
    pub(crate) fn read(mut answer: &[u8], side_band: bool) -> Option<Self> {
        let mut report = Self::default();
        if !side_band {
            report.lines = read_packets(&mut answer)?;
            return Some(report);
        }
        let mut bytes = Vec::new();
        for packet in read_packets(&mut answer)? {
            match packet.split_first() {
                Some((&REPORT_BAND, payload)) => bytes.extend_from_slice(payload),
                _ => report.messages.extend(wire::packet(&packet)),
            }
        }
        report.lines = read_packets(&mut bytes.as_slice())?;
        Some(report)
    }

    /// Adds the reason for a rejected reference.
    pub(crate) fn reject(&mut self, name: &str, reason: &str) {
        self.lines.push(format!("ng {name} {reason}\n").into_bytes());
    }

    /// Whether a reference was rejected for this reason.
    pub(crate) fn rejects_for(&self, reason: &str) -> bool {
        self.lines.iter().any(|line| {
            let line = String::from_utf8_lossy(line);
            line.starts_with("ng ") && line.trim_end().ends_with(reason)
        })
    }

    /// Replaces git's reason.
    pub(crate) fn explain(&mut self, reason: &str, explanation: &str) {
        for line in &mut self.lines {
            let text = String::from_utf8_lossy(line);
            let rejected = text.trim_end().strip_suffix(reason);
            if let Some(start) = rejected.filter(|start| start.starts_with("ng ")) {
                *line = format!("{start}{explanation}\n").into_bytes();
            }
        }
    }

    /// Encodes the response body.
    pub(crate) fn encode(&self, side_band: bool) -> Vec<u8> {
        let mut report: Vec<u8> = self.lines.iter().flat_map(|line| wire::packet(line)).collect();
        report.extend(FLUSH);
        if !side_band {
            return report;
        }
        let mut body = self.messages.clone();
        for piece in report.chunks(MAX_BAND_PAYLOAD) {
            body.extend(wire::packet(&[&[REPORT_BAND], piece].concat()));
        }
        body.extend(FLUSH);
        body
    }
}

/// The packets up to the flush that ends them.
fn read_packets(from: &mut &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut packets = Vec::new();
    while let Some(packet) = wire::read_packet(from).ok()? {
        packets.push(packet);
    }
    Some(packets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_keeps_what_git_said_and_adds_rejections() {
        let lines: [&[u8]; 3] = [b"unpack ok\n", b"ok refs/heads/a\n", b"ng refs/heads/b old\n"];
        let report: Vec<u8> = lines.iter().flat_map(|line| wire::packet(line)).collect();
        let report = [report.as_slice(), FLUSH].concat();
        let message = wire::packet(b"\x02a warning\n");
        // The report may be cut anywhere between two packets.
        let (first, second) = report.split_at(7);
        let bands = [first, second].map(|part| wire::packet(&[&[1], part].concat()));
        let banded = [message.as_slice(), &bands[0], &bands[1], FLUSH].concat();
        for (answer, side_band) in [(&report, false), (&banded, true)] {
            let mut report = PushReport::read(answer, side_band).unwrap();
            report.explain(" old", " fetch first");
            report.reject("refs/tags/v1", "no tags");
            let encoded = report.encode(side_band);
            let again = PushReport::read(&encoded, side_band).unwrap();
            let expected: [&[u8]; 4] = [
                b"unpack ok\n",
                b"ok refs/heads/a\n",
                b"ng refs/heads/b fetch first\n",
                b"ng refs/tags/v1 no tags\n",
            ];
            assert_eq!(again.lines, expected);
            assert_eq!(again.messages, if side_band { message.as_slice() } else { b"" });
        }
        assert!(PushReport::read(b"", true).is_none());
    }
}
