//! The gate `scope`: every changed path lies inside what the phase may change.

use git::FileChange;
use globset::{GlobBuilder, GlobSetBuilder};

use super::complaint::Complaint;

/// Paths outside all globs, as complaints. No globs means that any path may change.
pub fn complaints(changed: &[FileChange], globs: &[String]) -> Vec<Complaint> {
    if globs.is_empty() {
        return Vec::new();
    }
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        match GlobBuilder::new(glob).literal_separator(true).build() {
            Ok(glob) => set.add(glob),
            Err(error) => return unreadable(&error),
        };
    }
    let set = match set.build() {
        Ok(set) => set,
        Err(error) => return unreadable(&error),
    };
    let touched = |change: &FileChange| {
        [Some(change.path.clone()), change.old_path.clone()].into_iter().flatten()
    };
    let outside = changed.iter().flat_map(touched).filter(|path| !set.is_match(path));
    let why = format!("outside the phase's scope ({})", globs.join(", "));
    outside.map(|path| Complaint::about(&path, &why)).collect()
}

fn unreadable(error: &globset::Error) -> Vec<Complaint> {
    vec![Complaint { file: None, text: format!("the phase's scope cannot be read: {error}") }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use git::FileStatus;

    fn change(path: &str, old_path: Option<&str>) -> FileChange {
        FileChange {
            path: path.into(),
            old_path: old_path.map(Into::into),
            status: FileStatus::Modified,
            insertions: 1,
            deletions: 0,
            binary: false,
        }
    }

    #[test]
    fn complains_of_each_path_outside() {
        let globs = ["src/**".to_owned(), "test/*.js".to_owned()];
        for (path, old_path, count) in [
            ("src/a/b.js", None, 0),
            ("test/a.js", None, 0),
            ("test/deep/a.js", None, 1),
            ("package.json", None, 1),
            ("src/new.js", Some("lib/old.js"), 1),
        ] {
            let found = complaints(&[change(path, old_path)], &globs);
            assert_eq!(found.len(), count, "{path}: {found:?}");
        }
        assert!(complaints(&[change("any", None)], &[]).is_empty());
        assert_eq!(complaints(&[], &["[".to_owned()]).len(), 1);
    }
}
