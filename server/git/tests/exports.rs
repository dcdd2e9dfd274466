//! Clean checkouts of a commit.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use git::GitError;

use crate::project::{Project, git, request, write};

fn records(project: &Project) -> Vec<String> {
    let listed = fs::read_dir(project.clone.path().join("worktrees")).unwrap();
    listed.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn export_writes_exactly_the_commit() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    symlink("/etc/passwd", worktree.path().join("src/link")).unwrap();
    write(&worktree, "deep/er/file", &"x".repeat(100_000));
    let commit = branch.commit(&worktree, &request("files")).unwrap().unwrap();
    write(&worktree, "src/app.js", "not committed");
    write(&worktree, "debug.log", "ignored");

    let to = project.path("export");
    let tree = project.clone.export(commit.sha, &to).unwrap();
    let expected = format!("{}^{{tree}}", commit.sha);
    assert_eq!(tree.to_string(), git(project.clone.path(), &["rev-parse", &expected]));
    assert_eq!(fs::read_to_string(to.join("src/app.js")).unwrap(), "export const answer = 41;\n");
    assert_eq!(fs::read_link(to.join("src/link")).unwrap().to_str(), Some("/etc/passwd"));
    assert_eq!(fs::read(to.join("deep/er/file")).unwrap().len(), 100_000);
    let mode = |path| fs::metadata(to.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("run.sh"), mode("README.md")), (0o755, 0o644));
    assert!(!to.join("debug.log").exists());

    assert_eq!(git(&to, &["status", "--porcelain", "--ignored"]), "");
    assert_eq!(git(&to, &["rev-parse", "HEAD"]), commit.sha.to_string());
    assert_eq!(git(&to, &["rev-parse", "--abbrev-ref", "HEAD"]), "HEAD");
}

#[test]
fn export_takes_files_of_another_commit() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "tests/a.js", "first");
    write(&worktree, "other", "file");
    branch.commit(&worktree, &request("one")).unwrap().unwrap();
    fs::remove_file(worktree.path().join("other")).unwrap();
    write(&worktree, "tests/a.js", "second");
    write(&worktree, "other/test.sh", "new");
    write(&worktree, "src/app.js", "changed");
    let permissions = fs::Permissions::from_mode(0o755);
    fs::set_permissions(worktree.path().join("other/test.sh"), permissions).unwrap();
    let last = branch.commit(&worktree, &request("two")).unwrap().unwrap();

    let (to, base) = (project.path("export"), last.parent.unwrap());
    let paths = ["tests/a.js", "other/test.sh", "run.sh", "missing"].map(str::to_owned);
    project.clone.export_with(base, last.sha, &paths, &to).unwrap();
    let read = |path| fs::read_to_string(to.join(path)).unwrap();
    assert_eq!((read("tests/a.js"), read("other/test.sh")), ("second".into(), "new".into()));
    assert_eq!(read("src/app.js"), "export const answer = 41;\n");
    let mode = |path| fs::metadata(to.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("other/test.sh"), mode("run.sh")), (0o755, 0o755));
    assert_eq!(git(&to, &["rev-parse", "HEAD"]), base.to_string());
}

#[test]
fn export_to_a_nonempty_directory_is_rejected() {
    let project = Project::new();
    let to = project.path("export");
    fs::create_dir(&to).unwrap();
    project.clone.export(project.first, &to).unwrap();
    let error = project.clone.export(project.first, &to).unwrap_err();
    assert!(matches!(error, GitError::DirectoryNotEmpty(_)), "{error}");
    let missing = "0123456789012345678901234567890123456789".parse().unwrap();
    let error = project.clone.export(missing, &project.path("other")).unwrap_err();
    assert!(matches!(error, GitError::NoSuchCommit(_)), "{error}");
}

#[test]
fn records_of_removed_exports_are_pruned_by_the_next_export() {
    let project = Project::new();
    project.build();
    for n in 0..3 {
        let to = project.path(&format!("export-{n}"));
        project.clone.export(project.first, &to).unwrap();
        assert_eq!(records(&project).len(), 2);
        fs::remove_dir_all(&to).unwrap();
    }
    // The same path again, with its old record.
    project.clone.export(project.first, &project.path("export-2")).unwrap();
    assert_eq!(git(&project.path("export-2"), &["status", "--porcelain"]), "");
    assert_eq!(records(&project).len(), 2);
}

#[test]
fn export_of_a_submodule_is_an_empty_directory() {
    let project = Project::new();
    let dir = project.clone.path();
    let entry = format!("160000,{},packages/sub", project.first);
    git(dir, &["read-tree", &project.first.to_string()]);
    git(dir, &["update-index", "--add", "--cacheinfo", &entry]);
    let tree = git(dir, &["write-tree"]);
    let commit = git(dir, &["commit-tree", "-m", "submodule", &tree]).parse().unwrap();
    let to = project.path("export");
    project.clone.export(commit, &to).unwrap();
    assert_eq!(fs::read_dir(to.join("packages/sub")).unwrap().count(), 0);
    assert_eq!(git(&to, &["status", "--porcelain"]), "");
}
