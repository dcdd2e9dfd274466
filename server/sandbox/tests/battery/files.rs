//! Reading and writing where a command has no business.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use sandbox::{Command, Level};

use crate::support::{SECRET, Site, at_each_level};

at_each_level!(
    writes_stay_in_the_worktree,
    secrets_cannot_be_read,
    symbolic_links_lead_nowhere,
    hard_links_cannot_be_made,
    another_process_is_no_way_out,
    the_kernel_cannot_be_set,
    set_user_id_files_cannot_be_made,
    hidden_trees_are_cut_out_of_readable_ones,
    files_made_inside_belong_to_the_service,
    nothing_private_is_left_behind,
    the_worktree_itself_cannot_be_moved,
    nothing_planted_reaches_the_next_command,
);

async fn writes_stay_in_the_worktree(site: Site) {
    let top = site.top.path().display();
    let outcome = site
        .shell(&format!(
            "echo in > kept; mkdir -p a/b && mv kept a/b/kept; \
             for at in {top}/new {top}/data/new {top}/other-worktree/new /etc/new /usr/new \
                /var/tmp/new /root/new /dev/new; do echo out > $at && echo wrote $at; done; \
             echo spoiled > {top}/data/secret.key; rm -rf {top}/data; mv {top}/other-worktree x; \
             (: > {top}/other-worktree/file); true"
        ))
        .await;
    assert!(outcome.succeeded());
    assert_eq!(fs::read_to_string(site.worktree().join("a/b/kept")).unwrap(), "in\n");
    assert_eq!(fs::read_to_string(site.secret()).unwrap(), SECRET);
    assert_eq!(fs::read_to_string(site.top.path().join("other-worktree/file")).unwrap(), SECRET);
    for path in ["/etc/new", "/usr/new", "/var/tmp/new", "/root/new", "/dev/new"] {
        assert!(!fs::exists(path).unwrap_or(false), "{path}");
    }
    for name in ["new", "data/new", "other-worktree/new"] {
        assert!(!site.top.path().join(name).exists(), "{name}");
    }
}

async fn secrets_cannot_be_read(site: Site) {
    let top = site.top.path().display();
    let outcome = site
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

async fn symbolic_links_lead_nowhere(site: Site) {
    symlink(site.secret(), site.worktree().join("planted")).unwrap();
    symlink(site.top.path().join("data"), site.worktree().join("planted-dir")).unwrap();
    let secret = site.secret().display().to_string();
    let outcome = site
        .shell(&format!(
            "ln -s {secret} made; for at in planted planted-dir/secret.key made; do \
             cat $at; echo spoiled > $at; done; echo new > planted-dir/new; \
             cat /proc/self/root{secret} /proc/self/cwd/../data/secret.key; true"
        ))
        .await;
    assert!(!outcome.output.text().contains(SECRET));
    assert_eq!(fs::read_to_string(site.secret()).unwrap(), SECRET);
    assert!(!site.top.path().join("data/new").exists());
}

async fn hard_links_cannot_be_made(site: Site) {
    let program = fs::canonicalize("/usr/bin/env").unwrap();
    let before = fs::metadata(&program).unwrap();
    let outcome = site
        .shell(&format!(
            "ln {secret} one; ln {program} two; ln -P {program} three; ln {top}/other-worktree/file \
             four; ls",
            secret = site.secret().display(),
            top = site.top.path().display(),
            program = program.display(),
        ))
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    assert_eq!(fs::read_dir(site.worktree()).unwrap().count(), 0);
    assert_eq!(fs::metadata(&program).unwrap().nlink(), before.nlink());
}

async fn another_process_is_no_way_out(site: Site) {
    let service = std::process::id();
    let secret = site.secret().display().to_string();
    let outcome = site
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

async fn the_kernel_cannot_be_set(site: Site) {
    // Opened for appending and nothing appended: harmless should it work.
    let outcome = site
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

async fn set_user_id_files_cannot_be_made(site: Site) {
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
    assert!(site.python(program).await.succeeded());
    for entry in fs::read_dir(site.worktree()).unwrap().flatten() {
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o6000, 0, "{entry:?}");
    }
    let plain = fs::metadata(site.worktree().join("plain")).unwrap();
    assert_eq!(plain.permissions().mode() & 0o777, 0o755);
}

async fn hidden_trees_are_cut_out_of_readable_ones(mut site: Site) {
    site.policy.readable = vec![site.top.path().to_owned()];
    site.policy.hidden.push(site.top.path().join("runs"));
    let top = site.top.path().display();
    let outcome = site
        .shell(&format!(
            "cat {top}/other-worktree/file; echo; cat {top}/data/secret.key; ls {top}/data"
        ))
        .await;
    let text = outcome.output.text();
    assert_eq!(text.matches(SECRET).count(), 1, "{text}");
    let write = format!("echo x > {top}/other-worktree/file; echo x > {top}/data/new; true");
    assert!(site.shell(&write).await.succeeded());
    assert_eq!(fs::read_to_string(site.top.path().join("other-worktree/file")).unwrap(), SECRET);
    assert!(!site.top.path().join("data/new").exists());
}

async fn files_made_inside_belong_to_the_service(site: Site) {
    assert!(site.shell("mkdir made; echo x > made/file").await.succeeded());
    let service = fs::metadata(site.worktree()).unwrap().uid();
    for name in ["made", "made/file"] {
        assert_eq!(fs::metadata(site.worktree().join(name)).unwrap().uid(), service, "{name}");
    }
}

async fn nothing_private_is_left_behind(site: Site) {
    let outcome = site
        .shell(
            "mkdir -p $TMPDIR/a/b $HOME/c; echo x > $TMPDIR/a/b/x; chmod 0 $TMPDIR/a; echo $HOME",
        )
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    if site.level == Level::Strict {
        assert_eq!(outcome.output.text(), "/tmp/home\n");
    }
    site.assert_tidy();
    let missing = site.run(Command::new(["no-such-program"])).await.unwrap_err();
    assert!(missing.to_string().contains("no-such-program"), "{missing}");
    site.assert_tidy();
}

async fn the_worktree_itself_cannot_be_moved(site: Site) {
    let top = site.top.path().display();
    let outcome = site
        .shell(&format!(
            "mv {top}/worktree {top}/moved; mv ../worktree ../moved; rmdir ../worktree; \
             ln -sfn {top}/data {top}/worktree; mv -T ../other-worktree ../worktree; \
             python3 -c \"import os; os.rename('{top}/other-worktree', '{top}/worktree')\"; true"
        ))
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    assert!(fs::symlink_metadata(site.worktree()).unwrap().is_dir());
    assert!(!site.worktree().join("file").exists() && !site.top.path().join("moved").exists());
    assert_eq!(fs::read_to_string(site.top.path().join("other-worktree/file")).unwrap(), SECRET);
}

/// Programs, libraries and settings that one command leaves for those after it.
async fn nothing_planted_reaches_the_next_command(site: Site) {
    let outcome = site
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
    let outcome = site
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
