//! The worktree's repository, which is read-only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sandbox::{Command, Ending, Level, Policy, Runner};
use tokio_util::sync::CancellationToken;

use crate::support::{SECRET, TestEnv, at_each_level, eventually, git, program};

at_each_level!(
    git_can_read_the_repository,
    refs_cannot_be_changed,
    repository_cannot_be_written,
    git_pointer_is_unchanged_after_a_run,
    restore_is_safe_while_another_run_replaces_the_pointer,
    runs_in_one_worktree_do_not_overlap_when_the_pointer_is_writable,
    pointer_replaced_by_a_large_directory_is_restored,
);

/// Turns the worktree into a git worktree of a bare repository.
fn with_repository(mut env: TestEnv) -> TestEnv {
    let (top, worktree) = (env.top.path().to_owned(), env.worktree());
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
    env.policy.git_dir = Some(bare);
    env.policy.git_pointer = Some(fs::read(worktree.join(".git")).unwrap());
    env
}

async fn git_can_read_the_repository(env: TestEnv) {
    let env = with_repository(env);
    fs::write(env.worktree().join("file"), "two\n").unwrap();
    let outcome = env.shell("git status --short && git log --format=%s && git diff --stat").await;
    let text = outcome.output.text();
    assert!(outcome.succeeded(), "{text}");
    assert!(text.starts_with(" M file\nFirst\n"), "{text}");
}

async fn refs_cannot_be_changed(env: TestEnv) {
    let env = with_repository(env);
    let bare = env.policy.git_dir.clone().unwrap();
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
        worktree = env.worktree().display(),
    );
    let outcome = env.shell(&line).await;
    assert!(outcome.succeeded());
    assert_eq!(state(), before, "{}", outcome.output.text());
    assert!(!bare.join("hooks/pre-commit").exists());
    assert_eq!(git(&env.worktree(), &["log", "--format=%s"]), "First\n");
}

/// Reads all files of a directory recursively.
fn content(directory: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            content(&entry.path(), into);
        } else {
            into.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
}

/// Commands that try to write to the repository, `$R`.
const WRITE_ATTEMPTS: [&str; 12] = [
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

async fn repository_cannot_be_written(env: TestEnv) {
    let env = with_repository(env);
    let bare = env.policy.git_dir.clone().unwrap();
    let snapshot = || {
        let mut files = BTreeMap::new();
        content(&bare, &mut files);
        files
    };
    let before = snapshot();
    let identity =
        "GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x";
    for attempt in WRITE_ATTEMPTS {
        let line = format!("export {identity} R={}; {attempt}; true", bare.display());
        let outcome = env.shell(&line).await;
        assert!(snapshot() == before, "{attempt}: {}", outcome.output.text());
    }
}

async fn git_pointer_is_unchanged_after_a_run(env: TestEnv) {
    let env = with_repository(env);
    let pointer = env.worktree().join(".git");
    let before = fs::read_to_string(&pointer).unwrap();
    let attempts = [
        "echo gitdir: /evil > .git",
        "rm -rf .git; git init -q . && git config core.hooksPath hooks",
        "mv .git elsewhere; ln -s ../data .git",
        "mkdir evil && mv evil .git",
    ];
    for attempt in attempts {
        let outcome = env.shell(attempt).await;
        assert_eq!(fs::read_to_string(&pointer).unwrap(), before, "{attempt}");
        assert!(fs::symlink_metadata(&pointer).unwrap().is_file());
        // The strict level prevents the change; landlock restores the file and reports it.
        let changed = env.level == Level::Landlock && !attempt.starts_with("mkdir");
        assert_eq!(outcome.git_pointer_restored, changed, "{attempt}");
    }
}

/// Repeatedly replaces the pointer by links, and by directories that contain links.
const REPLACE_POINTER_REPEATEDLY: &str = r#"
import os, sys
outside, data = sys.argv[1], sys.argv[2]
def attempt(act, *arguments):
    try: act(*arguments)
    except OSError: pass
attempt(os.symlink, outside, "to-file")
attempt(os.symlink, data, "to-directory")
os.makedirs("directory/inside", exist_ok=True)
open("started", "w").close()
while not os.path.exists("stop"):
    for name in ("to-file", "to-directory", "directory"):
        attempt(os.rename, ".git", "aside")
        attempt(os.rename, name, ".git")
        attempt(os.rename, ".git", name)
    attempt(os.symlink, outside, ".git")
    attempt(os.unlink, ".git")
"#;

async fn restore_is_safe_while_another_run_replaces_the_pointer(env: TestEnv) {
    let mut env = with_repository(env);
    let (secret, data) = (env.secret(), env.top.path().join("data"));
    let content = "gitdir: /of-the-build\n";
    env.policy.git_pointer = Some(content.into());
    let names = || fs::read_dir(&data).unwrap().count();
    let before = names();
    // A second runner, because one runner never overlaps such runs.
    let other = Runner::new(env.top.path().join("other-runs")).unwrap().with_supervisor(program());
    let arguments = [secret.to_str().unwrap(), data.to_str().unwrap()];
    let swap = Command::new(
        ["/usr/bin/python3", "-c", REPLACE_POINTER_REPEATEDLY].iter().chain(&arguments).copied(),
    );
    let swapping = other.run(env.policy.clone(), swap, CancellationToken::new(), None);
    let ending = async {
        eventually("the pointer is being swapped", || env.worktree().join("started").exists())
            .await;
        for _ in 0..40 {
            // Restoring the pointer may succeed or fail.
            let _ = env.run(Command::shell("true")).await;
            assert_eq!(fs::read_to_string(&secret).unwrap(), SECRET);
        }
        fs::write(env.worktree().join("stop"), "").unwrap();
    };
    let (swapped, ()) = tokio::join!(swapping, ending);
    assert!(swapped.unwrap().succeeded());
    assert_eq!(fs::read_to_string(&secret).unwrap(), SECRET);
    assert_eq!(names(), before);
    assert_eq!(fs::read_to_string(env.worktree().join(".git")).unwrap(), content);
}

async fn runs_in_one_worktree_do_not_overlap_when_the_pointer_is_writable(env: TestEnv) {
    let env = with_repository(env);
    let line = "mkdir running && rm -f .git && for n in $(seq 200); do :; done; git status; \
                ls -a; rmdir running";
    let both = tokio::join!(env.shell(line), env.shell(line), env.shell(line));
    if env.level == Level::Landlock {
        assert!(both.0.succeeded() && both.1.succeeded() && both.2.succeeded(), "{both:?}");
    }
    let other = env.top.path().join("other-worktree");
    let elsewhere = Policy { worktree: other, git_pointer: None, ..env.policy.clone() };
    // Runs in other worktrees do not wait.
    let waiting = env.run(Command::shell("touch here; until [ -e done ]; do sleep 0.01; done"));
    let meanwhile = async {
        eventually("the first run is there", || env.worktree().join("here").exists()).await;
        let run = env.runner.run(elsewhere, Command::shell("true"), Default::default(), None);
        assert!(run.await.unwrap().succeeded());
        if env.level == Level::Landlock {
            let cancel = CancellationToken::new();
            let queued = Command::shell("touch ran");
            let run = env.runner.run(env.policy.clone(), queued, cancel.clone(), None);
            cancel.cancel();
            assert_eq!(run.await.unwrap().ending, Ending::Cancelled);
        }
        fs::write(env.worktree().join("done"), "").unwrap();
    };
    let (outcome, ()) = tokio::join!(waiting, meanwhile);
    assert!(outcome.unwrap().succeeded() && !env.worktree().join("ran").exists());
}

async fn pointer_replaced_by_a_large_directory_is_restored(env: TestEnv) {
    let env = with_repository(env);
    let outcome = env
        .python(
            "import os\n\
             try:\n\
             \x20   os.unlink('.git'); os.mkdir('.git')\n\
             \x20   for n in range(20000): open(f'.git/{n}', 'w').close()\n\
             except OSError: pass\n",
        )
        .await;
    assert!(outcome.succeeded());
    assert_eq!(outcome.git_pointer_restored, env.level == Level::Landlock);
    assert!(fs::symlink_metadata(env.worktree().join(".git")).unwrap().is_file());
    env.assert_removed().await;
}
