//! Names that git or a file system treats specially.

/// The longest path that the system can open.
pub(crate) const MAX_PATH_BYTES: usize = 4_095;
/// Limit on directories above a file, because the system resolves each of them on every access.
pub(crate) const MAX_DEPTH: usize = 512;

/// Whether a path can be committed: it is not too long or deep, and no file system treats a
/// component as `.git`.
pub(crate) fn is_storable(path: &[u8]) -> bool {
    !is_too_long(path) && !path.split(|byte| *byte == b'/').any(is_dot_git)
}

pub(crate) fn is_too_long(path: &[u8]) -> bool {
    path.len() > MAX_PATH_BYTES || path.iter().filter(|byte| **byte == b'/').count() > MAX_DEPTH
}

/// Whether a file system treats the name as `.git`.
pub(crate) fn is_dot_git(name: &[u8]) -> bool {
    // NTFS treats backslashes as separators.
    name.split(|byte| *byte == b'\\').any(|part| matches!(&*folded(part), ".git" | "git~1"))
}

/// Whether a file system treats the name as `.gitmodules`.
pub(crate) fn is_gitmodules(name: &[u8]) -> bool {
    let name = folded(name);
    name == ".gitmodules" || ["gitmod~", "gi7eba~"].iter().any(|short| name.starts_with(short))
}

/// The name in lower case, without characters that HFS+ ignores and suffixes that NTFS ignores.
fn folded(name: &[u8]) -> String {
    let lower = String::from_utf8_lossy(name).to_lowercase();
    let ignored = |c: &char| {
        matches!(c,
            '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
    };
    let seen: String = lower.chars().filter(|c| !ignored(c)).collect();
    seen.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_dot_git_are_recognised() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            "git~1",
            "GIT~1",
            ".git.",
            ".git ",
            ".git . .",
            ".git:stream",
            ".git::$INDEX_ALLOCATION",
            ".g\u{200c}it",
            "\u{feff}.git",
            "a\\.git",
            ".git\\config",
        ] {
            assert!(is_dot_git(name.as_bytes()), "{name:?}");
        }
        for name in [".gitignore", ".github", "git", "a.git", ".git2", "git~2", "..git", "", "..."]
        {
            assert!(!is_dot_git(name.as_bytes()), "{name:?}");
        }
    }

    #[test]
    fn spellings_of_gitmodules_are_recognised() {
        for name in [".gitmodules", ".GITMODULES", "gitmod~1", "GI7EBA~2", ".gitmodules. "] {
            assert!(is_gitmodules(name.as_bytes()), "{name:?}");
        }
        assert!(!is_gitmodules(b".gitmodule") && !is_gitmodules(b"gitmodules"));
    }

    #[test]
    fn long_paths_are_not_storable() {
        assert!(is_storable("d/".repeat(512).as_bytes()));
        assert!(!is_storable("d/".repeat(513).as_bytes()));
        assert!(is_storable("n".repeat(4_095).as_bytes()));
        assert!(!is_storable("n".repeat(4_096).as_bytes()));
        assert!(!is_storable(b"src/GIT~1/config"));
    }
}
