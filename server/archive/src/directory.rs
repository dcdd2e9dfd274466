//! Checks the end record of a zip file, which contains the size of its directory, before the
//! directory is read into memory.

use std::io::{Read, Seek, SeekFrom};

use crate::error::ArchiveError;

/// Size of the end record without a comment.
const END_RECORD_BYTES: usize = 22;
const END_SIGNATURE: [u8; 4] = *b"PK\x05\x06";
/// Size limit of one entry's record in the directory.
const MAX_ENTRY_RECORD_BYTES: u64 = 1_024;

/// Checks that the directory is small and ends where the end record starts, so that no other parser
/// finds another directory. Returns the length of the file.
pub(crate) fn check(
    file: &mut (impl Read + Seek),
    max_entries: usize,
) -> Result<u64, ArchiveError> {
    let damaged = |why: &str| ArchiveError::Damaged(why.to_owned());
    let length = file.seek(SeekFrom::End(0))?;
    let at =
        length.checked_sub(END_RECORD_BYTES as u64).ok_or_else(|| damaged("it is too short"))?;
    let mut end = [0; END_RECORD_BYTES];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut end)?;
    file.rewind()?;
    let [.., c0, c1] = end;
    if end[..4] != END_SIGNATURE || [c0, c1] != [0, 0] {
        return Err(damaged("it does not end as one without a comment"));
    }
    let entries = u16::from_le_bytes([end[10], end[11]]);
    let size = u64::from(u32::from_le_bytes([end[12], end[13], end[14], end[15]]));
    let start = u64::from(u32::from_le_bytes([end[16], end[17], end[18], end[19]]));
    if usize::from(entries) > max_entries || size > max_entries as u64 * MAX_ENTRY_RECORD_BYTES {
        return Err(ArchiveError::TooManyEntries(max_entries));
    }
    match start + size == at {
        true => Ok(length),
        false => Err(damaged("its directory is not at its end")),
    }
}
