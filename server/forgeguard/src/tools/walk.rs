//! The files below a folder of the worktree, in order of their names, without what is ignored.

use std::{
    collections::HashMap,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use ignore::{
    DirEntry, Match, WalkBuilder,
    gitignore::{Gitignore, GitignoreBuilder},
};
use rustix::fs::{Mode, OFlags};

use super::{work_path::WorkPath, worktree::Worktree};

/// Bytes of an ignore file that are read.
const MAX_RULES: u64 = 1024 * 1024;

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
    let ignored = Ignored::below(tree.root());
    // From the top even for a folder deep down, because ignore files above it count too. The
    // walker would open whatever is called like one, and wait for ever where that is a pipe.
    let entries = WalkBuilder::new(tree.root())
        .standard_filters(false)
        .max_depth(depth.map(|depth| depth + start.names().count()))
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(move |entry| {
            placed(entry)
                .is_some_and(|path| on_the_way.contains(&path) || path.contains(&on_the_way))
                && !ignored.has(entry)
        })
        .build();
    entries
        .flatten()
        .filter_map(move |entry| place(&entry))
        .filter(move |path| above.contains(path) && *path != above)
}

/// What `.gitignore` files leave out, each read once when its folder is entered.
struct Ignored {
    root: PathBuf,
    rules: Mutex<HashMap<PathBuf, Arc<Gitignore>>>,
}

impl Ignored {
    fn below(root: &Path) -> Self {
        Self { root: root.to_owned(), rules: Mutex::default() }
    }

    /// The nearest file that says something about an entry decides.
    fn has(&self, entry: &DirEntry) -> bool {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let folders = entry.path().ancestors().skip(1);
        for folder in folders.take_while(|folder| folder.starts_with(&self.root)) {
            match self.of(folder).matched(entry.path(), is_folder) {
                Match::None => {}
                decided => return decided.is_ignore(),
            }
        }
        false
    }

    fn of(&self, folder: &Path) -> Arc<Gitignore> {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = rules.get(folder) {
            return known.clone();
        }
        let read = Arc::new(read(folder).unwrap_or_else(Gitignore::empty));
        rules.insert(folder.to_owned(), read.clone());
        read
    }
}

/// The rules of a folder. As with git, a link is not followed; a pipe is not waited for.
fn read(folder: &Path) -> Option<Gitignore> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::open(folder.join(".gitignore"), flags, Mode::empty()).ok()?;
    let file = File::from(opened);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_RULES).read_to_end(&mut bytes).ok()?;
    let mut rules = GitignoreBuilder::new(folder);
    for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
        // A line that is no pattern is passed over.
        let _ = rules.add_line(None, line);
    }
    rules.build().ok()
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

    #[test]
    fn the_nearest_ignore_file_decides() {
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
    fn what_only_looks_like_an_ignore_file_is_not_opened() {
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
