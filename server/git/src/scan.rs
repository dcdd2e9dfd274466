//! Scans a worktree for files that differ from an index by size, time or mode.

use std::{
    ffi::OsStr,
    io,
    os::unix::ffi::OsStrExt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::Instant,
};

use git2::IndexEntry;
use rootdir::{FileKind, FileStat, RootDir, is_missing, is_temporary};

use crate::{
    error::GitError,
    ignore_rules::IgnoreRules,
    index_entry::{self, SUBMODULE},
    parallel::{in_parts, part_length},
    path::of_bytes,
    special_names,
};

/// A directory in the worktree's root that is never committed.
const PRIVATE_DIRECTORY: &[u8] = b"Forge";
/// Limit on files and directories.
const MAX_ENTRIES: usize = 500_000;
/// Entries between two checks of the deadline.
const ENTRIES_PER_DEADLINE_CHECK: usize = 256;
/// With so many directories left, threads share them; below, a thread costs more than it saves.
const DIRECTORIES_TO_SHARE: usize = 64;
/// Length to which paths in errors are truncated.
const MAX_SHOWN_PATH_BYTES: usize = 200;

/// The files of an index, by path.
pub(crate) struct Tracked {
    pub(crate) entries: Vec<IndexEntry>,
    /// When the index was written; if never, all files are treated as changed.
    pub(crate) written: (i32, u32),
}

/// Things that cannot be committed and are listed.
pub(crate) const MAX_REFUSED: usize = 20;

/// A file or a link that is new, or may differ from its index entry.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) path: Vec<u8>,
    pub(crate) bytes: u64,
}

#[derive(Default)]
pub(crate) struct Scan {
    pub(crate) changed: Vec<Changed>,
    /// Paths of the index that no longer exist as such. Empty if the scan is incomplete.
    pub(crate) missing: Vec<Vec<u8>>,
    /// What cannot be committed and was passed over, at most [`MAX_REFUSED`].
    pub(crate) refused: Vec<GitError>,
    /// Why not everything was looked at.
    pub(crate) incomplete: Option<GitError>,
}

/// Compares the files below `root` with an index. Ignored files that are not tracked are skipped,
/// and so are `.git` and, in the root, `Forge`.
pub(crate) fn scan(root: &RootDir, tracked: &Tracked, deadline: Option<Instant>) -> Scan {
    let shared = Shared {
        root,
        tracked,
        deadline,
        seen: tracked.entries.iter().map(|_| AtomicBool::new(false)).collect(),
        entry_count: AtomicUsize::new(0),
    };
    let mut scan = match IgnoreRules::of_root(root) {
        Ok(rules) => shared.walk(Directory { path: Vec::new(), rules: Some(rules) }),
        Err(error) => {
            Scan { incomplete: Some(unreadable(b".gitignore", error)), ..Scan::default() }
        }
    };
    if scan.incomplete.is_none() {
        let missing = tracked.entries.iter().zip(shared.seen).filter(|(entry, seen)| {
            !seen.load(Relaxed)
                && entry.path.split(|byte| *byte == b'/').next() != Some(PRIVATE_DIRECTORY)
        });
        scan.missing = missing.map(|(entry, _)| entry.path.clone()).collect();
    }
    scan
}

/// Whether a scan includes an existing file: it is tracked, or not ignored.
pub(crate) fn is_visible(root: &RootDir, tracked: &Tracked, path: &Path) -> io::Result<bool> {
    let names: Vec<&[u8]> = path.iter().map(OsStr::as_bytes).collect();
    if names.first() == Some(&PRIVATE_DIRECTORY)
        || names.iter().any(|name| special_names::is_dot_git(name))
    {
        return Ok(false);
    }
    if tracked.position(path.as_os_str().as_bytes()).is_some() {
        return Ok(true);
    }
    let mut rules = IgnoreRules::of_root(root)?;
    let directories: Vec<&Path> = path.ancestors().skip(1).collect();
    for directory in directories.into_iter().rev().filter(|path| !path.as_os_str().is_empty()) {
        if rules.is_ignored(directory, true) {
            return Ok(false);
        }
        rules = rules.enter(root, directory)?;
    }
    Ok(!rules.is_ignored(path, false))
}

impl Tracked {
    fn position(&self, path: &[u8]) -> Option<usize> {
        self.entries.binary_search_by(|entry| entry.path.as_slice().cmp(path)).ok()
    }

    /// Whether the path is a directory with tracked files.
    fn is_directory(&self, path: &[u8]) -> bool {
        let prefix = [path, b"/"].concat();
        let first = self.entries.partition_point(|entry| entry.path < prefix);
        self.entries.get(first).is_some_and(|entry| entry.path.starts_with(&prefix))
    }
}

/// What the threads of a scan share.
struct Shared<'a> {
    root: &'a RootDir,
    tracked: &'a Tracked,
    deadline: Option<Instant>,
    /// For each tracked entry.
    seen: Vec<AtomicBool>,
    entry_count: AtomicUsize,
}

/// The part of a scan in one thread.
struct Walk<'a> {
    shared: &'a Shared<'a>,
    pending: Vec<Directory>,
    scan: Scan,
}

#[derive(Clone)]
struct Directory {
    path: Vec<u8>,
    /// `None` in an ignored directory, where only tracked files are included.
    rules: Option<Arc<IgnoreRules>>,
}

impl Shared<'_> {
    fn walk(&self, top: Directory) -> Scan {
        let mut first = Walk { shared: self, pending: vec![top], scan: Scan::default() };
        first.run_until(DIRECTORIES_TO_SHARE);
        let Walk { pending, mut scan, .. } = first;
        let others = in_parts(&pending, part_length(pending.len(), 1), |part| {
            let mut walk = Walk { shared: self, pending: part.to_vec(), scan: Scan::default() };
            walk.run_until(usize::MAX);
            Ok(walk.scan)
        });
        match others {
            Ok(others) => others.into_iter().for_each(|other| scan.add(other)),
            Err(error) => scan.incomplete = Some(error),
        }
        scan
    }

    fn must_end(&self) -> bool {
        self.entry_count.load(Relaxed) > MAX_ENTRIES || self.is_late()
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }
}

impl Scan {
    fn add(&mut self, other: Self) {
        self.changed.extend(other.changed);
        self.refused.extend(other.refused);
        self.refused.truncate(MAX_REFUSED);
        self.incomplete = self.incomplete.take().or(other.incomplete);
    }
}

impl Walk<'_> {
    /// Reads directories level by level until so many are left, or none.
    fn run_until(&mut self, enough: usize) {
        while !self.pending.is_empty() && self.pending.len() < enough {
            for directory in std::mem::take(&mut self.pending) {
                if let Err(error) = self.read(&directory) {
                    self.scan.incomplete.get_or_insert(error);
                    // An unreadable directory does not stop the scan of others.
                    if self.shared.must_end() {
                        self.pending.clear();
                        return;
                    }
                }
            }
        }
    }

    fn read(&mut self, directory: &Directory) -> Result<(), GitError> {
        let failed = |error| unreadable(&directory.path, error);
        let listing = match self.shared.root.list(of_bytes(&directory.path)) {
            // It was replaced since it was listed.
            Err(error) if is_missing(&error) => return Ok(()),
            listing => listing.map_err(failed)?,
        };
        for entry in listing {
            let (name, stat) = entry.map_err(failed)?;
            let count = self.shared.entry_count.fetch_add(1, Relaxed) + 1;
            if count > MAX_ENTRIES {
                return Err(GitError::TooManyFiles(MAX_ENTRIES));
            }
            if count.is_multiple_of(ENTRIES_PER_DEADLINE_CHECK) && self.shared.is_late() {
                return Err(GitError::DeadlineExceeded);
            }
            self.visit(directory, &name, &stat)?;
        }
        Ok(())
    }

    fn visit(
        &mut self,
        directory: &Directory,
        name: &OsStr,
        stat: &FileStat,
    ) -> Result<(), GitError> {
        let path = join(&directory.path, name.as_bytes());
        if name == ".git" || (directory.path.is_empty() && name.as_bytes() == PRIVATE_DIRECTORY) {
            return Ok(());
        }
        let kind = FileKind::of(stat);
        let tracked = self.shared.tracked;
        let position = tracked.position(&path);
        if kind == FileKind::Directory {
            return self.visit_directory(directory, path, position);
        }
        if kind == FileKind::Other {
            return Ok(());
        }
        if let Some(position) = position {
            self.shared.seen[position].store(true, Relaxed);
            let entry = &tracked.entries[position];
            if index_entry::describes(entry, stat, tracked.written) {
                return Ok(());
            }
        } else {
            let Some(rules) = &directory.rules else { return Ok(()) };
            if is_temporary(name) || rules.is_ignored(of_bytes(&path), false) {
                return Ok(());
            }
        }
        if self.is_refused(&path, name) {
            return Ok(());
        }
        let bytes = u64::try_from(stat.st_size).unwrap_or_default();
        self.scan.changed.push(Changed { path, bytes });
        Ok(())
    }

    fn visit_directory(
        &mut self,
        parent: &Directory,
        path: Vec<u8>,
        position: Option<usize>,
    ) -> Result<(), GitError> {
        if let Some(position) = position
            && self.shared.tracked.entries[position].mode == SUBMODULE
        {
            self.shared.seen[position].store(true, Relaxed);
            return Ok(());
        }
        let place = of_bytes(&path);
        let rules = parent.rules.as_ref().filter(|rules| !rules.is_ignored(place, true));
        if rules.is_none() && !self.shared.tracked.is_directory(&path) {
            return Ok(());
        }
        if self.is_refused(&path, place.file_name().unwrap_or_default()) {
            return Ok(());
        }
        let rules = match rules.map(|rules| rules.enter(self.shared.root, place)).transpose() {
            Err(error) if is_missing(&error) => return Ok(()),
            rules => rules.map_err(|error| unreadable(&join(&path, b".gitignore"), error))?,
        };
        self.pending.push(Directory { path, rules });
        Ok(())
    }

    /// Records a path that git cannot store or the system cannot open.
    fn is_refused(&mut self, path: &[u8], name: &OsStr) -> bool {
        let error = if special_names::is_too_long(path) {
            GitError::PathTooLong(shown(&path[..path.len().min(MAX_SHOWN_PATH_BYTES)]))
        } else if special_names::is_dot_git(name.as_bytes()) {
            GitError::UnstorablePath(shown(path))
        } else {
            return false;
        };
        if self.scan.refused.len() < MAX_REFUSED {
            self.scan.refused.push(error);
        }
        true
    }
}

fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    match directory {
        [] => name.to_vec(),
        _ => [directory, b"/", name].concat(),
    }
}

fn unreadable(path: &[u8], error: io::Error) -> GitError {
    GitError::io(format!("read `{}` in the worktree", shown(path)))(error)
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt, symlink},
        path::PathBuf,
        time::Duration,
    };

    use git2::Repository;

    use super::*;
    use crate::staging;

    struct Files {
        top: tempfile::TempDir,
        repository: Repository,
    }

    impl Files {
        fn new(count: usize) -> Self {
            let top = tempfile::tempdir().unwrap();
            let repository = Repository::init_bare(top.path().join("repository")).unwrap();
            let files = Files { top, repository };
            for n in 0..count {
                let path = files.path(&format!("{}/{n}", n % 7));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, n.to_string()).unwrap();
            }
            files
        }

        fn path(&self, path: &str) -> PathBuf {
            self.top.path().join("files").join(path)
        }

        fn root(&self) -> RootDir {
            RootDir::open(&self.path("")).unwrap()
        }

        fn stage(&self) -> staging::Staged {
            let mut staged = staging::stage(&self.repository, &self.root()).unwrap();
            staged.index.write().unwrap();
            staged
        }

        /// The files that would be read if the index had been written long after them.
        fn changed(&self) -> Vec<String> {
            let reopened = Repository::open_bare(self.repository.path()).unwrap();
            let (_, mut tracked) = staging::open_index(&reopened).unwrap();
            tracked.written = (i32::MAX, 0);
            let scan = scan(&self.root(), &tracked, None);
            assert!(scan.incomplete.is_none() && scan.refused.is_empty());
            let paths = scan.changed.into_iter().map(|changed| changed.path).chain(scan.missing);
            let mut paths: Vec<_> = paths.map(|path| String::from_utf8(path).unwrap()).collect();
            paths.sort();
            paths
        }
    }

    #[test]
    fn unchanged_files_are_not_read() {
        let files = Files::new(500);
        symlink("0/0", files.path("link")).unwrap();
        assert_eq!(files.changed().len(), 501);
        let first = files.stage();
        assert_eq!(files.changed(), [""; 0]);
        assert_eq!(files.stage().tree, first.tree);
    }

    #[test]
    fn files_with_changed_content_type_mode_or_path_are_read() {
        let files = Files::new(20);
        files.stage();
        fs::write(files.path("0/0"), "X").unwrap();
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(files.path("1/1"), mode).unwrap();
        fs::remove_file(files.path("2/2")).unwrap();
        symlink("x", files.path("2/2")).unwrap();
        fs::rename(files.path("3/3"), files.path("3/moved")).unwrap();
        fs::remove_dir_all(files.path("4")).unwrap();
        fs::write(files.path("4"), "file").unwrap();
        let expected = ["0/0", "1/1", "2/2", "3/3", "3/moved", "4", "4/11", "4/18", "4/4"];
        assert_eq!(files.changed(), expected);
        files.stage();
        assert_eq!(files.changed(), [""; 0]);
    }

    #[test]
    fn changes_in_many_directories_are_found() {
        let files = Files::new(0);
        let count = DIRECTORIES_TO_SHARE * 2;
        for n in 0..count {
            fs::create_dir_all(files.path(&format!("{n}/inner"))).unwrap();
            for path in [format!("{n}/a"), format!("{n}/inner/b")] {
                fs::write(files.path(&path), &path).unwrap();
            }
        }
        files.stage();
        assert_eq!(files.changed(), [""; 0]);
        let last = count - 1;
        fs::write(files.path("0/a"), "X").unwrap();
        fs::write(files.path(&format!("{last}/inner/new")), "X").unwrap();
        fs::remove_dir_all(files.path("7/inner")).unwrap();
        assert_eq!(files.changed(), ["0/a", &format!("{last}/inner/new"), "7/inner/b"]);
    }

    #[test]
    fn file_that_changed_when_the_index_was_written_is_read_again() {
        let files = Files::new(1);
        files.stage();
        let (_, mut tracked) = staging::open_index(&files.repository).unwrap();
        tracked.written = index_entry::instant(tracked.entries[0].ctime);
        assert_eq!(scan(&files.root(), &tracked, None).changed.len(), 1);
    }

    #[test]
    fn scan_past_its_deadline_reports_nothing_as_missing() {
        let files = Files::new(3_000);
        files.stage();
        let (_, tracked) = staging::open_index(&files.repository).unwrap();
        let past = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
        let scan = scan(&files.root(), &tracked, Some(past));
        assert!(matches!(scan.incomplete, Some(GitError::DeadlineExceeded)));
        assert_eq!(scan.missing, [[0; 0]; 0]);
    }
}
