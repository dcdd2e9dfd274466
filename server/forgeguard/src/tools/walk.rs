//! Walks the files below a folder of the worktree in the order of their names.

use std::sync::Arc;

use git::IgnoreRules;
use rootdir::{FileKind, RootDir};

use super::{work_path::WorkPath, worktree::Worktree};

/// Entries read per folder.
const MAX_NAMES: usize = 100_000;

/// All entries below `start`, up to `depth` levels. Files in `.gitignore`, `.git`, and names that are
/// not valid UTF-8 are skipped; hidden files are included; links are listed but not followed. Folders
/// that cannot be read are skipped.
pub fn walk(
    tree: &Worktree,
    start: &WorkPath,
    depth: Option<usize>,
) -> impl Iterator<Item = WorkPath> + use<> {
    let (start, depth) = (start.clone(), depth.unwrap_or(usize::MAX));
    tree.directory()
        .open_dir("")
        .ok()
        .and_then(|root| {
            let rules = rules_of(&root, &start)?;
            let mut walk = Walk { root, pending: Vec::new() };
            walk.enter(&Entry { path: start, is_directory: true, depth, rules });
            Some(walk)
        })
        .into_iter()
        .flatten()
}

/// The ignore rules of a folder's entries; `None` if the folder is ignored.
fn rules_of(root: &RootDir, folder: &WorkPath) -> Option<Arc<IgnoreRules>> {
    let mut rules = IgnoreRules::of_root(root).ok()?;
    let mut place = String::new();
    for name in folder.names() {
        place = if place.is_empty() { name.to_owned() } else { format!("{place}/{name}") };
        if rules.is_ignored(place.as_ref(), true) {
            return None;
        }
        if place != folder.as_str() {
            rules = rules.enter(root, place.as_ref()).unwrap_or(rules);
        }
    }
    Some(rules)
}

struct Walk {
    root: RootDir,
    /// In reverse order.
    pending: Vec<Entry>,
}

struct Entry {
    path: WorkPath,
    is_directory: bool,
    /// Remaining levels.
    depth: usize,
    /// The rules of its parent.
    rules: Arc<IgnoreRules>,
}

impl Walk {
    /// Adds the entries of a folder before all pending ones.
    fn enter(&mut self, folder: &Entry) {
        let Some(depth) = folder.depth.checked_sub(1) else { return };
        let Ok(listing) = self.root.list(folder.path.as_str()) else { return };
        let rules = folder.rules.clone();
        let rules = match folder.path.is_top() {
            true => rules,
            false => rules.enter(&self.root, folder.path.as_str().as_ref()).unwrap_or(rules),
        };
        let found = listing.take(MAX_NAMES).flatten().filter_map(|(name, stat)| {
            let name = name.to_str()?;
            let path = match folder.path.is_top() {
                true => WorkPath::parse(name),
                false => WorkPath::parse(&format!("{}/{name}", folder.path.as_str())),
            };
            let (path, is_directory) = (path.ok()?, FileKind::of(&stat) == FileKind::Directory);
            let ignored = rules.is_ignored(path.as_str().as_ref(), is_directory);
            (!ignored).then(|| Entry { path, is_directory, depth, rules: rules.clone() })
        });
        let mut found: Vec<Entry> = found.collect();
        found.sort_by(|one, other| other.path.as_str().cmp(one.path.as_str()));
        self.pending.extend(found);
    }
}

impl Iterator for Walk {
    type Item = WorkPath;

    fn next(&mut self) -> Option<WorkPath> {
        let entry = self.pending.pop()?;
        if entry.is_directory {
            self.enter(&entry);
        }
        Some(entry.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    use rustix::fs::Mode;

    #[test]
    fn ignore_files_and_order_are_respected() {
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

    #[test]
    fn nearest_ignore_file_takes_precedence() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["a.log", "in/a.log", "in/b.txt", "in/deep/b.txt", "out/a.log", "in/c"] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "x").unwrap();
        }
        fs::write(root.join(".gitignore"), "*.log\n/out\n").unwrap();
        fs::write(root.join("in/.gitignore"), "!a.log\n/b.txt\n").unwrap();
        let tree = Worktree::open(root).unwrap();
        let start = WorkPath::parse("").unwrap();
        let found: Vec<String> = walk(&tree, &start, None).map(|path| path.to_string()).collect();
        let expected =
            [".gitignore", "in", "in/.gitignore", "in/a.log", "in/c", "in/deep", "in/deep/b.txt"];
        assert_eq!(found, expected);
    }

    #[test]
    fn ignore_file_that_is_not_a_regular_file_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("linked")).unwrap();
        fs::write(root.join("a.js"), "x").unwrap();
        fs::write(root.join("linked/a.js"), "x").unwrap();
        let pipe = |name: &str| {
            let mode = Mode::RUSR | Mode::WUSR;
            let kind = rustix::fs::FileType::Fifo;
            rustix::fs::mknodat(rustix::fs::CWD, root.join(name), kind, mode, 0).unwrap();
        };
        [".gitignore", ".ignore", ".rgignore"].into_iter().for_each(pipe);
        std::os::unix::fs::symlink("../a.js", root.join("linked/.gitignore")).unwrap();
        fs::write(root.join("a.js"), "a.js\n").unwrap();
        let tree = Worktree::open(root).unwrap();
        let start = WorkPath::parse("").unwrap();
        let found: Vec<String> = walk(&tree, &start, None).map(|path| path.to_string()).collect();
        assert!(found.contains(&"linked/a.js".to_owned()), "{found:?}");
    }
}
