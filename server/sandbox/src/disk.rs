//! Free space on the file system that a command writes to.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{StatVfs, fstatvfs};

/// Inodes that must stay free on file systems that count them.
const MIN_FREE_FILES: u64 = 10_000;

/// The file system of one directory, with the free space required on it.
pub struct Disk {
    directory: File,
    min_bytes: u64,
    min_files: u64,
}

impl Disk {
    /// Requires `min_free_bytes` to stay free, or half of what is free now if that is already less,
    /// so that commands can run on a nearly full disk.
    pub fn watch(directory: &Path, min_free_bytes: u64) -> io::Result<Self> {
        let directory = File::open(directory)?;
        let now = fstatvfs(&directory)?;
        let min_bytes = threshold(min_free_bytes, free_bytes(&now));
        Ok(Self { directory, min_bytes, min_files: threshold(MIN_FREE_FILES, now.f_favail) })
    }

    /// Whether less space is free than required, regardless of what used it.
    pub fn is_nearly_full(&self) -> bool {
        fstatvfs(&self.directory)
            .is_ok_and(|now| free_bytes(&now) < self.min_bytes || now.f_favail < self.min_files)
    }
}

fn threshold(required: u64, free: u64) -> u64 {
    if free > required { required } else { free / 2 }
}

fn free_bytes(about: &StatVfs) -> u64 {
    about.f_bavail.saturating_mul(about.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threshold_is_half_of_the_free_space_when_too_little_is_free() {
        for (required, free, expected) in [(10, 100, 10), (10, 11, 10), (10, 10, 5), (10, 0, 0)] {
            assert_eq!(threshold(required, free), expected, "{required} of {free}");
        }
        // `/proc` does not count files.
        let disk = Disk::watch(Path::new("/proc"), 1 << 30).unwrap();
        assert!(!disk.is_nearly_full());
    }
}
