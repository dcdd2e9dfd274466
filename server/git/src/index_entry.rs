//! Index entries with the size and times of their file, so that an unchanged file is not read
//! again.

use git2::{IndexEntry, IndexTime, Oid};
use rootdir::{FileKind, FileStat};

pub(crate) const FILE: u32 = 0o100644;
pub(crate) const EXECUTABLE: u32 = 0o100755;
pub(crate) const LINK: u32 = 0o120000;
pub(crate) const SUBMODULE: u32 = 0o160000;

/// An entry for a file whose content was `id` at the time of `stat`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::unnecessary_cast,
    clippy::cast_sign_loss,
    reason = "the index stores 32 bits, and the types of `stat` depend on the platform"
)]
pub(crate) fn with_stat(path: &[u8], id: Oid, mode: u32, stat: &FileStat) -> IndexEntry {
    IndexEntry {
        ctime: time(stat.st_ctime as i64, stat.st_ctime_nsec as u64),
        mtime: time(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
        dev: stat.st_dev as u32,
        ino: stat.st_ino as u32,
        uid: stat.st_uid,
        gid: stat.st_gid,
        file_size: stat.st_size as u32,
        ..without_stat(path, id, mode)
    }
}

/// An entry that is always treated as changed.
pub(crate) fn without_stat(path: &[u8], id: Oid, mode: u32) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}

/// The mode that git stores for a regular file.
pub(crate) fn file_mode(stat: &FileStat) -> u32 {
    if stat.st_mode & 0o100 == 0 { FILE } else { EXECUTABLE }
}

#[allow(clippy::cast_possible_truncation, reason = "the index stores 32 bits")]
pub(crate) fn time(seconds: i64, nanoseconds: u64) -> IndexTime {
    IndexTime::new(seconds as i32, nanoseconds as u32)
}

/// Seconds and nanoseconds, to compare.
pub(crate) fn instant(time: IndexTime) -> (i32, u32) {
    (time.seconds(), time.nanoseconds())
}

/// Whether an entry still matches a file. `written` is when the index was written: a file changed
/// at that time or later may have changed again within the timestamp resolution.
pub(crate) fn describes(entry: &IndexEntry, stat: &FileStat, written: (i32, u32)) -> bool {
    let mode = match FileKind::of(stat) {
        FileKind::File => file_mode(stat),
        FileKind::Link => LINK,
        FileKind::Directory | FileKind::Other => return false,
    };
    let now = with_stat(&[], entry.id, mode, stat);
    now.mode == entry.mode
        && now.file_size == entry.file_size
        && now.ino == entry.ino
        && now.mtime == entry.mtime
        && now.ctime == entry.ctime
        && instant(now.mtime) < written
        && instant(now.ctime) < written
}
