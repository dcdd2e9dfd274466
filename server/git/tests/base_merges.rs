//! Merges of the branch that a build started from.

use std::fs;

use git::{BaseConflict, BaseMerge, BuildBranch, DiffTarget, Sha, Worktree, diff_files};

use crate::project::{Project, git, is_clean, request, write};

/// A commit on `main` at origin with these files, `None` to delete; fetched into the clone.
fn main_commit(project: &Project, files: &[(&str, Option<&[u8]>)]) -> Sha {
    let person = project.path("on-main");
    if !person.exists() {
        git(project.dir.path(), &["clone", "-q", "origin.git", "on-main"]);
    }
    for (path, content) in files {
        let path = person.join(path);
        match content {
            Some(content) => fs::write(path, content).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
    }
    git(&person, &["add", "-A"]);
    git(&person, &["commit", "-q", "-m", "Work of another user"]);
    git(&person, &["push", "-q", "origin", "main"]);
    project.clone.fetch().unwrap();
    git(&person, &["rev-parse", "HEAD"]).parse().unwrap()
}

fn committed(branch: &BuildBranch, worktree: &Worktree, path: &str, content: &str) -> Sha {
    write(worktree, path, content);
    branch.commit(worktree, &request("phase")).unwrap().unwrap().sha
}

fn merge(branch: &BuildBranch, at: (Sha, Sha, Sha)) -> BaseMerge {
    branch.merge_base_branch(at, "main", &request("merge main")).unwrap()
}

fn conflict(branch: &BuildBranch, at: (Sha, Sha, Sha)) -> BaseConflict {
    match merge(branch, at) {
        BaseMerge::Conflict(conflict) => conflict,
        other => panic!("no conflict but {other:?}"),
    }
}

fn changed(project: &Project, base: Sha, head: Sha) -> Vec<String> {
    let files = diff_files(&project.clone, base, DiffTarget::Commit(head)).unwrap().files;
    files.into_iter().map(|file| file.path).collect()
}

#[test]
fn clean_merge_moves_nothing_until_the_branch_is_advanced() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let head = committed(&branch, &worktree, "src/mine.js", "export const m = 1;\n");
    let mains = project.mains();
    assert_eq!(
        merge(&branch, (head, project.first, project.first)),
        BaseMerge::Contained { base: None }
    );
    let tip = main_commit(&project, &[("README.md", Some(b"# Theirs\n"))]);
    let BaseMerge::Clean { commit, base, paths, path_count } =
        merge(&branch, (head, project.first, tip))
    else {
        panic!("it can be merged");
    };
    assert_eq!((base, paths, path_count), (tip, vec!["README.md".to_owned()], 1));
    assert_eq!(branch.head().unwrap(), head);
    let parents = git(&project.path("clone.git"), &["rev-parse", &format!("{}^@", commit.sha)]);
    assert_eq!(parents, format!("{head}\n{tip}"));

    write(&worktree, "note.txt", "not committed\n");
    branch.advance(&worktree, commit.sha).unwrap();
    branch.advance(&worktree, commit.sha).unwrap();
    assert_eq!(branch.head().unwrap(), commit.sha);
    assert_eq!(fs::read_to_string(worktree.path().join("README.md")).unwrap(), "# Theirs\n");
    assert!(worktree.path().join("note.txt").exists());
    assert_eq!(changed(&project, tip, commit.sha), ["src/mine.js"], "only the build's own change");
    assert_eq!(branch.commits_since(tip).unwrap().len(), 2);
    branch.push().unwrap();
    let again = merge(&branch, (commit.sha, tip, tip));
    assert_eq!(again, BaseMerge::Contained { base: None });
    assert_eq!(project.mains().0, tip.to_string());
    assert_ne!(project.mains(), mains, "only the person moved it");
}

#[test]
fn branch_that_contains_the_tip_already_is_compared_with_it() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let head = committed(&branch, &worktree, "src/mine.js", "1\n");
    let tip = main_commit(&project, &[("README.md", Some(b"# Theirs\n"))]);
    let BaseMerge::Clean { commit, .. } = merge(&branch, (head, project.first, tip)) else {
        panic!()
    };
    branch.advance(&worktree, commit.sha).unwrap();
    let contained = merge(&branch, (commit.sha, project.first, tip));
    assert_eq!(contained, BaseMerge::Contained { base: Some(tip) });
}

#[test]
fn work_is_not_compared_with_what_was_merged_meanwhile() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let begun = committed(&branch, &worktree, "src/earlier.js", "export const e = 1;\n");
    let head = committed(&branch, &worktree, "src/mine.js", "export const m = 1;\n");
    assert_eq!(branch.base_of_work(begun, head, project.first).unwrap(), begun);
    let tip = main_commit(&project, &[("README.md", Some(b"# Theirs\n"))]);
    assert_eq!(branch.base_of_work(begun, head, tip).unwrap(), begun, "it is not merged");

    let BaseMerge::Clean { commit, .. } = merge(&branch, (head, project.first, tip)) else {
        panic!("it can be merged");
    };
    let base = branch.base_of_work(begun, commit.sha, tip).unwrap();
    assert_eq!(changed(&project, base, commit.sha), ["src/mine.js"]);
    let newer = main_commit(&project, &[("README.md", Some(b"# Newer\n"))]);
    assert_eq!(branch.base_of_work(begun, commit.sha, newer).unwrap(), base);
}

#[test]
fn conflicts_are_marked_in_the_files_and_committed_with_both_parents() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let head = committed(&branch, &worktree, "src/app.js", "export const answer = 42;\n");
    let tip = main_commit(
        &project,
        &[("src/app.js", Some(b"export const answer = 43;\n")), ("src/other.js", Some(b"1\n"))],
    );
    let found = conflict(&branch, (head, project.first, tip));
    assert_eq!(
        (found.base, &found.paths, found.path_count),
        (tip, &vec!["src/app.js".to_owned()], 1)
    );
    assert_eq!(found, conflict(&branch, (head, project.first, tip)), "it is the same each time");
    worktree.restore_candidate(found.marked_tree, &[]).unwrap();
    let marked = fs::read_to_string(worktree.path().join("src/app.js")).unwrap();
    assert_eq!(
        marked,
        "<<<<<<< this build\nexport const answer = 42;\n=======\nexport const answer = 43;\n\
         >>>>>>> main\n"
    );
    assert!(worktree.path().join("src/other.js").exists());
    assert_eq!(branch.head().unwrap(), head);
    // What is responsible for is what differs from the merge without the conflicts.
    write(&worktree, "src/app.js", "export const answer = 85;\n");
    let tree = worktree.write_candidate().unwrap().tree;
    let own = diff_files(&project.clone, found.kept, DiffTarget::Tree(tree)).unwrap().files;
    assert_eq!(own.len(), 1);
    assert_eq!(own[0].path, "src/app.js");

    let commit = branch.commit_merge(&worktree, &request("phase"), found.base).unwrap().unwrap();
    let parents = git(&project.path("clone.git"), &["rev-parse", &format!("{}^@", commit.sha)]);
    assert_eq!(parents, format!("{head}\n{tip}"));
    assert_eq!(changed(&project, tip, commit.sha), ["src/app.js"]);
    assert!(is_clean(&branch, &worktree));
    branch.push().unwrap();
}

#[test]
fn files_that_are_not_text_or_on_one_side_only_are_listed_too() {
    let project = Project::new();
    let before = main_commit(&project, &[("logo.png", Some(b"\0one"))]);
    let branch = BuildBranch::create(&project.clone, crate::project::name(), before).unwrap();
    let worktree =
        Worktree::open_or_create(&project.clone, &crate::project::name(), &project.files())
            .unwrap();
    write(&worktree, "logo.png", "\0two");
    fs::remove_file(worktree.path().join("run.sh")).unwrap();
    write(&worktree, "README.md", "# Mine\n");
    write(&worktree, "new.txt", "mine\n");
    let head = branch.commit(&worktree, &request("phase")).unwrap().unwrap().sha;
    let tip = main_commit(
        &project,
        &[
            ("logo.png", Some(b"\0three")),
            ("run.sh", Some(b"#!/bin/sh\nexit 1\n")),
            ("README.md", None),
            ("new.txt", Some(b"theirs\n")),
        ],
    );
    let found = conflict(&branch, (head, before, tip));
    assert_eq!(found.paths, ["README.md", "logo.png", "new.txt", "run.sh"]);
    worktree.restore_candidate(found.marked_tree, &[]).unwrap();
    let read = |path: &str| fs::read(worktree.path().join(path)).unwrap();
    assert_eq!(read("logo.png"), b"\0two");
    assert_eq!(read("README.md"), b"# Mine\n");
    assert_eq!(read("run.sh"), b"#!/bin/sh\nexit 1\n");
    assert!(read("new.txt").starts_with(b"<<<<<<< this build\nmine\n"));
}

#[test]
fn build_that_started_elsewhere_is_compared_with_a_merge_of_both() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    // A follow-up of a build that is not on the base branch.
    let earlier = committed(&branch, &worktree, "earlier.txt", "of another build\n");
    let head = committed(&branch, &worktree, "mine.txt", "mine\n");
    let tip = main_commit(&project, &[("README.md", Some(b"# Theirs\n"))]);
    let BaseMerge::Clean { commit, base, .. } = merge(&branch, (head, earlier, tip)) else {
        panic!("it can be merged");
    };
    assert_ne!(base, tip);
    assert_eq!(changed(&project, base, commit.sha), ["mine.txt"]);
    branch.advance(&worktree, commit.sha).unwrap();
    let own = branch.commits_since(base).unwrap();
    assert_eq!(own.iter().map(|one| one.sha).collect::<Vec<_>>(), [commit.sha, head]);
    assert_eq!(merge(&branch, (commit.sha, base, tip)), BaseMerge::Contained { base: None });
    let next = main_commit(&project, &[("README.md", Some(b"# Again\n"))]);
    assert!(matches!(merge(&branch, (commit.sha, base, next)), BaseMerge::Clean { .. }));
}
