//! Reading and writing files outside the worktree.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use sandbox::{Command, Level, SandboxError};

use crate::support::{SECRET, TestEnv, at_each_level};

at_each_level!(
    writes_outside_the_worktree_are_rejected,
    secrets_cannot_be_read,
    symbolic_links_give_no_access,
    hard_links_cannot_be_made,
    other_processes_expose_nothing,
    kernel_settings_cannot_be_changed,
    set_user_id_files_cannot_be_made,
    hidden_trees_inside_readable_ones_are_inaccessible,
    created_files_belong_to_the_service_user,
    private_directory_is_removed_after_a_run,
    home_directory_can_be_kept,
    worktree_cannot_be_moved,
    planted_files_do_not_affect_the_next_command,
);

async fn writes_outside_the_worktree_are_rejected(env: TestEnv) {
    let top = env.top.path().display();
    let outcome = env
        .shell(&format!(
            "echo in > kept; mkdir -p a/b && mv kept a/b/kept; \
             for at in {top}/new {top}/data/new {top}/other-worktree/new /etc/new /usr/new \
                /var/tmp/new /root/new /dev/new; do echo out > $at && echo wrote $at; done; \
             echo overwritten > {top}/data/secret.key; rm -rf {top}/data; mv {top}/other-worktree x; \
             (: > {top}/other-worktree/file); true"
        ))
        .await;
    assert!(outcome.succeeded());
    assert_eq!(fs::read_to_string(env.worktree().join("a/b/kept")).unwrap(), "in\n");
    assert_eq!(fs::read_to_string(env.secret()).unwrap(), SECRET);
    assert_eq!(fs::read_to_string(env.top.path().join("other-worktree/file")).unwrap(), SECRET);
    for path in ["/etc/new", "/usr/new", "/var/tmp/new", "/root/new", "/dev/new"] {
        assert!(!fs::exists(path).unwrap_or(false), "{path}");
    }
    for name in ["new", "data/new", "other-worktree/new"] {
        assert!(!env.top.path().join(name).exists(), "{name}");
    }
}

async fn secrets_cannot_be_read(env: TestEnv) {
    let top = env.top.path().display();
    let outcome = env
        .shell(&format!(
            "cat {top}/data/secret.key {top}/other-worktree/file ../data/secret.key; \
             cd ..; cat data/secret.key; ls data; cat {top}/runs/*/record.json; \
             cat /etc/shadow && echo read-shadow; cat /etc/sudoers /etc/ssl/private/* && echo \
             read-more; ls /root /home && echo read-homes"
        ))
        .await;
    let text = outcome.output.text();
    for forbidden in [SECRET, "read-shadow", "read-more", "read-homes", "secret.key\n", "label"] {
        assert!(!text.lines().any(|line| line.starts_with(forbidden)), "{forbidden}: {text}");
    }
    assert!(!text.contains(SECRET), "{text}");
}

async fn symbolic_links_give_no_access(env: TestEnv) {
    symlink(env.secret(), env.worktree().join("planted")).unwrap();
    symlink(env.top.path().join("data"), env.worktree().join("planted-dir")).unwrap();
    let secret = env.secret().display().to_string();
    let outcome = env
        .shell(&format!(
            "ln -s {secret} made; for at in planted planted-dir/secret.key made; do \
             cat $at; echo overwritten > $at; done; echo new > planted-dir/new; \
             cat /proc/self/root{secret} /proc/self/cwd/../data/secret.key; true"
        ))
        .await;
    assert!(!outcome.output.text().contains(SECRET));
    assert_eq!(fs::read_to_string(env.secret()).unwrap(), SECRET);
    assert!(!env.top.path().join("data/new").exists());
}

async fn hard_links_cannot_be_made(env: TestEnv) {
    let program = fs::canonicalize("/usr/bin/env").unwrap();
    let before = fs::metadata(&program).unwrap();
    let outcome = env
        .shell(&format!(
            "ln {secret} one; ln {program} two; ln -P {program} three; ln {top}/other-worktree/file \
             four; ls",
            secret = env.secret().display(),
            top = env.top.path().display(),
            program = program.display(),
        ))
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    assert_eq!(fs::read_dir(env.worktree()).unwrap().count(), 0);
    assert_eq!(fs::metadata(&program).unwrap().nlink(), before.nlink());
}

async fn other_processes_expose_nothing(env: TestEnv) {
    let service = std::process::id();
    let secret = env.secret().display().to_string();
    let outcome = env
        .shell(&format!(
            "for pid in {service} $PPID 1; do cat /proc/$pid/root{secret}; \
             cat /proc/$pid/environ | tr '\\0' '\\n' | grep ^CARGO; cat /proc/$pid/mem; \
             cat /proc/$pid/cwd/Cargo.toml; ls /proc/$pid/fd/ && cat /proc/$pid/maps; done"
        ))
        .await;
    let text = outcome.output.text();
    assert!(!text.contains(SECRET), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("CARGO")), "{text}");
    assert!(!text.contains("[workspace]") && !text.contains("[package]"), "{text}");
    assert!(!text.contains("r-xp"), "{text}");
}

async fn kernel_settings_cannot_be_changed(env: TestEnv) {
    // Opens for appending without writing, which is harmless if it succeeds.
    let outcome = env
        .shell(
            "for at in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname \
             /proc/sysrq-trigger /sys/power/state /dev/kmsg /dev/mem; do \
             (: >> $at) && echo opened $at; done; mount -t tmpfs none . && echo mounted; \
             unshare -r true && echo unshared; unshare -m true && echo unshared; \
             hostname other && echo renamed; mknod disk b 8 0 && echo made; chroot . /x; true",
        )
        .await;
    let text = outcome.output.text();
    for got in ["opened", "mounted", "unshared", "renamed", "made"] {
        assert!(!text.lines().any(|line| line.starts_with(got)), "{text}");
    }
}

async fn set_user_id_files_cannot_be_made(env: TestEnv) {
    let program = r#"
import os
def attempt(act):
    try: act()
    except OSError: pass
os.umask(0)
open("plain", "w").close()
attempt(lambda: os.chmod("plain", 0o4755))
attempt(lambda: os.chmod("plain", 0o2755))
attempt(lambda: os.close(os.open("made", os.O_CREAT | os.O_WRONLY, 0o4755)))
attempt(lambda: os.fchmod(os.open("plain", os.O_RDONLY), 0o6755))
attempt(lambda: os.mknod("node", 0o104755))
os.chmod("plain", 0o755)
"#;
    assert!(env.python(program).await.succeeded());
    for entry in fs::read_dir(env.worktree()).unwrap().flatten() {
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o6000, 0, "{entry:?}");
    }
    let plain = fs::metadata(env.worktree().join("plain")).unwrap();
    assert_eq!(plain.permissions().mode() & 0o777, 0o755);
}

async fn hidden_trees_inside_readable_ones_are_inaccessible(mut env: TestEnv) {
    env.policy.readable = vec![env.top.path().to_owned()];
    env.policy.hidden.push(env.top.path().join("runs"));
    let top = env.top.path().display();
    let outcome = env
        .shell(&format!(
            "cat {top}/other-worktree/file; echo; cat {top}/data/secret.key; ls {top}/data"
        ))
        .await;
    let text = outcome.output.text();
    assert_eq!(text.matches(SECRET).count(), 1, "{text}");
    let write = format!("echo x > {top}/other-worktree/file; echo x > {top}/data/new; true");
    assert!(env.shell(&write).await.succeeded());
    assert_eq!(fs::read_to_string(env.top.path().join("other-worktree/file")).unwrap(), SECRET);
    assert!(!env.top.path().join("data/new").exists());
}

async fn created_files_belong_to_the_service_user(env: TestEnv) {
    assert!(env.shell("mkdir made; echo x > made/file").await.succeeded());
    let service = fs::metadata(env.worktree()).unwrap().uid();
    for name in ["made", "made/file"] {
        assert_eq!(fs::metadata(env.worktree().join(name)).unwrap().uid(), service, "{name}");
    }
}

async fn private_directory_is_removed_after_a_run(env: TestEnv) {
    let outcome = env
        .shell(
            "mkdir -p $TMPDIR/a/b $HOME/c; echo x > $TMPDIR/a/b/x; chmod 0 $TMPDIR/a; echo $HOME",
        )
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    if env.level == Level::Strict {
        assert_eq!(outcome.output.text(), "/tmp/home\n");
    }
    env.assert_no_run_left();
    let missing = env.run(Command::new(["no-such-program"])).await.unwrap_err();
    assert!(missing.to_string().contains("no-such-program"), "{missing}");
    env.assert_no_run_left();
}

async fn home_directory_can_be_kept(mut env: TestEnv) {
    // As in use: within a hidden tree.
    let home = env.top.path().join("data/home");
    fs::create_dir(&home).unwrap();
    env.policy.home = Some(home.clone());
    if env.level != Level::Strict {
        let refusal = env.run(Command::shell("true")).await.unwrap_err();
        assert!(matches!(refusal, SandboxError::HomeNeedsStrict), "{refusal}");
        return;
    }
    assert!(env.shell("echo said > $HOME/session").await.succeeded());
    let outcome = env.shell("cat $HOME/session $HOME/../../data/secret.key; ls /tmp").await;
    assert_eq!(outcome.output.text().lines().next(), Some("said"));
    assert!(!outcome.output.text().contains(SECRET), "{}", outcome.output.text());
    env.assert_no_run_left();
    assert_eq!(fs::read_to_string(home.join("session")).unwrap(), "said\n");
}

async fn worktree_cannot_be_moved(env: TestEnv) {
    let top = env.top.path().display();
    let outcome = env
        .shell(&format!(
            "mv {top}/worktree {top}/moved; mv ../worktree ../moved; rmdir ../worktree; \
             ln -sfn {top}/data {top}/worktree; mv -T ../other-worktree ../worktree; \
             python3 -c \"import os; os.rename('{top}/other-worktree', '{top}/worktree')\"; true"
        ))
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    assert!(fs::symlink_metadata(env.worktree()).unwrap().is_dir());
    assert!(!env.worktree().join("file").exists() && !env.top.path().join("moved").exists());
    assert_eq!(fs::read_to_string(env.top.path().join("other-worktree/file")).unwrap(), SECRET);
}

/// Programs, libraries and settings left by a command are not used by the next one.
async fn planted_files_do_not_affect_the_next_command(env: TestEnv) {
    let outcome = env
        .shell(
            "for name in sh env cat ls git true; do printf '#!/bin/sh\necho planted\n' > $name; \
             chmod +x $name; done; echo 'echo planted' > .profile; \
             for at in $HOME $TMPDIR; do echo 'echo planted' > $at/.profile; \
             cp .profile $at/.bashrc; printf '[alias]\\n status = !echo planted\\n\
             [core]\\n pager = echo planted\\n' > $at/.gitconfig; done; \
             echo planted > ld.so.preload; export LD_PRELOAD=$PWD/evil.so PATH=$PWD ENV=$PWD/.profile",
        )
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    let outcome = env
        .shell(
            "true; ls -a $HOME $TMPDIR; env; bash -lc true; bash -ic true; git status; \
             git config --list --show-origin; cat /proc/self/maps | grep evil",
        )
        .await;
    let text = outcome.output.text();
    assert!(text.contains("PATH=/usr/local/sbin"), "{text}");
    for planted in ["planted", "evil", ".gitconfig", "LD_PRELOAD", "ENV="] {
        assert!(!text.contains(planted), "{planted}: {text}");
    }
}
