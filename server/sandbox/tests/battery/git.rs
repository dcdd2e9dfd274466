//! The repository behind a worktree: to be read, never moved.

use std::fs;
use std::path::Path;
use std::process::Command as Process;

use sandbox::Level;

use crate::support::{Site, at_each_level};

at_each_level!(git_can_look_around, no_ref_moves_from_inside, the_pointer_is_as_it_was,);

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
