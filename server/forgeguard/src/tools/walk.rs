//! The files below a folder of the worktree, in order of their names, without what is ignored.

use ignore::{DirEntry, WalkBuilder};

use super::{work_path::WorkPath, worktree::Worktree};

/// Everything below `start`, at most `depth` names down: `.gitignore` is honoured, hidden files
/// are shown, `.git` is not, links are named but not followed, names that are not plain UTF-8
/// are left out.
pub fn walk(
    tree: &Worktree,
    start: &WorkPath,
    depth: Option<usize>,
) -> impl Iterator<Item = WorkPath> + use<> {
    let root = tree.root().to_owned();
    let place = move |entry: &DirEntry| {
        let below = entry.path().strip_prefix(&root).ok()?;
        WorkPath::from_os(below.as_os_str()).ok()
    };
    let (on_the_way, placed, above) = (start.clone(), place.clone(), start.clone());
    // From the top even for a folder deep down, because ignore files above it count too.
    let entries = WalkBuilder::new(tree.root())
        .hidden(false)
        .parents(false)
        .require_git(false)
        .git_global(false)
        .git_exclude(false)
        .max_depth(depth.map(|depth| depth + start.names().count()))
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(move |entry| {
            placed(entry)
                .is_some_and(|path| on_the_way.contains(&path) || path.contains(&on_the_way))
        })
        .build();
    entries
        .flatten()
        .filter_map(move |entry| place(&entry))
        .filter(move |path| above.contains(path) && *path != above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn honours_ignore_files_and_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["src/b.js", "src/a.js", "src/deep/x/y.js", ".env", "dist/out.js", ".git/HEAD"]
        {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "x").unwrap();
        }
        fs::write(root.join(".gitignore"), "dist/\ny.js\n").unwrap();
        std::os::unix::fs::symlink("/etc", root.join("src/link")).unwrap();
        let tree = Worktree::open(root).unwrap();
        let list = |start: &str, depth| -> Vec<String> {
            let start = WorkPath::parse(start).unwrap();
            walk(&tree, &start, depth).map(|path| path.to_string()).collect()
        };
        assert_eq!(list("", Some(1)), [".env", ".gitignore", "src"]);
        assert_eq!(
            list("src", None),
            ["src/a.js", "src/b.js", "src/deep", "src/deep/x", "src/link"]
        );
        assert_eq!(list("src", Some(1)), ["src/a.js", "src/b.js", "src/deep", "src/link"]);
        assert!(list("dist", None).is_empty() && list("none", None).is_empty());
    }
}
