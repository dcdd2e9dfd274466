//! Files that git reads wherever they stand in a worktree, kept from leading it astray.

use std::{ffi::OsStr, fs, io, path::Path};

const NAMES: [&str; 3] = [".gitignore", ".gitattributes", ".gitmodules"];

/// Removes those that are neither a file nor a link to one in the worktree. Opening a pipe waits
/// for ever, what a device or a file elsewhere holds is nobody's rule, and no git checks out a
/// `.gitmodules` that is a link.
pub(crate) fn tame(worktree: &Path) -> io::Result<()> {
    let root = fs::canonicalize(worktree)?;
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        // What cannot be listed here cannot be listed by git either.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                if entry.file_name() != ".git" {
                    folders.push(entry.path());
                }
            } else if !kind.is_file()
                && is_rule_file(&entry.file_name())
                && !is_harmless(&root, &entry.path())
            {
                let path = entry.path();
                tracing::warn!(path = %path.display(), "removed: git would have read rules from it");
                fs::remove_file(path)?;
            }
        }
    }
    Ok(())
}

/// Whether some file system takes the name for `.gitmodules`.
pub(crate) fn is_gitmodules(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_lowercase();
    let ignored = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen: String = name.chars().filter(|c| !ignored(c)).collect();
    let stem = seen.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']);
    stem == ".gitmodules" || ["gitmod~", "gi7eba~"].iter().any(|short| stem.starts_with(short))
}

fn is_rule_file(name: &OsStr) -> bool {
    NAMES.iter().any(|rule| name == *rule)
}

/// Whether opening it leads to a file in the worktree, or to nothing that can be read.
fn is_harmless(root: &Path, path: &Path) -> bool {
    let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    is_link
        && path.file_name() != Some(OsStr::new(".gitmodules"))
        && match fs::metadata(path) {
            Ok(found) if found.is_file() => {
                fs::canonicalize(path).is_ok_and(|target| target.starts_with(root))
            }
            Ok(found) => found.is_dir(),
            Err(_) => true,
        }
}
