//! Validated paths inside a repository.

use std::{ffi::OsStr, fmt, os::unix::ffi::OsStrExt, path::Path, str::FromStr};

use crate::error::GitError;

/// A relative path with `/` between its parts, without `.`, `..`, `.git` or NUL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RepoPath(String);

impl RepoPath {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }
}

/// A path from git's bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

impl FromStr for RepoPath {
    type Err = GitError;

    fn from_str(text: &str) -> Result<Self, GitError> {
        let bad = || GitError::BadPath(text.escape_debug().take(300).collect());
        if text.starts_with('/') || text.contains('\0') {
            return Err(bad());
        }
        let parts: Vec<&str> =
            text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let forbidden = |part: &&str| *part == ".." || part.eq_ignore_ascii_case(".git");
        if parts.is_empty() || parts.iter().any(forbidden) {
            return Err(bad());
        }
        Ok(RepoPath(parts.join("/")))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
