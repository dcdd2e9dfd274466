//! Git's framing: four hex digits of length, themselves counted, and the bytes.

use std::io::{self, Read};

/// Ends a list of packets.
pub(crate) const FLUSH: &[u8] = b"0000";
/// Bytes of the longest packet that git knows.
pub(crate) const LONGEST: usize = 65_520;

/// One packet.
pub(crate) fn packet(bytes: &[u8]) -> Vec<u8> {
    [format!("{:04x}", bytes.len() + 4).as_bytes(), bytes].concat()
}

/// The next packet's bytes; `None` at a flush.
pub(crate) fn read_packet(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut digits = [0; 4];
    from.read_exact(&mut digits)?;
    let length = std::str::from_utf8(&digits).ok().and_then(|d| usize::from_str_radix(d, 16).ok());
    match length {
        Some(0) => Ok(None),
        Some(length) if (4..=LONGEST).contains(&length) => {
            let mut bytes = vec![0; length - 4];
            from.read_exact(&mut bytes)?;
            Ok(Some(bytes))
        }
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "that is no packet of git's")),
    }
}
