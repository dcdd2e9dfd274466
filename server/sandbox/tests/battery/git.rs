//! The repository behind a worktree: to be read, never moved.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use sandbox::Level;

use crate::support::{Site, at_each_level};

at_each_level!(
    git_can_look_around,
    no_ref_moves_from_inside,
    no_road_leads_into_the_repository,
    the_pointer_is_as_it_was,
);

/// Git on the outside, for preparing and checking.
#[allow(clippy::disallowed_methods)]
fn git(at: &Path, arguments: &[&str]) -> String {
    let output = Process::new("git")
        .arg("-C")
        .arg(at)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Turns the site's worktree into a real one of a bare repository.
fn with_repository(mut site: Site) -> Site {
    let (top, worktree) = (site.top.path().to_owned(), site.worktree());
    let bare = top.join("data/work.git");
    git(&top, &["init", "--quiet", "--bare", "-b", "main", bare.to_str().unwrap()]);
    fs::remove_dir(&worktree).unwrap();
    git(
        &bare,
        &["worktree", "add", "--quiet", "--orphan", "-b", "main", worktree.to_str().unwrap()],
    );
    fs::write(worktree.join("file"), "one\n").unwrap();
    git(&worktree, &["add", "."]);
    git(&worktree, &["commit", "--quiet", "-m", "First"]);
    git(&worktree, &["switch", "--quiet", "-c", "forge/build"]);
    site.policy.git_dir = Some(bare);
    site
}

async fn git_can_look_around(site: Site) {
    let site = with_repository(site);
    fs::write(site.worktree().join("file"), "two\n").unwrap();
    let outcome = site.shell("git status --short && git log --format=%s && git diff --stat").await;
    let text = outcome.output.text();
    assert!(outcome.succeeded(), "{text}");
    assert!(text.starts_with(" M file\nFirst\n"), "{text}");
}

async fn no_ref_moves_from_inside(site: Site) {
    let site = with_repository(site);
    let bare = site.policy.git_dir.clone().unwrap();
    let state =
        || (git(&bare, &["for-each-ref"]), fs::read_to_string(bare.join("config")).unwrap());
    let before = state();
    let line = format!(
        "export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x; \
         echo more >> file; git add -A; git commit -am 'moved'; git branch other; \
         git update-ref refs/heads/main $(git commit-tree -m x HEAD^{{tree}}); git tag x; \
         git config core.hooksPath {worktree}; git -C {bare} branch -D main; \
         GIT_DIR={bare} git branch again; echo x > {bare}/HEAD; echo x > {bare}/hooks/pre-commit; \
         echo x > {bare}/refs/heads/planted; rm -rf {bare}/refs; mv {bare} moved; \
         git worktree add ../elsewhere; git stash; git gc; true",
        bare = bare.display(),
        worktree = site.worktree().display(),
    );
    let outcome = site.shell(&line).await;
    assert!(outcome.succeeded());
    assert_eq!(state(), before, "{}", outcome.output.text());
    assert!(!bare.join("hooks/pre-commit").exists());
    assert_eq!(git(&site.worktree(), &["log", "--format=%s"]), "First\n");
}

/// Every file of a directory, byte for byte.
fn content(directory: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            content(&entry.path(), into);
        } else {
            into.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
}

/// Settings, variables and programs by which git, or something in its place, might write into the
/// repository, which is `$R`.
const ROADS: [&str; 12] = [
    "git -c alias.move='!git update-ref refs/heads/main HEAD' move; \
     git -c core.hooksPath=$PWD commit --allow-empty -m x",
    "git --git-dir=$R --work-tree=. add -A; git --git-dir=$R --work-tree=. commit -am x",
    "cp -r $R mine; git --git-dir=mine branch x; git --git-dir=mine push $R x; git push $R HEAD:main",
    "git clone -q $R c; cd c; git commit -q --allow-empty -m x; git push -q origin HEAD:main; \
     git push -q file://$R HEAD:refs/heads/x",
    "cp -r $R mine; GIT_DIR=mine GIT_COMMON_DIR=$R git branch x; \
     GIT_OBJECT_DIRECTORY=$R/objects git --git-dir=mine hash-object -w --stdin < .git",
    "GIT_INDEX_FILE=$R/index git add -A; GIT_TRACE=$R/trace git status; \
     GIT_TRACE2_EVENT=$R/trace2 git status",
    "GIT_CONFIG_GLOBAL=$R/config git config --global core.fsmonitor x; \
     git config --file $R/config core.pager x; git config --worktree core.pager x",
    "git pack-refs --all; git reflog expire --expire=now --all; git prune --expire=now; \
     git repack -adq; git symbolic-ref HEAD refs/heads/main; git fetch . HEAD:main; \
     git switch -C main; git rebase main; git notes add -m x; git replace HEAD HEAD; \
     git maintenance start",
    "printf 'commit refs/heads/main\\ncommitter a <a> 1 +0000\\ndata 0\\n\\n' | \
     git fast-import --force; git receive-pack $R < /dev/null; git update-server-info",
    "chmod -R u+w $R; ln $R/HEAD head && echo x > head; ln -s $R r; echo x > r/HEAD; \
     : > $R/packed-refs; touch $R/x; mkdir $R/y; mkfifo $R/z; ln -s /etc $R/w",
    "printf '[include]\\n path = %s/config\\n[core]\\n fsmonitor = touch %s/ran\\n' $R $R > \
     ~/.gitconfig; git status; git config --global --add core.pager \"touch $R/ran\"; git -p log",
    "python3 -c \"import os; os.rename('file', '$R/HEAD')\"; \
     python3 -c \"import os; os.truncate('$R/HEAD', 0)\"; \
     python3 -c \"import os; os.utime('$R/HEAD', (0, 0))\"",
];

async fn no_road_leads_into_the_repository(site: Site) {
    let site = with_repository(site);
    let bare = site.policy.git_dir.clone().unwrap();
    let look = || {
        let mut files = BTreeMap::new();
        content(&bare, &mut files);
        files
    };
    let before = look();
    let who = "GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x";
    for road in ROADS {
        let line = format!("export {who} R={}; {road}; true", bare.display());
        let outcome = site.shell(&line).await;
        assert!(look() == before, "{road}: {}", outcome.output.text());
    }
}

async fn the_pointer_is_as_it_was(site: Site) {
    let site = with_repository(site);
    let pointer = site.worktree().join(".git");
    let before = fs::read_to_string(&pointer).unwrap();
    let attempts = [
        "echo gitdir: /evil > .git",
        "rm -rf .git; git init -q . && git config core.hooksPath hooks",
        "mv .git elsewhere; ln -s ../data .git",
        "mkdir evil && mv evil .git",
    ];
    for attempt in attempts {
        let outcome = site.shell(attempt).await;
        assert_eq!(fs::read_to_string(&pointer).unwrap(), before, "{attempt}");
        assert!(fs::symlink_metadata(&pointer).unwrap().is_file());
        // Strict does not let it happen, landlock undoes it and says so.
        let happened = site.level == Level::Landlock && !attempt.starts_with("mkdir");
        assert_eq!(outcome.git_pointer_restored, happened, "{attempt}");
    }
}
