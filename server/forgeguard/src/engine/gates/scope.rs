//! The gate `scope`: every changed path lies within the scope of the phase.

use git::{FileChange, FileStatus};

use super::file_problem::FileProblem;
use crate::tools::Scope;

/// Paths outside the phase's scope, as problems that say how to undo the change.
pub fn problems(changed: &[FileChange], globs: &[String]) -> Vec<FileProblem> {
    let scope = match Scope::of(globs) {
        Ok(Some(scope)) => scope,
        Ok(None) => return Vec::new(),
        Err(error) => {
            let text = format!("the phase's scope cannot be read: {error}");
            return vec![FileProblem { file: None, text }];
        }
    };
    let outside = changed.iter().flat_map(changed_paths).filter(|(path, _)| !scope.contains(path));
    outside
        .map(|(path, is_new)| {
            let remedy = if is_new { "remove it" } else { "restore it from HEAD" };
            let why = format!("outside the phase's scope ({}): {remedy}", scope.text());
            FileProblem::about(path, why)
        })
        .collect()
}

/// The paths that a change affects, and whether each is new.
fn changed_paths(change: &FileChange) -> impl Iterator<Item = (&str, bool)> {
    let is_new = change.old_path.is_some() || change.status == FileStatus::Added;
    let old = change.old_path.as_deref().map(|path| (path, false));
    [Some((change.path.as_str(), is_new)), old].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, old_path: Option<&str>) -> FileChange {
        FileChange {
            path: path.into(),
            old_path: old_path.map(Into::into),
            status: FileStatus::Modified,
            insertions: 1,
            deletions: 0,
            binary: false,
            content_id: None,
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
            let found = problems(&[change(path, old_path)], &globs);
            assert_eq!(found.len(), count, "{path}: {found:?}");
        }
        let moved = problems(&[change("lib/new.js", Some("lib/old.js"))], &globs);
        let texts: Vec<&str> = moved.iter().map(|problem| problem.text.as_str()).collect();
        assert!(texts[0].ends_with("remove it"), "{texts:?}");
        assert!(texts[1].ends_with("restore it from HEAD"), "{texts:?}");
        assert!(problems(&[change("any", None)], &[]).is_empty());
        assert_eq!(problems(&[], &["[".to_owned()]).len(), 1);
    }
}
