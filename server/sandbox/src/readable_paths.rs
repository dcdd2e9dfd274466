//! Readable trees without the hidden trees inside them.

use std::path::{Path, PathBuf};

/// The paths to grant so that all of `readable` can be read except what is below `hidden`.
///
/// A path that itself lies below a hidden one was named explicitly and is granted. Symbolic links
/// are skipped when a tree is split: granting one would grant its target.
pub fn without_hidden(readable: &[PathBuf], hidden: &[PathBuf]) -> Vec<PathBuf> {
    let mut granted = Vec::new();
    for path in readable {
        collect_visible(path, hidden, &mut granted);
    }
    granted
}

fn collect_visible(path: &Path, hidden: &[PathBuf], granted: &mut Vec<PathBuf>) {
    let inside: Vec<PathBuf> =
        hidden.iter().filter(|hidden| hidden.starts_with(path)).cloned().collect();
    if inside.is_empty() {
        granted.push(path.to_owned());
        return;
    }
    if inside.iter().any(|hidden| hidden == path) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            collect_visible(&entry.path(), &inside, granted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings_of_hidden_tree_stay_readable() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        std::fs::create_dir_all(at("app/data/secrets")).unwrap();
        std::fs::create_dir_all(at("app/bin")).unwrap();
        std::fs::create_dir_all(at("lib")).unwrap();
        std::os::unix::fs::symlink(at("app/data"), at("link")).unwrap();

        let mut granted = without_hidden(&[top.path().to_owned()], &[at("app/data")]);
        granted.sort();
        assert_eq!(granted, [at("app/bin"), at("lib")]);
        assert!(without_hidden(&[at("app/data")], &[at("app/data")]).is_empty());
        assert_eq!(
            without_hidden(&[at("app/data/secrets")], &[at("app/data")]),
            [at("app/data/secrets")]
        );
    }
}
