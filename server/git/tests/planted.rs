//! What an agent may leave in a worktree to run, stop or mislead whoever commits, looks and serves.

use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Duration,
};

use git::{BuildBranch, DiffTarget, GitError, Worktree, diff_file, diff_files};

use crate::project::{Project, git, name, request, write};

const PATIENCE: Duration = Duration::from_secs(30);

/// Does all that ForgeGuard does with a worktree, and gives the paths that were committed. Whatever
/// waits for ever fails.
fn work(project: &Project, branch: &BuildBranch, worktree: &Worktree) -> Vec<String> {
    let (sender, done) = mpsc::channel();
    let (clone, first) = (project.clone.clone(), project.first);
    let (branch, worktree) = (branch.clone(), worktree.clone());
    let files = project.files();
    let working = thread::spawn(move || {
        let to = DiffTarget::Worktree(&worktree);
        for change in diff_files(&clone, first, to).unwrap() {
            if let Ok(path) = change.path.parse() {
                diff_file(&clone, first, to, &path).unwrap();
            }
        }
        branch.changed_files(&worktree, first).unwrap();
        worktree.is_clean().unwrap();
        branch.commit(&worktree, &request("work")).unwrap().unwrap();
        branch.push().unwrap();
        let head = branch.head().unwrap();
        diff_files(&clone, first, DiffTarget::Commit(head)).unwrap();
        fs::write(worktree.path().join("left"), "over").unwrap();
        worktree.restore().unwrap();
        worktree.remove().unwrap();
        Worktree::open_or_create(&clone, &name(), &files).unwrap();
        let tree = clone.tree(head).unwrap().into_iter().map(|entry| entry.path);
        sender.send(tree.collect()).unwrap();
    });
    match done.recv_timeout(PATIENCE) {
        Ok(paths) => paths,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("something waits for ever"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("{:?}", working.join()),
    }
}

fn plant_script(project: &Project) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let script = project.path("bait.sh");
    let trace = project.path("bait-taken");
    fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script
}

fn pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// What git reads on its own, wherever it stands.
const RULE_FILES: [&str; 5] =
    [".gitignore", ".gitattributes", ".gitmodules", "src/.gitignore", "src/.gitattributes"];

#[test]
fn pipes_in_place_of_rule_files_stop_nobody() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    fs::remove_file(worktree.path().join(".gitignore")).unwrap();
    for file in RULE_FILES {
        pipe(&worktree.path().join(file));
    }
    write(&worktree, "src/new.js", "new\n");
    let paths = work(&project, &branch, &worktree);
    assert_eq!(paths, ["README.md", "run.sh", "src/app.js", "src/new.js"]);
}

#[test]
fn links_in_place_of_rule_files_lead_nowhere_else() {
    for target in ["pipe", "/dev/zero", "rules", "folder", "/nonexistent"] {
        let project = Project::new();
        let (branch, worktree) = project.build();
        let outside = project.path("outside");
        fs::create_dir_all(outside.join("folder")).unwrap();
        pipe(&outside.join("pipe"));
        fs::write(outside.join("rules"), "new.js\n").unwrap();
        for file in RULE_FILES {
            let at = worktree.path().join(file);
            let _ = fs::remove_file(&at);
            symlink(outside.join(target), &at).unwrap();
        }
        write(&worktree, "src/new.js", "new\n");
        let paths = work(&project, &branch, &worktree);
        assert!(paths.contains(&"src/new.js".to_owned()), "{target}: {paths:?}");
        for file in RULE_FILES {
            // Where there is nothing to read, a link does no harm; but see `.gitmodules` below.
            let is_kept = matches!(target, "folder" | "/nonexistent") && file != ".gitmodules";
            assert_eq!(paths.contains(&file.to_owned()), is_kept, "{file} → {target}: {paths:?}");
        }
    }
}

#[test]
fn a_link_that_no_git_checks_out_is_not_committed() {
    for name in [".GITMODULES", "gitmod~1", "GI7EBA~1", ".gitmodules.", ".git\u{200c}modules"] {
        let project = Project::new();
        let (branch, worktree) = project.build();
        symlink("README.md", worktree.path().join(name)).unwrap();
        let error = branch.commit(&worktree, &request("work")).unwrap_err();
        assert!(matches!(&error, GitError::UnstorablePath(path) if path == name), "{error}");
    }
}

#[test]
fn a_rule_file_may_be_a_link_within_the_worktree() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    symlink("../.gitignore", worktree.path().join("src/.gitignore")).unwrap();
    write(&worktree, "src/new.log", "ignored\n");
    let paths = work(&project, &branch, &worktree);
    assert!(paths.contains(&"src/.gitignore".to_owned()), "{paths:?}");
    assert!(!paths.contains(&"src/new.log".to_owned()), "{paths:?}");
}

#[test]
fn drivers_and_filters_that_attributes_name_are_not_run() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let bait = plant_script(&project).display().to_string();
    for dir in [project.clone.path(), project.origin.path()] {
        for key in [
            "diff.evil.command",
            "diff.evil.textconv",
            "diff.external",
            "filter.evil.clean",
            "filter.evil.smudge",
            "filter.evil.process",
            "merge.evil.driver",
            "core.fsmonitor",
            "uploadpack.packObjectsHook",
        ] {
            git(dir, &["config", key, &bait]);
        }
    }
    let rules = "* diff=evil filter=evil merge=evil -text working-tree-encoding=UTF-16 ident\n";
    write(&worktree, ".gitattributes", rules);
    write(&worktree, "src/.gitattributes", rules);
    write(&worktree, "src/app.js", "export const answer = 43;\n");
    let settings = format!("[core]\n\tfsmonitor = {bait}\n[include]\n\tpath = .gitconfig\n");
    for file in [".gitconfig", "config", ".config/git/config", "HEAD", "objects/info/alternates"] {
        write(&worktree, file, &settings);
    }
    assert!(work(&project, &branch, &worktree).contains(&"src/.gitattributes".to_owned()));
    assert!(!project.path("bait-taken").exists(), "a planted command ran");
    // It is no dead bait: a git that trusts the settings takes it.
    git(project.clone.path(), &["diff", "--ext-diff", &project.first.to_string(), name().as_str()]);
    assert!(project.path("bait-taken").exists());
}

#[test]
fn repositories_that_only_point_elsewhere_are_not_followed() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let bait = plant_script(&project);
    git(project.dir.path(), &["init", "-q", "-b", "main", "evil"]);
    let evil = project.path("evil");
    git(&evil, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&evil, &["config", "core.fsmonitor", &bait.display().to_string()]);
    for folder in ["pointing", "linking", "piping", "bare"] {
        write(&worktree, &format!("{folder}/file"), "x\n");
    }
    let at = |path: &str| worktree.path().join(path);
    fs::write(at("pointing/.git"), format!("gitdir: {}\n", evil.join(".git").display())).unwrap();
    symlink(evil.join(".git"), at("linking/.git")).unwrap();
    pipe(&at("piping/.git"));
    git(&at("bare"), &["init", "-q", "--bare", "."]);
    fs::copy(&bait, at("bare/hooks/post-index-change")).unwrap();
    git(&at("bare"), &["config", "core.fsmonitor", &bait.display().to_string()]);
    let before = git(&evil, &["rev-parse", "HEAD"]);
    let paths = work(&project, &branch, &worktree);
    for folder in ["pointing", "linking", "piping", "bare"] {
        assert!(paths.contains(&format!("{folder}/file")), "{folder}: {paths:?}");
        assert!(!paths.iter().any(|path| path.contains(".git/") || path.ends_with("/.git")));
    }
    assert!(!project.path("bait-taken").exists(), "a planted command ran");
    git(&evil, &["config", "--unset", "core.fsmonitor"]);
    assert_eq!(git(&evil, &["rev-parse", "HEAD"]), before);
}

#[test]
fn odd_names_are_kept_and_what_is_no_file_is_left_out() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let odd: [&[u8]; 5] = [b"-rf", b"a\nb", b"\xff\xfe", b" ", "\u{202e}txt".as_bytes()];
    for name in odd {
        fs::write(worktree.path().join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
    }
    pipe(&worktree.path().join("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(worktree.path().join("socket")).unwrap();
    let paths = work(&project, &branch, &worktree);
    for name in odd {
        let name = String::from_utf8_lossy(name).into_owned();
        assert!(paths.contains(&name), "{name:?}: {paths:?}");
    }
    assert!(!paths.contains(&"pipe".to_owned()) && !paths.contains(&"socket".to_owned()));
}
