//! Reads untrusted zip files, with limits on entries, names and sizes.
//!
//! Declared names and sizes are checked on opening, before anything is decompressed, and entries
//! may not exceed their declared size. Memory use does not depend on the file.

mod directory;
mod error;

use std::{
    collections::BTreeSet,
    io::{self, Read, Seek},
};

pub use error::ArchiveError;
use zip::{CompressionMethod, ZipArchive, result::ZipError};

/// A file that expands to less than this is accepted regardless of its size.
const MIN_EXPANDED_LIMIT_BYTES: u64 = 64 * 1024 * 1024;
/// A larger one may expand to this multiple of its size.
const MAX_RATIO: u64 = 200;
const MAX_NAME_LENGTH: usize = 255;

/// A zip file with a validated directory.
#[derive(Debug)]
pub struct Archive<R> {
    zip: ZipArchive<R>,
    names: BTreeSet<String>,
}

/// A reader of an entry's content, which fails if the content exceeds the declared size.
pub struct Entry<'a, R: Read> {
    content: zip::read::ZipFile<'a, R>,
    remaining: u64,
}

impl<R: Read + Seek> Archive<R> {
    /// Validates the directory of a file with at most `max_entries` entries.
    ///
    /// # Errors
    /// If a limit is exceeded or the file is damaged.
    pub fn open(mut file: R, max_entries: usize) -> Result<Self, ArchiveError> {
        let length = directory::check(&mut file, max_entries)?;
        let mut zip = ZipArchive::new(file).map_err(damaged)?;
        let allowed = MIN_EXPANDED_LIMIT_BYTES.max(length.saturating_mul(MAX_RATIO));
        let mut names = BTreeSet::new();
        let mut expanded: u64 = 0;
        for at in 0..zip.len() {
            let entry = zip.by_index_raw(at).map_err(damaged)?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            if std::str::from_utf8(entry.name_raw()).is_err() || !is_plain(&name) {
                return Err(ArchiveError::BadName(name));
            }
            let is_known = matches!(
                entry.compression(),
                CompressionMethod::Stored | CompressionMethod::Deflated
            );
            if !is_known || entry.encrypted() || !entry.is_file() {
                return Err(ArchiveError::UnsupportedEntry(name));
            }
            expanded = expanded.saturating_add(entry.size());
            if expanded > allowed {
                return Err(ArchiveError::ExpandsTooMuch(allowed));
            }
            names.insert(name);
        }
        if zip.has_duplicate_names() {
            return Err(ArchiveError::DuplicateName);
        }
        // Overlapping entries would expand the same bytes repeatedly.
        if zip.has_overlapping_files().map_err(damaged)? {
            return Err(ArchiveError::Damaged("entries overlap".to_owned()));
        }
        Ok(Self { zip, names })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    ///
    /// # Errors
    /// If there is no such entry.
    pub fn entry(&mut self, name: &str) -> Result<Entry<'_, R>, ArchiveError> {
        let content = self.zip.by_name(name).map_err(|error| match error {
            ZipError::FileNotFound => ArchiveError::NoSuchEntry(name.to_owned()),
            error => damaged(error),
        })?;
        Ok(Entry { remaining: content.size(), content })
    }

    /// Reads a whole entry of at most `limit` bytes.
    ///
    /// # Errors
    /// If it is larger, damaged or missing.
    pub fn read(&mut self, name: &str, limit: u64) -> Result<Vec<u8>, ArchiveError> {
        let mut entry = self.entry(name)?;
        if entry.remaining > limit {
            return Err(ArchiveError::EntryTooLarge { name: name.to_owned(), limit });
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl<R: Read> Read for Entry<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(buffer)?;
        let remaining = self.remaining.checked_sub(count as u64);
        let larger = || io::Error::new(io::ErrorKind::InvalidData, "it is larger than it says");
        self.remaining = remaining.ok_or_else(larger)?;
        Ok(count)
    }
}

/// Whether the name is a relative path of ordinary components on all systems.
fn is_plain(name: &str) -> bool {
    let is_plain_part = |part: &str| !matches!(part, "" | "." | "..");
    name.len() <= MAX_NAME_LENGTH
        && !name.chars().any(|c| c.is_control() || matches!(c, '\\' | ':'))
        && name.split('/').all(is_plain_part)
}

fn damaged(error: ZipError) -> ArchiveError {
    match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => error.into(),
        error => ArchiveError::Damaged(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    type Memory = Cursor<Vec<u8>>;

    fn deflated() -> SimpleFileOptions {
        SimpleFileOptions::default().compression_method(CompressionMethod::Deflated)
    }

    fn pack(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in entries {
            zip.start_file(*name, deflated()).unwrap();
            zip.write_all(content).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn open(file: Vec<u8>) -> Result<Archive<Memory>, ArchiveError> {
        Archive::open(Cursor::new(file), 8)
    }

    /// Replaces all occurrences of these bytes by others of the same length.
    fn replaced(mut file: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
        let mut count = 0;
        for at in 0..file.len() - from.len() {
            if file[at..].starts_with(from) {
                file[at..at + to.len()].copy_from_slice(to);
                count += 1;
            }
        }
        assert!(count > 0, "it is there");
        file
    }

    #[test]
    fn plain_files_are_read() {
        let mut archive = open(pack(&[("a", b"1".to_vec()), ("b/c.txt", vec![7; 9])])).unwrap();
        assert_eq!(archive.names().collect::<Vec<_>>(), ["a", "b/c.txt"]);
        assert_eq!(archive.read("b/c.txt", 9).unwrap(), [7; 9]);
        let error = archive.read("b/c.txt", 8).unwrap_err();
        assert!(matches!(error, ArchiveError::EntryTooLarge { limit: 8, .. }), "{error}");
        assert!(matches!(archive.read("d", 8), Err(ArchiveError::NoSuchEntry(_))));
        assert!(open(pack(&[])).unwrap().names().next().is_none());
    }

    #[test]
    fn names_that_are_not_plain_paths_are_rejected() {
        for name in ["../a", "/a", "a/../b", "a//b", "./a", "a\\b", "c:a", "a\nb", "a\0b", "..", ""]
        {
            let error = open(pack(&[(name, Vec::new())])).unwrap_err();
            assert!(matches!(error, ArchiveError::BadName(_)), "{name:?}: {error}");
        }
        let error = open(pack(&[(&"a".repeat(256), Vec::new())])).unwrap_err();
        assert!(matches!(error, ArchiveError::BadName(_)), "{error}");
        let not_utf8 = replaced(pack(&[("xyz", Vec::new())]), b"xyz", b"x\xff\xfe");
        assert!(open(not_utf8).is_err());
        let twice = replaced(pack(&[("xyz", Vec::new()), ("xyy", Vec::new())]), b"xyy", b"xyz");
        assert!(matches!(open(twice), Err(ArchiveError::DuplicateName)));
    }

    #[test]
    fn directories_and_links_are_rejected() {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.add_symlink("link", "/etc/passwd", deflated()).unwrap();
        let error = open(zip.finish().unwrap().into_inner()).unwrap_err();
        assert!(matches!(error, ArchiveError::UnsupportedEntry(_)), "{error}");
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.add_directory("folder", deflated()).unwrap();
        assert!(open(zip.finish().unwrap().into_inner()).is_err());
    }

    #[test]
    fn too_many_entries_are_rejected_before_they_are_read() {
        let names: Vec<String> = (0..9).map(|at| format!("{at}")).collect();
        let entries: Vec<_> = names.iter().map(|name| (name.as_str(), Vec::new())).collect();
        assert!(matches!(open(pack(&entries)), Err(ArchiveError::TooManyEntries(8))));
        assert_eq!(open(pack(&entries[..8])).unwrap().names().count(), 8);
    }

    #[test]
    fn file_that_expands_too_much_is_rejected_before_anything_is_decompressed() {
        let bomb = pack(&[("a", vec![0; 65 << 20])]);
        assert!(bomb.len() < 200_000);
        assert!(matches!(open(bomb), Err(ArchiveError::ExpandsTooMuch(MIN_EXPANDED_LIMIT_BYTES))));
    }

    #[test]
    fn entry_larger_than_declared_is_rejected() {
        let size = 100_000_u32;
        let lying = replaced(
            pack(&[("a", vec![0; size as usize])]),
            &size.to_le_bytes(),
            &1_000_u32.to_le_bytes(),
        );
        let mut archive = open(lying).unwrap();
        assert!(archive.read("a", 1_000).is_err());
        let mut given = Vec::new();
        assert!(archive.entry("a").unwrap().read_to_end(&mut given).is_err());
        assert!(given.len() <= 1_000, "{}", given.len());
    }

    #[test]
    fn ambiguous_files_are_rejected() {
        let good = pack(&[("a", b"1".to_vec())]);
        let behind = [good.clone(), b"more".to_vec()].concat();
        let before = [b"more".to_vec(), good.clone()].concat();
        let twice = [pack(&[("b", b"2".to_vec())]), good.clone()].concat();
        for file in [behind, before, twice, good[..good.len() - 1].to_vec(), Vec::new()] {
            let error = open(file).unwrap_err();
            assert!(matches!(error, ArchiveError::Damaged(_)), "{error}");
        }
    }
}
