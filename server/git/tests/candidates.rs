//! Candidate trees, and restoring files that gates changed.

use std::fs;

use git::{ChangedPath, DiffTarget};

use crate::project::{Project, git, request, write};

fn changed(path: &str, is_new: bool) -> ChangedPath {
    ChangedPath { path: path.to_owned(), is_new }
}

#[test]
fn restore_undoes_edits_deletions_and_new_files_but_keeps_ignored_ones() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "src/new.js", "export const n = 1;\n");
    let candidate = worktree.write_candidate().unwrap().tree;

    write(&worktree, "src/new.js", "export const n = 2;\n");
    fs::remove_file(worktree.path().join("run.sh")).unwrap();
    write(&worktree, "report/out.txt", "left behind");
    write(&worktree, "node_modules/dep/index.js", "ignored");
    let mut undone = worktree.restore_candidate(candidate, &[]).unwrap();
    undone.sort_by(|a, b| a.path.cmp(&b.path));
    let expected =
        [changed("report/out.txt", true), changed("run.sh", false), changed("src/new.js", false)];
    assert_eq!(undone, expected);
    assert!(!worktree.path().join("report").exists());
    assert!(worktree.path().join("node_modules/dep/index.js").exists());
    assert_eq!(worktree.restore_candidate(candidate, &[]).unwrap(), []);

    let commit = branch.commit(&worktree, &request("phase")).unwrap().unwrap();
    assert_eq!(project.clone.tree_of(commit.sha).unwrap(), candidate);
}

#[test]
fn restore_finds_files_hidden_by_a_new_ignore_rule() {
    let project = Project::new();
    let (_, worktree) = project.build();
    let candidate = worktree.write_candidate().unwrap().tree;
    write(&worktree, ".gitignore", "*\n");
    write(&worktree, "hidden/payload", "x");
    let undone = worktree.restore_candidate(candidate, &[]).unwrap();
    assert!(undone.contains(&changed(".gitignore", false)), "{undone:?}");
    assert!(!worktree.path().join("hidden/payload").exists(), "{undone:?}");
    assert_eq!(worktree.write_candidate().unwrap().tree, candidate);
}

#[test]
fn what_cannot_be_committed_is_listed_and_stays_until_it_is_removed() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "git~1/a.js", "a");
    write(&worktree, ".GIT.", "b");
    write(&worktree, "src/new.js", "export const n = 1;\n");
    write(&worktree, ".gitmodules", "[submodule \"a\"]\n\tpath = -x\n\turl = ./a\n");
    let candidate = worktree.write_candidate().unwrap();
    let mut listed: Vec<String> = candidate.uncommittable.iter().map(ToString::to_string).collect();
    listed.sort();
    assert_eq!(listed.len(), 3, "{listed:?}");
    assert!(listed.iter().any(|text| text.contains("`git~1`")), "{listed:?}");
    assert!(branch.commit(&worktree, &request("work")).is_err());

    // A gate's change is undone, and what the gate did not make is left.
    write(&worktree, "left.txt", "by a gate");
    let undone = worktree.restore_candidate(candidate.tree, &candidate.unread).unwrap();
    assert_eq!(undone, [changed("left.txt", true)]);
    for path in ["git~1/a.js", ".GIT.", ".gitmodules", "src/new.js"] {
        assert!(worktree.path().join(path).exists(), "{path}");
    }

    fs::remove_dir_all(worktree.path().join("git~1")).unwrap();
    fs::remove_file(worktree.path().join(".GIT.")).unwrap();
    fs::remove_file(worktree.path().join(".gitmodules")).unwrap();
    let clean = worktree.write_candidate().unwrap();
    assert!(clean.uncommittable.is_empty());
    assert_eq!(clean.tree, candidate.tree);
    branch.commit(&worktree, &request("work")).unwrap().unwrap();
}

#[test]
fn unchanged_commit_has_the_tree_of_its_parent() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "planted", "by a gate");
    let seal = branch.commit_unchanged(&request("sealed")).unwrap();
    assert_eq!(seal.parent, Some(project.first));
    let tree = |sha| project.clone.tree_of(sha).unwrap();
    assert_eq!(tree(seal.sha), tree(project.first));

    branch.take_back(seal.sha, project.first).unwrap();
    assert_eq!(branch.head().unwrap(), project.first);
    assert!(branch.take_back(seal.sha, project.first).is_err());
}

#[test]
fn changes_in_an_export_are_listed_without_ignored_files() {
    let project = Project::new();
    let at = project.path("export");
    let tree = project.clone.export(project.first, &at).unwrap();
    assert_eq!(project.clone.changes_in_export(tree, &at).unwrap(), []);
    fs::write(at.join("README.md"), "changed").unwrap();
    fs::write(at.join("left.txt"), "behind").unwrap();
    fs::write(at.join("debug.log"), "ignored").unwrap();
    let found = project.clone.changes_in_export(tree, &at).unwrap();
    assert_eq!(found, [changed("README.md", false), changed("left.txt", true)]);
}

#[test]
fn tree_target_is_compared_and_read_without_a_worktree() {
    let project = Project::new();
    let (_, worktree) = project.build();
    write(&worktree, "src/app.js", "export const answer = 42;\n");
    let tree = worktree.write_candidate().unwrap().tree;
    write(&worktree, "src/app.js", "changed since");
    let files =
        git::diff_files(&project.clone, project.first, DiffTarget::Tree(tree)).unwrap().files;
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["src/app.js"]);
    let path = "src/app.js".parse().unwrap();
    let read = git::read_side(&project.clone, DiffTarget::Tree(tree), &path, 100).unwrap();
    assert_eq!(read.bytes, b"export const answer = 42;\n");
    assert_eq!(git(worktree.path(), &["cat-file", "-t", &tree.to_string()]), "tree");
}
