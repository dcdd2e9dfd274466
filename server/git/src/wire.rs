//! Git's pkt-line framing: a length of four hex digits, which includes itself, and the bytes.

use std::io::{self, Read};

/// Ends a list of packets.
pub(crate) const FLUSH: &[u8] = b"0000";
/// The largest packet that git accepts.
pub(crate) const MAX_PACKET_BYTES: usize = 65_520;

pub(crate) fn packet(bytes: &[u8]) -> Vec<u8> {
    [format!("{:04x}", bytes.len() + 4).as_bytes(), bytes].concat()
}

/// Reads the next packet; `None` at a flush.
pub(crate) fn read_packet(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut digits = [0; 4];
    from.read_exact(&mut digits)?;
    let length = std::str::from_utf8(&digits).ok().and_then(|d| usize::from_str_radix(d, 16).ok());
    match length {
        Some(0) => Ok(None),
        Some(length) if (4..=MAX_PACKET_BYTES).contains(&length) => {
            let mut bytes = vec![0; length - 4];
            from.read_exact(&mut bytes)?;
            Ok(Some(bytes))
        }
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "that is no packet of git's")),
    }
}
