//! Measures the uncompressed size of an untrusted pack in constant memory, before it is unpacked
//! (gitformat-pack, versions 2 and 3).

use std::io::{self, BufRead};

use flate2::{Decompress, FlushDecompress, Status};

/// git allocates about a hundred bytes for each declared object.
pub const MAX_OBJECTS: u32 = 4_000_000;

/// A pack that expands to less than this is accepted regardless of its size.
const MIN_EXPANDED_LIMIT: u64 = 1024 * MIB;
/// A larger one may expand to this multiple of its size. Complete histories of large projects are
/// below 100.
const MAX_RATIO: u64 = 200;

const MIB: u64 = 1024 * 1024;
const INFLATE_BUFFER_SIZE: usize = 64 * 1024;
/// A delta starts with two sizes of at most ten bytes each.
const DELTA_HEADER_SIZE: usize = 20;
const OBJECT_ID_SIZE: usize = 20;

/// Why a pack is rejected; shown to the user who pushes it.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    #[error("the pack is damaged: {0}")]
    Damaged(&'static str),
    #[error("the pack has {0} objects; at most {MAX_OBJECTS} are accepted at once")]
    TooManyObjects(u32),
    #[error("an object has {} MiB; at most {} MiB are accepted", .size / MIB, .limit / MIB)]
    ObjectTooLarge { size: u64, limit: u64 },
    #[error(
        "the pack expands to more than {} MiB; push fewer commits at once", .0 / MIB
    )]
    ExpandsTooMuch(u64),
    #[error("the pack cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Limits on the uncompressed size of a pack.
#[derive(Debug, Clone, Copy)]
pub struct PackLimits {
    /// Size limit of one object: git and libgit2 both hold a whole object, its delta and its base
    /// in memory.
    pub max_object_size: u64,
    /// Size limit of all objects; small packs have a lower limit.
    pub max_expanded: u64,
}

/// The content of a valid pack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PackSize {
    pub objects: u32,
    /// Uncompressed size of all objects, with deltas applied.
    pub expanded: u64,
}

/// Reads a pack of `length` bytes to its last object. Checksums and deltas are verified by git.
///
/// # Errors
/// [`PackError`] if a limit is exceeded, or if it is not a pack.
pub fn measure(pack: impl BufRead, length: u64, limits: PackLimits) -> Result<PackSize, PackError> {
    let allowed = MIN_EXPANDED_LIMIT.max(length.saturating_mul(MAX_RATIO)).min(limits.max_expanded);
    let buffer = vec![0; INFLATE_BUFFER_SIZE];
    let inflater = Decompress::new(true);
    let max_size = limits.max_object_size;
    let mut reader = PackReader { pack, inflater, buffer, max_size };
    let mut header = [0; 12];
    reader.read_exact(&mut header)?;
    if !matches!(header[..8], [b'P', b'A', b'C', b'K', 0, 0, 0, 2 | 3]) {
        return Err(PackError::Damaged("invalid header"));
    }
    let objects = u32::from_be_bytes([header[8], header[9], header[10], header[11]]);
    if objects > MAX_OBJECTS {
        return Err(PackError::TooManyObjects(objects));
    }
    let mut expanded = 0;
    for _ in 0..objects {
        expanded += reader.object_size()?;
        if expanded > allowed {
            return Err(PackError::ExpandsTooMuch(allowed));
        }
    }
    Ok(PackSize { objects, expanded })
}

struct PackReader<R> {
    pack: R,
    inflater: Decompress,
    buffer: Vec<u8>,
    max_size: u64,
}

impl<R: BufRead> PackReader<R> {
    /// Reads one object and returns its uncompressed size.
    fn object_size(&mut self) -> Result<u64, PackError> {
        let first = self.byte()?;
        let declared = match first & 0x80 {
            0 => u64::from(first & 0x0f),
            _ => u64::from(first & 0x0f) | self.size(4)?,
        };
        self.check_size(declared)?;
        match (first >> 4) & 7 {
            1..=4 => {
                self.inflate(declared)?;
                Ok(declared)
            }
            kind @ (6 | 7) => {
                if kind == 6 {
                    self.size(0)?;
                } else {
                    self.read_exact(&mut [0; OBJECT_ID_SIZE])?;
                }
                let start = self.inflate(declared)?;
                let (base, rest) = delta_size(&start)?;
                let (result, _) = delta_size(rest)?;
                self.check_size(base)?;
                self.check_size(result)?;
                Ok(declared.max(result))
            }
            _ => Err(PackError::Damaged("it contains an object of an unknown type")),
        }
    }

    fn check_size(&self, size: u64) -> Result<(), PackError> {
        match size > self.max_size {
            true => Err(PackError::ObjectTooLarge { size, limit: self.max_size }),
            false => Ok(()),
        }
    }

    /// Inflates one object of this size, and returns only its first bytes.
    fn inflate(&mut self, declared: u64) -> Result<Vec<u8>, PackError> {
        self.inflater.reset(true);
        let mut start = Vec::with_capacity(DELTA_HEADER_SIZE);
        loop {
            let input = self.pack.fill_buf()?;
            let is_at_end = input.is_empty();
            let (consumed, produced) = (self.inflater.total_in(), self.inflater.total_out());
            let status = self
                .inflater
                .decompress(input, &mut self.buffer, FlushDecompress::None)
                .map_err(|_| PackError::Damaged("an object cannot be decompressed"))?;
            let consumed = self.inflater.total_in() - consumed;
            let produced = self.inflater.total_out() - produced;
            // Neither exceeds its buffer.
            self.pack.consume(consumed as usize);
            let missing = DELTA_HEADER_SIZE - start.len();
            start.extend_from_slice(&self.buffer[..missing.min(produced as usize)]);
            if self.inflater.total_out() > declared {
                return Err(PackError::Damaged("an object is larger than declared"));
            }
            if status == Status::StreamEnd {
                break;
            }
            if consumed == 0 && produced == 0 {
                return Err(PackError::Damaged(match is_at_end {
                    true => "it ends within an object",
                    false => "an object cannot be decompressed",
                }));
            }
        }
        if self.inflater.total_out() < declared {
            return Err(PackError::Damaged("an object is smaller than declared"));
        }
        Ok(start)
    }

    /// Reads the rest of a variable-length number, seven bits per byte, lowest first.
    fn size(&mut self, bits: u32) -> Result<u64, PackError> {
        let mut number = Number::new(bits);
        while !number.push(self.byte()?)? {}
        Ok(number.value)
    }

    fn byte(&mut self) -> Result<u8, PackError> {
        let mut byte = [0];
        self.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), PackError> {
        self.pack.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => PackError::Damaged("it ends too early"),
            _ => error.into(),
        })
    }
}

/// A variable-length number with seven bits per byte.
struct Number {
    value: u64,
    bits: u32,
}

impl Number {
    fn new(bits: u32) -> Self {
        Self { value: 0, bits }
    }

    /// Whether this was its last byte.
    fn push(&mut self, byte: u8) -> Result<bool, PackError> {
        let part = u64::from(byte & 0x7f);
        if self.bits > 56 {
            return Err(PackError::Damaged("a size is too large"));
        }
        self.value |= part << self.bits;
        self.bits += 7;
        Ok(byte & 0x80 == 0)
    }
}

/// The size at the start of a delta, and the remaining bytes.
fn delta_size(delta: &[u8]) -> Result<(u64, &[u8]), PackError> {
    let mut number = Number::new(0);
    for (at, byte) in delta.iter().enumerate() {
        if number.push(*byte)? {
            return Ok((number.value, &delta[at + 1..]));
        }
    }
    Err(PackError::Damaged("a delta has no sizes"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::ZlibEncoder};

    use super::*;

    const BLOB: u8 = 3;
    const OFS_DELTA: u8 = 6;
    const REF_DELTA: u8 = 7;
    const MAX_OBJECT_SIZE: u64 = 128 * MIB;

    fn header(objects: u32) -> Vec<u8> {
        [b"PACK\0\0\0\x02".as_slice(), &objects.to_be_bytes()].concat()
    }

    fn varint(mut value: u64, first_bits: u32, kind: u8) -> Vec<u8> {
        let mut bytes = vec![(kind << 4) | (value & ((1 << first_bits) - 1)) as u8];
        value >>= first_bits;
        while value > 0 {
            *bytes.last_mut().unwrap() |= 0x80;
            bytes.push((value & 0x7f) as u8);
            value >>= 7;
        }
        bytes
    }

    fn object(kind: u8, declared: u64, prefix: &[u8], content: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        [varint(declared, 4, kind), prefix.to_vec(), encoder.finish().unwrap()].concat()
    }

    fn blob(size: u64) -> Vec<u8> {
        object(BLOB, size, &[], &vec![0; size as usize])
    }

    fn delta(base: u64, result: u64) -> Vec<u8> {
        let content = [varint(base, 7, 0), varint(result, 7, 0), vec![0x80]].concat();
        object(REF_DELTA, content.len() as u64, &[7; OBJECT_ID_SIZE], &content)
    }

    fn pack(objects: &[Vec<u8>]) -> Vec<u8> {
        [header(objects.len() as u32), objects.concat(), vec![0; OBJECT_ID_SIZE]].concat()
    }

    fn measured_within(pack: &[u8], max_expanded: u64) -> Result<PackSize, PackError> {
        let limits = PackLimits { max_object_size: MAX_OBJECT_SIZE, max_expanded };
        measure(pack, pack.len() as u64, limits)
    }

    fn measured(pack: &[u8]) -> Result<PackSize, PackError> {
        measured_within(pack, u64::MAX)
    }

    #[test]
    fn objects_and_results_of_deltas_are_counted() {
        let by_offset = object(OFS_DELTA, 3, &[0x81, 0x05], &[100, 90, 0x80]);
        let pack = pack(&[blob(0), blob(5_000), delta(5_000, 70_000), by_offset]);
        assert_eq!(measured(&pack).unwrap(), PackSize { objects: 4, expanded: 75_090 });
    }

    #[test]
    fn pack_that_expands_too_much_is_rejected() {
        let largest = blob(MAX_OBJECT_SIZE);
        assert!(largest.len() < 200_000, "the largest object is compressed well");
        let bomb = pack(&vec![largest.clone(); 9]);
        assert!(matches!(measured(&bomb), Err(PackError::ExpandsTooMuch(MIN_EXPANDED_LIMIT))));
        assert_eq!(measured(&pack(&vec![largest; 8])).unwrap().expanded, MIN_EXPANDED_LIMIT);
        let bomb = pack(&vec![delta(MAX_OBJECT_SIZE, MAX_OBJECT_SIZE); 9]);
        assert!(matches!(measured(&bomb), Err(PackError::ExpandsTooMuch(_))));
        let small = pack(&[blob(2_000), blob(2_000)]);
        assert!(matches!(measured_within(&small, 3_999), Err(PackError::ExpandsTooMuch(3_999))));
    }

    #[test]
    fn oversized_objects_and_counts_are_rejected_before_they_are_read() {
        let too_large = MAX_OBJECT_SIZE + 1;
        for object in [
            varint(too_large, 4, BLOB),
            varint(u64::MAX >> 4, 4, BLOB),
            delta(too_large, 1),
            delta(1, too_large),
        ] {
            assert!(matches!(measured(&pack(&[object])), Err(PackError::ObjectTooLarge { .. })));
        }
        for count in [MAX_OBJECTS + 1, u32::MAX] {
            assert!(matches!(measured(&header(count)), Err(PackError::TooManyObjects(_))));
        }
    }

    #[test]
    fn damaged_pack_is_rejected() {
        let whole = pack(&[blob(100), delta(100, 100)]);
        for cut in 0..whole.len() - OBJECT_ID_SIZE {
            let error = measured(&whole[..cut]).unwrap_err();
            assert!(matches!(error, PackError::Damaged(_)), "{cut}: {error}");
        }
        let larger = object(BLOB, 99, &[], &[0; 100]);
        let smaller = object(BLOB, 101, &[], &[0; 100]);
        let unknown = object(5, 100, &[], &[0; 100]);
        let endless_size = vec![0xff; 20];
        let not_zlib = [varint(100, 4, BLOB), vec![0xff; 50]].concat();
        let no_sizes = object(REF_DELTA, 1, &[0; OBJECT_ID_SIZE], &[0x80]);
        for object in [larger, smaller, unknown, endless_size, not_zlib, no_sizes] {
            let error = measured(&pack(&[object])).unwrap_err();
            assert!(matches!(error, PackError::Damaged(_)), "{error}");
        }
        assert!(measured(b"PACK\0\0\0\x04\0\0\0\0").is_err());
    }
}
