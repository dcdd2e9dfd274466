//! Why a zip file is rejected.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("not a zip file, or damaged: {0}")]
    Damaged(String),
    #[error("it has more than {0} entries")]
    TooManyEntries(usize),
    #[error("it expands to more than {0} bytes")]
    ExpandsTooMuch(u64),
    #[error("it has an entry with an invalid name: {0:?}")]
    BadName(String),
    #[error("it has two entries of the same name")]
    DuplicateName,
    #[error("{0} is not a regular file with method stored or deflated")]
    UnsupportedEntry(String),
    #[error("it has no entry named {0}")]
    NoSuchEntry(String),
    #[error("{name} has more than {limit} bytes")]
    EntryTooLarge { name: String, limit: u64 },
    #[error("the file cannot be read: {0}")]
    Io(#[from] io::Error),
}
