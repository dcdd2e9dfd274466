//! Names of branches: of builds, and of all others.

use std::{fmt, str::FromStr};

use git2::Reference;

use crate::error::GitError;

/// Limit on one component of a reference, which is a file name: 255 bytes including `.lock`.
const MAX_NAME_PART_BYTES: usize = 250;
const PREFIX: &str = "forge/build-";
/// Of what follows the number. With its prefix, the name stays far below the limits of file systems.
const MAX_SLUG_LENGTH: usize = 80;

/// The branch of a build: `forge/build-3-due-dates`, `forge/build-3`, or `forge/build-<uuid>` as in
/// earlier versions. It cannot represent another branch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BuildBranchName(String);

impl BuildBranchName {
    /// The branch name of the build with this number; the slug, which may be empty, is of its title.
    pub fn numbered(number: u32, slug: &str) -> Result<Self, GitError> {
        let separator = if slug.is_empty() { "" } else { "-" };
        format!("{PREFIX}{number}{separator}{slug}").parse()
    }

    /// The branch name of a build without a number, by its id.
    pub fn of_build(build_id: &str) -> Result<Self, GitError> {
        if !is_uuid(build_id) {
            return Err(bad(build_id));
        }
        Ok(BuildBranchName(format!("{PREFIX}{build_id}")))
    }

    /// `forge/build-…`, without `refs/heads/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What follows `forge/build-`. No other branch of the repository has the same one.
    pub fn suffix(&self) -> &str {
        &self.0[PREFIX.len()..]
    }

    pub(crate) fn full(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl FromStr for BuildBranchName {
    type Err = GitError;

    fn from_str(name: &str) -> Result<Self, GitError> {
        let suffix = name.strip_prefix(PREFIX).ok_or_else(|| bad(name))?;
        if !is_uuid(suffix) && !is_numbered(suffix) {
            return Err(bad(name));
        }
        Ok(BuildBranchName(name.to_owned()))
    }
}

impl fmt::Display for BuildBranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether git and common file systems accept the name.
pub(crate) fn is_valid_branch(branch: &str) -> bool {
    Reference::is_valid_name(&format!("refs/heads/{branch}"))
        && branch != "HEAD"
        && !branch.starts_with('-')
        && branch.split('/').all(|part| part.len() <= MAX_NAME_PART_BYTES)
}

/// Whether the name is below `forge/`, which is for the branches of builds.
pub(crate) fn is_reserved(branch: &str) -> bool {
    branch.split('/').next().is_some_and(|first| first.eq_ignore_ascii_case("forge"))
}

/// Whether a branch that does not belong to a build may have this name.
pub fn is_users_branch(branch: &str) -> bool {
    is_valid_branch(branch) && !is_reserved(branch)
}

fn bad(name: &str) -> GitError {
    GitError::BadBranchName(name.chars().take(200).collect())
}

/// A number from 1, optionally with a slug: lowercase words and numbers, separated by single hyphens.
fn is_numbered(suffix: &str) -> bool {
    let (number, slug) = match suffix.split_once('-') {
        Some((number, slug)) => (number, Some(slug)),
        None => (suffix, None),
    };
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit())
        && !number.starts_with('0')
        && number.parse::<u32>().is_ok();
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z'))
    };
    is_number
        && slug.is_none_or(|slug| slug.len() <= MAX_SLUG_LENGTH && slug.split('-').all(is_word))
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}
