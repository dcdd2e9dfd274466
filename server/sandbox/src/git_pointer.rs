//! The `.git` file that connects a worktree to its repository, which no command may change.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use rootdir::{Entry, RootDir};

use crate::removal;

const NAME: &str = ".git";
const MODE: u32 = 0o644;

/// The required `.git` file of one worktree. Its content is never read from the worktree, where a
/// command could have changed it.
#[derive(Debug)]
pub struct GitPointer {
    worktree: PathBuf,
    content: Vec<u8>,
}

impl GitPointer {
    pub fn new(worktree: &Path, content: Vec<u8>) -> Self {
        Self { worktree: worktree.to_owned(), content }
    }

    pub fn path(&self) -> PathBuf {
        self.worktree.join(NAME)
    }

    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// Replaces whatever is at the pointer's path unless it is correct, and returns whether that
    /// was necessary. A link is replaced, never followed; a directory is moved away below `runs`.
    pub fn restore(&self, runs: &Path) -> io::Result<bool> {
        let root = RootDir::open(&self.worktree)?;
        let length = self.content.len() as u64;
        if root.read(NAME, length).is_ok_and(|found| found == self.content) {
            return Ok(false);
        }
        if let Entry::Directory(_) = root.entry(NAME)? {
            removal::move_away(&root, OsStr::new(NAME), runs)?;
        }
        root.write(NAME, &self.content, MODE)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn restore_replaces_any_kind_of_file() {
        let tree = tempfile::tempdir().unwrap();
        let runs = tempfile::tempdir().unwrap();
        let outside = tempfile::NamedTempFile::new().unwrap();
        fs::write(outside.path(), "kept").unwrap();
        let path = tree.path().join(NAME);
        let pointer = GitPointer::new(tree.path(), b"gitdir: /there\n".to_vec());
        let pipe = || {
            use rustix::fs::{CWD, FileType, Mode, mknodat};
            mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
        };
        let corruptions: [&dyn Fn(); 7] = [
            &|| {},
            &|| fs::write(&path, "gitdir: /evil\n").unwrap(),
            &|| fs::create_dir_all(path.join("hooks")).unwrap(),
            &|| symlink(outside.path(), &path).unwrap(),
            &|| symlink("/nowhere", &path).unwrap(),
            &|| symlink(runs.path(), &path).unwrap(),
            &pipe,
        ];
        for (number, corrupt) in corruptions.iter().enumerate() {
            let _ = fs::remove_file(&path);
            corrupt();
            assert!(pointer.restore(runs.path()).unwrap(), "case {number}");
            assert!(!pointer.restore(runs.path()).unwrap(), "case {number}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "gitdir: /there\n");
            assert!(fs::symlink_metadata(&path).unwrap().is_file());
        }
        assert_eq!(fs::read(outside.path()).unwrap(), b"kept");
    }
}
