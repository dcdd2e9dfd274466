//! Which files are committed, compared with what the `git` command would commit.

#![allow(clippy::disallowed_methods, reason = "the real `git` is the reference")]

use std::{fs, path::Path};

use proptest::{
    collection::vec,
    prelude::{Strategy, any},
    sample::select,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::project::{BUILD, Project, client, git, request, write};

const NAMES: [&str; 9] = ["a", "b", "ab", "a.b", "{a,b}", "x y", "!a", "#c", "Forge"];
const PATTERNS: [&str; 20] = [
    "a", "b", "ab", "a*", "*b", "?", "*", "**", "[ab]", "[!a]", "a.b", "*.b", "{a,b}", "x y",
    "\\!a", "\\#c", "#c", "[a", "x\\ y", "\\*",
];

fn path() -> impl Strategy<Value = String> {
    vec(select(&NAMES[..]), 1..4).prop_map(|names| names.join("/"))
}

fn pattern() -> impl Strategy<Value = String> {
    let parts = vec(select(&PATTERNS[..]), 1..3);
    (any::<[bool; 3]>(), parts, select(&["", "", "", " ", "/ ", "\r"][..])).prop_map(
        |([negated, anchored, directory], parts, end)| {
            let mark = |is: bool, text: &'static str| if is { text } else { "" };
            let (not, top) = (mark(negated, "!"), mark(anchored, "/"));
            format!("{not}{top}{}{}{end}", parts.join("/"), mark(directory, "/"))
        },
    )
}

#[derive(Clone, Debug)]
struct Case {
    /// Committed first, without rules.
    tracked: Vec<String>,
    files: Vec<String>,
    /// Directory and content of `.gitignore`.
    rules: Vec<(String, Vec<String>)>,
}

fn case() -> impl Strategy<Value = Case> {
    let directory = vec(select(&NAMES[..3]), 0..3).prop_map(|names| names.join("/"));
    let rules = vec((directory, vec(pattern(), 1..4)), 0..4);
    (vec(path(), 0..6), vec(path(), 0..12), rules).prop_map(|(tracked, files, rules)| Case {
        tracked,
        files,
        rules,
    })
}

fn clear(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.file_name().unwrap() == ".git" {
            true => {}
            false if path.is_dir() => fs::remove_dir_all(path).unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
    }
}

/// Writes a file unless another one is in the way.
fn put(directory: &Path, path: &str, content: &str) {
    let path = directory.join(path);
    if fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() {
        fs::write(path, content).unwrap();
    }
}

/// The tree that `git add` makes of the files.
fn expected_tree(project: &Project, files: &Path) -> String {
    let (own, index) = (
        project.clone.path().join(format!("worktrees/build-{BUILD}/index")),
        project.path("index"),
    );
    fs::copy(&own, &index).unwrap();
    // Git reads files again that changed when the index was written.
    let written = fs::metadata(&own).unwrap().modified().unwrap();
    fs::File::options().write(true).open(&index).unwrap().set_modified(written).unwrap();
    let run = |args: &[&str]| {
        let mut command = client(files);
        command.env("GIT_INDEX_FILE", &index);
        let output = command.args(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    run(&["add", "-A", "."]);
    run(&["rm", "-q", "-r", "--cached", "--ignore-unmatch", "Forge"]);
    run(&["write-tree"])
}

#[test]
fn committed_files_are_those_that_git_would_commit() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let tree_of = |sha: &str| git(project.clone.path(), &["rev-parse", &format!("{sha}^{{tree}}")]);
    let rounds = std::cell::Cell::new(0);
    TestRunner::new_with_rng(config, rng)
        .run(&case(), |case| {
            clear(worktree.path());
            for path in &case.tracked {
                put(worktree.path(), path, "tracked");
            }
            let mut commit = request("case");
            commit.allow_empty = true;
            branch.commit(&worktree, &commit).unwrap().unwrap();
            clear(worktree.path());
            rounds.set(rounds.get() + 1);
            for path in &case.files {
                put(worktree.path(), path, &rounds.get().to_string());
            }
            for (directory, lines) in &case.rules {
                put(
                    worktree.path(),
                    format!("{directory}/.gitignore").trim_start_matches('/'),
                    &lines.join("\n"),
                );
            }
            let expected = expected_tree(&project, worktree.path());
            let made = branch.commit(&worktree, &commit).unwrap().unwrap();
            let found = tree_of(&made.sha.to_string());
            if found != expected {
                let difference = git(
                    project.clone.path(),
                    &["diff-tree", "-r", "--name-status", &expected, &found],
                );
                panic!("git's tree differs: {difference}\n{case:?}");
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn tracked_files_in_ignored_directories_stay_tracked() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "build/kept.txt", "1\n");
    branch.commit(&worktree, &request("kept")).unwrap().unwrap();
    write(&worktree, ".gitignore", "build/\n");
    write(&worktree, "build/kept.txt", "2\n");
    write(&worktree, "build/new.txt", "ignored\n");
    write(&worktree, "build/deep/new.txt", "ignored\n");
    let expected = expected_tree(&project, worktree.path());
    let commit = branch.commit(&worktree, &request("rules")).unwrap().unwrap();
    assert_eq!(
        git(project.clone.path(), &["rev-parse", &format!("{}^{{tree}}", commit.sha)]),
        expected
    );
    assert_eq!(commit.files, 2);
    fs::remove_file(worktree.path().join("build/kept.txt")).unwrap();
    assert_eq!(branch.commit(&worktree, &request("gone")).unwrap().unwrap().deletions, 1);
}

#[test]
fn rule_file_beyond_its_limit_is_an_error() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "src/.gitignore", &"x\n".repeat(200_000));
    let error = branch.commit(&worktree, &request("rules")).unwrap_err();
    assert!(error.to_string().contains("src/.gitignore"), "{error}");
}
