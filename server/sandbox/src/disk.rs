//! How much room a tree of processes leaves on the disk that it writes to.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{StatVfs, fstatvfs};

/// Files that are to stay free where the file system counts them.
const KEPT_FILES: u64 = 10_000;

/// Watches the file system of one directory.
pub struct Disk {
    directory: File,
    least_bytes: u64,
    least_files: u64,
}

impl Disk {
    /// Wants `kept_bytes` to stay free, or half of what is free now where that is less already:
    /// on a full disk a command may still do something.
    pub fn watch(directory: &Path, kept_bytes: u64) -> io::Result<Self> {
        let directory = File::open(directory)?;
        let now = fstatvfs(&directory)?;
        let least_bytes = least(kept_bytes, free_bytes(&now));
        Ok(Self { directory, least_bytes, least_files: least(KEPT_FILES, now.f_favail) })
    }

    /// Whether there is less room than was to stay, whoever used it up.
    pub fn is_nearly_full(&self) -> bool {
        fstatvfs(&self.directory)
            .is_ok_and(|now| free_bytes(&now) < self.least_bytes || now.f_favail < self.least_files)
    }
}

fn least(kept: u64, free: u64) -> u64 {
    if free > kept { kept } else { free / 2 }
}

fn free_bytes(about: &StatVfs) -> u64 {
    about.f_bavail.saturating_mul(about.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_still_leaves_something_to_use() {
        for (kept, free, expected) in [(10, 100, 10), (10, 11, 10), (10, 10, 5), (10, 0, 0)] {
            assert_eq!(least(kept, free), expected, "{kept} of {free}");
        }
        // As with file systems that do not count files.
        let disk = Disk::watch(Path::new("/proc"), 1 << 30).unwrap();
        assert!(!disk.is_nearly_full());
    }
}
