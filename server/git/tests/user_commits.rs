//! Commits made for users at origin arrive like their pushes.

use git::{AuthorKind, BuildBranch, RepoPath, UserCommit};

use crate::project::{AT, Project, name};

fn commit(path: &str, bytes: &[u8]) -> UserCommit {
    let path: RepoPath = path.parse().unwrap();
    UserCommit {
        author_name: "Ada".into(),
        author_email: "ada@example.org".into(),
        message: "Apply a suggestion\n".into(),
        at: AT,
        files: vec![(path, bytes.to_vec())],
    }
}

#[test]
fn commit_for_a_user_is_pushed_once_and_merged_like_a_push() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    branch.push().unwrap();
    let edit = commit("run.sh", b"#!/bin/bash\n");
    let made = branch.push_for_user(project.first, &edit).unwrap().unwrap();
    assert_eq!(branch.push_for_user(project.first, &edit).unwrap(), None);
    assert_eq!(branch.head().unwrap(), project.first);
    assert!(branch.is_behind().unwrap());

    let arrival = branch.fetch(&worktree, project.first, &[], AT).unwrap().unwrap();
    branch.advance(&worktree, arrival.head).unwrap();
    assert_eq!(arrival.head, made);
    let [arrived] = arrival.commits.as_slice() else { panic!("{arrival:?}") };
    assert_eq!((arrived.author_kind, arrived.author_name.as_str()), (AuthorKind::Human, "Ada"));
    let files = project.clone.tree(made).unwrap();
    let file = files.iter().find(|file| file.path == "run.sh").unwrap();
    assert_eq!((file.kind, file.size), (git::EntryKind::Executable, 12));
}

#[test]
fn commit_for_a_user_changes_only_existing_files() {
    let project = Project::new();
    let branch = BuildBranch::create(&project.clone, name(), project.first).unwrap();
    branch.push().unwrap();
    let missing = branch.push_for_user(project.first, &commit("new.txt", b"")).unwrap_err();
    assert!(matches!(missing, git::GitError::NoSuchFile(_)), "{missing:?}");
    let directory = branch.push_for_user(project.first, &commit("src", b"")).unwrap_err();
    assert!(matches!(directory, git::GitError::NoSuchFile(_)), "{directory:?}");
    assert!(!branch.is_behind().unwrap());
}
