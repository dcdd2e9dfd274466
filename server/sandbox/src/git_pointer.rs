//! The file `.git` that ties a worktree to its repository, and that a command must not bend.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The pointer as it was before a run.
pub struct GitPointer {
    path: PathBuf,
    /// `None` where the worktree has no such file, and then none is kept.
    content: Option<Vec<u8>>,
}

impl GitPointer {
    /// Remembers the pointer of a worktree.
    pub fn read(worktree: &Path) -> io::Result<Self> {
        let path = worktree.join(".git");
        let content = if is_file(&path)? { Some(fs::read(&path)?) } else { None };
        Ok(Self { path, content })
    }

    /// The pointer's path, where there is one.
    pub fn path(&self) -> Option<&Path> {
        self.content.is_some().then_some(self.path.as_path())
    }

    /// Puts the pointer back if it was changed, and says whether it was. Nothing else may run in
    /// the worktree meanwhile.
    pub fn restore(&self) -> io::Result<bool> {
        let Some(content) = &self.content else { return Ok(false) };
        if is_file(&self.path)? && fs::read(&self.path)? == *content {
            return Ok(false);
        }
        match fs::symlink_metadata(&self.path) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(&self.path)?,
            Ok(_) => fs::remove_file(&self.path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        fs::write(&self.path, content)?;
        Ok(true)
    }
}

fn is_file(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(found.is_file()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_took_its_place_gives_way() {
        let tree = tempfile::tempdir().unwrap();
        let outside = tempfile::NamedTempFile::new().unwrap();
        let path = tree.path().join(".git");
        fs::write(&path, "gitdir: /there\n").unwrap();
        let pointer = GitPointer::read(tree.path()).unwrap();
        assert!(!pointer.restore().unwrap());
        let spoil: [&dyn Fn(); 4] = [
            &|| fs::write(&path, "gitdir: /evil\n").unwrap(),
            &|| {},
            &|| fs::create_dir_all(path.join("hooks")).unwrap(),
            &|| std::os::unix::fs::symlink(outside.path(), &path).unwrap(),
        ];
        for (number, spoil) in spoil.iter().enumerate() {
            if number > 0 {
                fs::remove_file(&path).unwrap();
            }
            spoil();
            assert!(pointer.restore().unwrap(), "case {number}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "gitdir: /there\n");
        }
        assert_eq!(fs::read(outside.path()).unwrap(), b"");
    }
}
