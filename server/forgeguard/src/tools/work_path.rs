//! `WorkPath`: a validated path in a worktree.

use std::{ffi::OsStr, fmt, path::Path};

use super::git_name::is_git;

/// Size limit of a path, in bytes.
const MAX_LENGTH: usize = 1_024;
/// Size limit of each name in it, in bytes, as in most file systems.
const MAX_NAME: usize = 255;

/// A path below the root of a worktree: relative, separated by `/`, without `.` and `..`, and never
/// into `.git`. The empty path is the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkPath(String);

/// Why a text is not a path in a worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPath {
    /// It begins with `/`.
    #[error("the path must be relative to the project's top folder")]
    Absolute,
    /// It contains `..`.
    #[error("the path must not contain `..`")]
    Upwards,
    /// It leads into `.git`.
    #[error("`.git` is off limits")]
    GitDirectory,
    /// Control characters.
    #[error("the path must not contain control characters")]
    ControlCharacter,
    /// `\`, which is a separator elsewhere.
    #[error("use `/` between folders, not `\\`")]
    Backslash,
    /// Longer than file systems allow.
    #[error("the path is too long")]
    TooLong,
    /// It is not valid UTF-8.
    #[error("the path is not valid UTF-8")]
    NotUtf8,
    /// The root, where a file is required.
    #[error("the path must name a file")]
    Top,
}

impl WorkPath {
    /// The root of the worktree.
    pub fn top() -> Self {
        Self(String::new())
    }

    /// Parses a path; `.` and the empty text are the root.
    pub fn parse(text: &str) -> Result<Self, InvalidPath> {
        if text.len() > MAX_LENGTH {
            return Err(InvalidPath::TooLong);
        }
        if text.starts_with('/') {
            return Err(InvalidPath::Absolute);
        }
        if text.chars().any(char::is_control) {
            return Err(InvalidPath::ControlCharacter);
        }
        if text.contains('\\') {
            return Err(InvalidPath::Backslash);
        }
        let mut names = Vec::new();
        for name in text.split('/').filter(|name| !matches!(*name, "" | ".")) {
            check_name(name)?;
            names.push(name);
        }
        Ok(Self(names.join("/")))
    }

    /// Parses a path other than the root.
    pub fn parse_file(text: &str) -> Result<Self, InvalidPath> {
        let path = Self::parse(text)?;
        if path.is_top() { Err(InvalidPath::Top) } else { Ok(path) }
    }

    /// Parses a path of the file system.
    pub fn from_os(path: &OsStr) -> Result<Self, InvalidPath> {
        Self::parse(path.to_str().ok_or(InvalidPath::NotUtf8)?)
    }

    /// The path separated by `/`; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_top(&self) -> bool {
        self.0.is_empty()
    }

    /// Its parent and its last name; `None` for the root.
    pub fn split(&self) -> Option<(Self, &str)> {
        if self.is_top() {
            return None;
        }
        let (parent, name) = self.0.rsplit_once('/').unwrap_or(("", &self.0));
        Some((Self(parent.to_owned()), name))
    }

    /// Its names, from the root.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// Whether `other` is this path or below it.
    pub fn contains(&self, other: &Self) -> bool {
        let rest = other.0.strip_prefix(&self.0);
        self.is_top() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for WorkPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_top() { "." } else { &self.0 })
    }
}

/// Whether any path, valid or not, leads into a `.git`.
pub(super) fn enters_git(path: &Path) -> bool {
    path.components().any(|name| is_git(&name.as_os_str().to_string_lossy()))
}

fn check_name(name: &str) -> Result<(), InvalidPath> {
    if name == ".." {
        Err(InvalidPath::Upwards)
    } else if name.len() > MAX_NAME {
        Err(InvalidPath::TooLong)
    } else if is_git(name) {
        Err(InvalidPath::GitDirectory)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ordinary_paths_are_made_plain() {
        for (text, plain) in [
            ("", ""),
            (".", ""),
            ("./", ""),
            ("src/a.js", "src/a.js"),
            ("./src//b/./c.js/", "src/b/c.js"),
            (".gitignore", ".gitignore"),
            (".github/x.yml", ".github/x.yml"),
            ("legit.git/x", "legit.git/x"),
            ("…/ü.md", "…/ü.md"),
            ("a..b/...", "a..b/..."),
        ] {
            assert_eq!(WorkPath::parse(text).unwrap().as_str(), plain, "{text:?}");
        }
    }

    #[test]
    fn every_invalid_path_is_rejected_with_its_reason() {
        use InvalidPath as R;
        let long_name = "n".repeat(256);
        let long_path = "d/".repeat(600);
        let wide_name = "é".repeat(128);
        for (text, reason) in [
            ("/etc/passwd", R::Absolute),
            ("//x", R::Absolute),
            ("..", R::Upwards),
            ("../x", R::Upwards),
            ("a/../../x", R::Upwards),
            ("a/..", R::Upwards),
            (".git", R::GitDirectory),
            (".git/config", R::GitDirectory),
            ("sub/.git/hooks/x", R::GitDirectory),
            (".GIT/config", R::GitDirectory),
            (".Git", R::GitDirectory),
            (".git./config", R::GitDirectory),
            (".git  ", R::GitDirectory),
            (".git/", R::GitDirectory),
            ("./.git/./config", R::GitDirectory),
            ("a//.giT. ./x", R::GitDirectory),
            ("．ｇｉｔ/config", R::GitDirectory),
            ("GIT~1/config", R::GitDirectory),
            (".git::$INDEX_ALLOCATION/x", R::GitDirectory),
            (".g\u{200c}it/config", R::GitDirectory),
            ("a\0b", R::ControlCharacter),
            ("\0", R::ControlCharacter),
            (".git\0/config", R::ControlCharacter),
            ("a/b\0/../c", R::ControlCharacter),
            ("a\nb", R::ControlCharacter),
            ("a\u{7f}", R::ControlCharacter),
            ("..\\x", R::Backslash),
            (long_name.as_str(), R::TooLong),
            (long_path.as_str(), R::TooLong),
            (wide_name.as_str(), R::TooLong),
        ] {
            assert_eq!(WorkPath::parse(text), Err(reason), "{text:?}");
        }
        assert_eq!(WorkPath::parse_file("./"), Err(R::Top));
        assert_eq!(WorkPath::from_os(OsStr::from_bytes(b"a/\xff\xfe")), Err(R::NotUtf8));
    }

    #[test]
    fn longest_names_and_paths_are_accepted() {
        let name = "n".repeat(MAX_NAME);
        let path = format!("{}d", "d/".repeat((MAX_LENGTH - 1) / 2));
        for text in [&name, &path] {
            assert_eq!(WorkPath::parse(text).as_ref().map(WorkPath::as_str), Ok(text.as_str()));
        }
        assert_eq!(WorkPath::parse(&format!("{path}/d")), Err(InvalidPath::TooLong));
    }

    #[test]
    fn folder_contains_its_descendants() {
        let path = |text| WorkPath::parse(text).unwrap();
        for (upper, lower, expected) in [
            ("", "a/b", true),
            ("a", "a", true),
            ("a", "a/b", true),
            ("a", "ab", false),
            ("a/b", "a", false),
        ] {
            assert_eq!(path(upper).contains(&path(lower)), expected, "{upper} {lower}");
        }
        assert_eq!(path("a/b/c").split(), Some((path("a/b"), "c")));
        assert_eq!(path("a").split(), Some((WorkPath::top(), "a")));
        assert_eq!(WorkPath::top().split(), None);
    }

    proptest! {
        #[test]
        fn accepted_path_stays_inside_the_worktree(
            text in "(\\.\\.|\\.|/|\\\\|\\.git|\\.GIT|~1|:| |\u{200c}|[a-c]|\0|\n){0,12}"
        ) {
            if let Ok(path) = WorkPath::parse(&text) {
                prop_assert!(!path.as_str().starts_with('/') && !path.as_str().contains('\0'));
                for name in path.names() {
                    prop_assert!(name != ".." && name != "." && !name.is_empty());
                    prop_assert!(!name.eq_ignore_ascii_case(".git"));
                }
                prop_assert_eq!(WorkPath::parse(path.as_str()), Ok(path.clone()));
            }
        }
    }
}
