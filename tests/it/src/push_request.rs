//! Push requests assembled byte by byte, which `git` itself would not send.

use std::io::Write;

use flate2::{
    Compression,
    write::{GzEncoder, ZlibEncoder},
};

pub const MIB: u64 = 1024 * 1024;

const BLOB: u8 = 3;
const REF_DELTA: u8 = 7;

/// The commands of a push that creates these references, before the pack.
pub fn commands(names: &[&[u8]]) -> Vec<u8> {
    let mut body = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let ids = format!("{} {} ", "0".repeat(40), "1".repeat(40));
        let offered = if at == 0 { b"\0report-status side-band-64k".as_slice() } else { b"" };
        let line = [ids.as_bytes(), name, offered].concat();
        body.extend(format!("{:04x}", line.len() + 4).as_bytes());
        body.extend(line);
    }
    body.extend(b"0000");
    body
}

/// A pack that declares `count` objects.
pub fn pack(count: u32, objects: &[u8]) -> Vec<u8> {
    [b"PACK\0\0\0\x02".as_slice(), &count.to_be_bytes(), objects, &[0; 20]].concat()
}

/// A blob of zeros.
pub fn blob(size: u64) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(header(BLOB, size), Compression::default());
    write_zeros(&mut encoder, size);
    encoder.finish().expect("it is written to memory")
}

/// A delta for an object of size `base` that results in one of size `result`.
pub fn delta(base: u64, result: u64) -> Vec<u8> {
    let content = [number(base), number(result), vec![0x80]].concat();
    let start = [header(REF_DELTA, content.len() as u64), vec![7; 20]].concat();
    let mut encoder = ZlibEncoder::new(start, Compression::default());
    encoder.write_all(&content).expect("it is written to memory");
    encoder.finish().expect("it is written to memory")
}

/// `start` followed by zeros, compressed.
pub fn gzip(start: &[u8], zeros: u64) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(start).expect("it is written to memory");
    write_zeros(&mut encoder, zeros);
    encoder.finish().expect("it is written to memory")
}

fn write_zeros(out: &mut impl Write, mut count: u64) {
    let zeros = vec![0; MIB as usize];
    while count > 0 {
        let piece = count.min(MIB);
        out.write_all(&zeros[..piece as usize]).expect("it is written to memory");
        count -= piece;
    }
}

/// Kind and size of an object: four bits of the size, then seven per byte.
fn header(kind: u8, size: u64) -> Vec<u8> {
    let first = (kind << 4) | (size & 15) as u8;
    match size >> 4 {
        0 => vec![first],
        rest => [vec![first | 0x80], number(rest)].concat(),
    }
}

fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
