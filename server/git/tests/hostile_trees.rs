//! Trees that exceed the limits of ordinary tools.

use std::{fs, io::ErrorKind::TimedOut, os::unix::fs::symlink, path::Path};

use git::{DiffTarget, GitError, Worktree, diff_files};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, statat};

use crate::project::{Project, name, request, write};

const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);

/// Creates nested directories deeper than PATH_MAX, with a file at the bottom.
fn make_deep(at: &Path, name: &str, depth: usize) {
    let mut at = openat(CWD, at, DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..depth {
        mkdirat(&at, name, Mode::from_raw_mode(0o755)).unwrap();
        at = openat(&at, name, DIRECTORY, Mode::empty()).unwrap();
    }
    let flags = OFlags::CREATE | OFlags::WRONLY;
    openat(&at, "file", flags, Mode::from_raw_mode(0o644)).unwrap();
}

fn check_deep_tree_fails_only_the_commit(part: &str, depth: usize) {
    let project = Project::new();
    let (branch, worktree) = project.build();
    make_deep(worktree.path(), part, depth);
    write(&worktree, "src/app.js", "changed\n");
    let error = branch.commit(&worktree, &request("deep")).unwrap_err();
    assert!(
        matches!(&error, GitError::PathTooLong(path) if path.starts_with(&part[..1])),
        "{error}"
    );
    assert!(error.to_string().len() < 400, "{error}");
    let changed = diff_files(&project.clone, project.first, DiffTarget::Worktree(&worktree));
    assert_eq!(changed.unwrap().files.len(), 1);
    worktree.restore().unwrap().unwrap();
    // Removal stops at its deadline and can be repeated.
    while let Err(error) = reopen(&project).remove() {
        assert!(
            matches!(&error, GitError::Io { source, .. } if source.kind() == TimedOut),
            "{error}"
        );
    }
    assert!(!project.files().exists());
}

fn reopen(project: &Project) -> Worktree {
    Worktree::open_or_create(&project.clone, &name(), &project.files()).unwrap()
}

#[test]
fn tree_deeper_than_path_max_fails_only_the_commit() {
    check_deep_tree_fails_only_the_commit("d", 2_500);
}

#[test]
fn soak_tree_of_a_hundred_thousand_levels_fails_only_the_commit() {
    check_deep_tree_fails_only_the_commit("d", 100_000);
}

#[test]
fn path_of_more_than_4095_bytes_fails_only_the_commit() {
    check_deep_tree_fails_only_the_commit(&"n".repeat(255), 16);
}

#[test]
fn deep_tree_that_is_ignored_is_not_scanned() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    fs::create_dir(worktree.path().join("node_modules")).unwrap();
    make_deep(&worktree.path().join("node_modules"), "d", 2_500);
    write(&worktree, "src/app.js", "changed\n");
    assert_eq!(branch.commit(&worktree, &request("deep")).unwrap().unwrap().files, 1);
    worktree.remove().unwrap();
    assert!(!project.files().exists());
}

#[test]
fn longest_path_is_committed_and_checked_out() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    // 15 names of 255 bytes, the last one shorter, with their separators and `/file`.
    let names = [vec!["n".repeat(255); 15], vec!["n".repeat(250)]].concat();
    let path = format!("{}/file", names.join("/"));
    assert_eq!(path.len(), 4_095);
    let mut at = openat(CWD, worktree.path(), DIRECTORY, Mode::empty()).unwrap();
    for name in names {
        mkdirat(&at, &name, Mode::from_raw_mode(0o755)).unwrap();
        at = openat(&at, &name, DIRECTORY, Mode::empty()).unwrap();
    }
    openat(&at, "file", OFlags::CREATE | OFlags::WRONLY, Mode::from_raw_mode(0o644)).unwrap();
    let commit = branch.commit(&worktree, &request("long")).unwrap().unwrap();
    assert!(project.clone.tree(commit.sha).unwrap().iter().any(|entry| entry.path == path));
    let to = project.path("export");
    project.clone.export(commit.sha, &to).unwrap();
    let root = openat(CWD, &to, DIRECTORY, Mode::empty()).unwrap();
    statat(&root, path.as_str(), AtFlags::empty()).unwrap();
}

#[test]
fn sparse_file_beyond_the_limit_fails_the_commit_and_is_not_read() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    for (path, is_new) in [("huge", true), ("README.md", false)] {
        let file = fs::File::create(worktree.path().join(path)).unwrap();
        file.set_len(50_000_000_000).unwrap();
        let error = branch.commit(&worktree, &request("huge")).unwrap_err();
        assert!(matches!(&error, GitError::FileTooLarge { path: p, .. } if p == path), "{error}");
        let changed = diff_files(&project.clone, project.first, DiffTarget::Worktree(&worktree));
        let changed = changed.unwrap();
        assert!(changed.truncated);
        let file = &changed.files[0];
        let expected = if is_new { git::FileStatus::Added } else { git::FileStatus::Modified };
        assert_eq!((file.path.as_str(), file.status, file.binary), (path, expected, true));
        fs::remove_file(worktree.path().join(path)).unwrap();
    }
    // A tracked file that cannot be committed is restored.
    fs::File::create(worktree.path().join("README.md")).unwrap().set_len(1 << 40).unwrap();
    worktree.restore().unwrap();
    assert_eq!(fs::read_to_string(worktree.path().join("README.md")).unwrap(), "# Demo\n");
}

#[test]
fn worktree_replaced_by_a_link_is_rejected() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let outside = project.path("outside");
    fs::rename(worktree.path(), &outside).unwrap();
    symlink(&outside, worktree.path()).unwrap();
    write(&worktree, "src/app.js", "changed\n");
    assert!(branch.commit(&worktree, &request("link")).is_err());
    assert!(worktree.restore().is_err() && worktree.clone().remove().is_err());
    assert_eq!(fs::read_to_string(outside.join("src/app.js")).unwrap(), "changed\n");
}
