//! The service's data directory, which contains the worktree and clone of a build.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sandbox::Level;

use crate::support::{SECRET, TestEnv, at_each_level, git};

at_each_level!(
    data_directory_is_neither_readable_nor_writable,
    file_metadata_is_unchanged_or_the_probe_reports_a_caveat,
);

/// Arranges files like the service: everything is below one hidden data directory.
fn with_data_directory(mut env: TestEnv) -> TestEnv {
    let data = env.top.path().join("data");
    let hosted = data.join("repositories/project.git");
    let clone = data.join("clones/project.git");
    let worktree = data.join("worktrees/build-own");
    for directory in ["repositories", "clones", "worktrees/build-other", "keys", "nodes"] {
        fs::create_dir_all(data.join(directory)).unwrap();
    }
    let content = env.top.path().join("content");
    git(env.top.path(), &["init", "--quiet", "-b", "main", content.to_str().unwrap()]);
    fs::write(content.join("file"), "public\n").unwrap();
    git(&content, &["add", "."]);
    git(&content, &["commit", "--quiet", "-m", "First"]);
    for bare in [&hosted, &clone] {
        let from = content.to_str().unwrap();
        git(env.top.path(), &["clone", "--quiet", "--bare", from, bare.to_str().unwrap()]);
    }
    // A commit that only the hosted repository has.
    fs::write(content.join("file"), SECRET).unwrap();
    git(&content, &["commit", "--quiet", "-am", SECRET]);
    git(&content, &["push", "--quiet", hosted.to_str().unwrap(), "main:secret"]);
    fs::remove_dir_all(content).unwrap();
    git(
        &clone,
        &["worktree", "add", "--quiet", "-b", "forge/build", worktree.to_str().unwrap(), "main"],
    );
    for file in ["forgeguard.db", "keys/seal.key", "secret.key", "worktrees/build-other/file"] {
        fs::write(data.join(file), SECRET).unwrap();
    }
    env.policy.git_pointer = Some(fs::read(worktree.join(".git")).unwrap());
    env.policy.git_dir = Some(clone);
    env.policy.worktree = worktree;
    env
}

/// Reads all files outside the worktree, with content and mode.
fn files(directory: &Path, except: &Path, into: &mut BTreeMap<PathBuf, (Vec<u8>, u32)>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path == except {
            continue;
        }
        let mode = entry.metadata().unwrap().mode();
        if entry.file_type().unwrap().is_dir() {
            into.insert(path.clone(), (Vec::new(), mode));
            files(&path, except, into);
        } else {
            into.insert(path.clone(), (fs::read(&path).unwrap(), mode));
        }
    }
}

async fn data_directory_is_neither_readable_nor_writable(env: TestEnv) {
    let env = with_data_directory(env);
    let data = env.top.path().join("data");
    let snapshot = || {
        let mut found = BTreeMap::new();
        files(&data, &env.policy.worktree, &mut found);
        found
    };
    let before = snapshot();
    let hosted = data.join("repositories/project.git");
    let secret_commit = git(&hosted, &["rev-parse", "secret"]);
    let line = format!(
        "export D={data} H={hosted} C={commit} \
         GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x\n\
         git status && git log --format=%s && echo read-repository\n\
         cat $D/forgeguard.db $D/keys/* $D/secret.key $D/worktrees/build-other/file\n\
         cat ../build-other/file ../../secret.key ../../keys/seal.key\n\
         ls $D $D/keys $D/repositories $D/worktrees $H $H/objects && echo listed\n\
         cp -r $D copy; cp -r $H copy; tar cf all.tar $D $H\n\
         git -C $H log --all --format=%s; git --git-dir=$H show $C\n\
         GIT_ALTERNATE_OBJECT_DIRECTORIES=$H/objects git show $C\n\
         git clone $H c1; git clone file://$H c2; git fetch $H secret; git ls-remote $H\n\
         git push $H HEAD:refs/heads/planted; git push $H HEAD:main --force\n\
         for f in $D/forgeguard.db $D/keys/seal.key $D/secret.key $H/HEAD $H/refs/heads/main \
         $H/config $D/worktrees/build-other/file; do\n\
         echo spoiled > $f; true >> $f; rm -f $f; mv $f x; mv x $f; ln -sf /dev/null $f; truncate -s 0 $f\n\
         done\n\
         touch $D/new $D/keys/new $D/worktrees/new $D/worktrees/build-other/new $H/hooks/post-receive\n\
         mkdir $D/made; rmdir $D/keys; rm -rf $H $D/nodes; true",
        data = data.display(),
        hosted = hosted.display(),
        commit = secret_commit.trim(),
    );
    let outcome = env.shell(&line).await;
    let text = outcome.output.text();
    assert!(outcome.succeeded() && text.contains("read-repository"), "{text}");
    assert!(!text.contains(SECRET), "{text}");
    let listed = text.lines().any(|line| line == "listed" || line == "seal.key");
    assert!(!listed, "{text}");
    assert_eq!(snapshot(), before);
}

async fn file_metadata_is_unchanged_or_the_probe_reports_a_caveat(env: TestEnv) {
    let env = with_data_directory(env);
    let key = env.top.path().join("data/keys/seal.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let before = fs::metadata(&key).unwrap();
    let program = format!(
        "import os\n\
         for act in (lambda: os.chmod({key:?}, 0o644), lambda: os.utime({key:?}, (0, 0)),\n\
         \x20           lambda: os.chown({key:?}, 1, 1), lambda: os.setxattr({key:?}, 'user.x', b'')):\n\
         \x20   try: act()\n\
         \x20   except OSError: pass\n"
    );
    assert!(env.python(&program).await.succeeded());
    let after = fs::metadata(&key).unwrap();
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    match env.level {
        Level::Strict => {
            assert_eq!((after.mode(), after.mtime()), (before.mode(), before.mtime()));
        }
        // No kernel can prevent this yet, so the level must be selected explicitly.
        _ => {
            let report = sandbox::probe(&env.runner).await;
            assert!(
                report.landlock.caveats.iter().any(|caveat| caveat.contains("modes and times"))
            );
        }
    }
}
