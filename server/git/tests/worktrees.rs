//! Worktrees: reuse, repair, rescue.

use std::{fs, os::unix::fs::PermissionsExt};

use git::{GitError, Worktree};

use crate::project::{BUILD, Project, git, is_clean, name, request, write};

fn reopen(project: &Project) -> Worktree {
    Worktree::open_or_create(&project.clone, &name(), &project.files()).unwrap()
}

#[test]
fn complete_worktree_is_opened_unchanged() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    assert!(is_clean(&branch, &worktree));
    let mode = fs::metadata(worktree.path().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    write(&worktree, "src/app.js", "edited");
    fs::remove_file(worktree.path().join("README.md")).unwrap();
    let index = project.clone.path().join(format!("worktrees/build-{BUILD}/index"));
    let before = fs::metadata(&index).unwrap().modified().unwrap();
    let again = reopen(&project);
    assert_eq!(fs::metadata(&index).unwrap().modified().unwrap(), before);
    assert!(!again.path().join("README.md").exists());
    assert!(!is_clean(&branch, &again));
    assert_eq!(git(again.path(), &["branch", "--show-current"]), name().as_str());
    assert_eq!(git(again.path(), &["status", "--porcelain"]), "D README.md\n M src/app.js");
}

#[test]
fn open_neither_creates_nor_repairs_a_worktree() {
    let project = Project::new();
    let look = || Worktree::open(&project.clone, &name(), &project.files());
    assert!(matches!(look().unwrap_err(), GitError::NoWorktree(_)));
    let (_, worktree) = project.build();
    assert_eq!(look().unwrap().path(), worktree.path());
    fs::remove_file(project.clone.path().join(format!("worktrees/build-{BUILD}/index"))).unwrap();
    assert!(matches!(look().unwrap_err(), GitError::NoWorktree(_)));
}

#[test]
fn incomplete_worktree_is_completed_without_loss() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let admin = project.clone.path().join(format!("worktrees/build-{BUILD}"));
    fs::remove_file(admin.join("index")).unwrap();
    fs::remove_file(worktree.path().join("README.md")).unwrap();
    let again = reopen(&project);
    assert!(is_clean(&branch, &again));
    assert_eq!(git(project.clone.path(), &["for-each-ref", "refs/forge/rescue"]), "");

    fs::remove_file(admin.join("index")).unwrap();
    fs::remove_file(admin.join("HEAD")).unwrap();
    write(&again, "src/app.js", "cut sho");
    write(&again, "new.txt", "kept");
    let again = reopen(&project);
    let app = fs::read_to_string(again.path().join("src/app.js")).unwrap();
    assert_eq!(app, "export const answer = 41;\n");
    let rescue = format!("refs/forge/rescue/build-{BUILD}/1");
    let saved = git(project.clone.path(), &["show", &format!("{rescue}:src/app.js")]);
    assert_eq!(saved, "cut sho");
    assert_eq!(git(project.clone.path(), &["show", &format!("{rescue}:new.txt")]), "kept");
}

#[test]
fn missing_worktree_is_recreated() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "a", "a");
    branch.commit(&worktree, &request("a")).unwrap().unwrap();
    fs::remove_dir_all(worktree.path()).unwrap();
    let again = reopen(&project);
    assert!(is_clean(&branch, &again));
    assert_eq!(fs::read_to_string(again.path().join("a")).unwrap(), "a");
}

#[test]
fn remove_saves_uncommitted_content() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "a", "committed");
    branch.commit(&worktree, &request("a")).unwrap().unwrap();
    let locked = worktree.path().join("cache");
    write(&worktree, "cache/readonly.log", "ignored");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o500)).unwrap();
    assert_eq!(worktree.remove().unwrap(), None);
    assert!(!project.files().exists());
    assert_eq!(git(project.clone.path(), &["worktree", "list"]).lines().count(), 1);

    for n in 1..=2 {
        let worktree = reopen(&project);
        write(&worktree, "left.txt", &format!("left {n}"));
        let rescue = worktree.remove().unwrap().unwrap();
        assert_eq!(rescue.reference, format!("refs/forge/rescue/build-{BUILD}/{n}"));
        let kept = project.clone.read_file(rescue.sha, &"left.txt".parse().unwrap(), 99).unwrap();
        assert_eq!(kept.bytes, format!("left {n}").as_bytes());
        assert!(!project.files().exists());
    }
    assert_eq!(
        branch.head().unwrap(),
        git(project.clone.path(), &["rev-parse", name().as_str()]).parse().unwrap()
    );
}

#[test]
fn restore_resets_to_the_last_commit() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    assert_eq!(worktree.restore().unwrap(), None);
    write(&worktree, "src/app.js", "broken");
    write(&worktree, "junk/deep/file", "junk");
    write(&worktree, "nested/file", "junk");
    git(&worktree.path().join("nested"), &["init", "-q"]);
    fs::remove_file(worktree.path().join("README.md")).unwrap();
    let rescue = worktree.restore().unwrap().unwrap();
    assert!(is_clean(&branch, &worktree));
    assert!(worktree.path().join("README.md").exists());
    assert!(!worktree.path().join("junk/deep/file").exists());
    assert!(!worktree.path().join("nested/file").exists());
    let kept = project.clone.read_file(rescue.sha, &"src/app.js".parse().unwrap(), 3).unwrap();
    assert_eq!((kept.bytes.as_slice(), kept.size, kept.truncated), (b"bro".as_slice(), 6, true));
    assert_eq!(git(worktree.path(), &["branch", "--show-current"]), name().as_str());
    assert_eq!(branch.commit(&worktree, &request("x")).unwrap(), None);
}

#[test]
fn replaced_pointer_is_restored_when_the_worktree_is_opened() {
    let project = Project::new();
    let (_, worktree) = project.build();
    let pointer = worktree.path().join(".git");
    let evil = project.path("evil");
    git(project.dir.path(), &["init", "-q", "evil"]);

    let content = fs::read(&pointer).unwrap();
    let put_back = || {
        reopen(&project);
        assert!(fs::symlink_metadata(&pointer).unwrap().is_file());
        assert_eq!(fs::read(&pointer).unwrap(), content);
    };
    fs::write(&pointer, format!("gitdir: {}/.git\n", evil.display())).unwrap();
    put_back();
    fs::remove_file(&pointer).unwrap();
    put_back();
    fs::remove_file(&pointer).unwrap();
    std::os::unix::fs::symlink(evil.join(".git"), &pointer).unwrap();
    put_back();
    fs::remove_file(&pointer).unwrap();
    git(worktree.path(), &["init", "-q"]);
    put_back();
    let aside = project.clone.path().join(format!("worktrees/build-{BUILD}/replaced-git-1/HEAD"));
    assert!(aside.exists());
    assert!(evil.join(".git/HEAD").exists());
}
