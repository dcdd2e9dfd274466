//! Names of build branches.

use std::{fmt, str::FromStr};

use crate::error::GitError;

const PREFIX: &str = "forge/build-";

/// `forge/build-<uuid>`, the uuid lowercase and hyphenated. It cannot represent another branch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BuildBranchName(String);

impl BuildBranchName {
    /// The branch name of the build with this id.
    pub fn of_build(build_id: &str) -> Result<Self, GitError> {
        if !is_uuid(build_id) {
            return Err(GitError::BadBranchName(build_id.chars().take(200).collect()));
        }
        Ok(BuildBranchName(format!("{PREFIX}{build_id}")))
    }

    /// `forge/build-…`, without `refs/heads/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of the build.
    pub fn build_id(&self) -> &str {
        &self.0[PREFIX.len()..]
    }

    pub(crate) fn full(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl FromStr for BuildBranchName {
    type Err = GitError;

    fn from_str(name: &str) -> Result<Self, GitError> {
        let bad = || GitError::BadBranchName(name.chars().take(200).collect());
        Self::of_build(name.strip_prefix(PREFIX).ok_or_else(bad)?).map_err(|_| bad())
    }
}

impl fmt::Display for BuildBranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}
