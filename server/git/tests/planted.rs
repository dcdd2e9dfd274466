//! Files that an agent may plant in a worktree to execute commands in, block or mislead the
//! service.

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

const HANG_TIMEOUT: Duration = Duration::from_secs(120);

/// Performs all operations of the service on a worktree, and returns the committed paths. Fails if
/// one blocks.
fn work(project: &Project, branch: &BuildBranch, worktree: &Worktree) -> Vec<String> {
    let (sender, done) = mpsc::channel();
    let (clone, first) = (project.clone.clone(), project.first);
    let (branch, worktree) = (branch.clone(), worktree.clone());
    let files = project.files();
    let working = thread::spawn(move || {
        let to = DiffTarget::Worktree(&worktree);
        for change in diff_files(&clone, first, to).unwrap().files {
            if let Ok(path) = change.path.parse() {
                diff_file(&clone, first, to, &path).unwrap();
            }
        }
        branch.changed_files(&worktree, first).unwrap();
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
    match done.recv_timeout(HANG_TIMEOUT) {
        Ok(paths) => paths,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("an operation does not return"),
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

/// Files that git reads in any directory.
const RULE_FILES: [&str; 4] =
    [".gitignore", ".gitattributes", "src/.gitignore", "src/.gitattributes"];

#[test]
fn pipes_in_place_of_rule_files_do_not_block() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    fs::remove_file(worktree.path().join(".gitignore")).unwrap();
    for file in RULE_FILES.into_iter().chain([".gitmodules"]) {
        pipe(&worktree.path().join(file));
    }
    write(&worktree, "src/new.js", "new\n");
    let paths = work(&project, &branch, &worktree);
    assert_eq!(paths, ["README.md", "run.sh", "src/app.js", "src/new.js"]);
}

#[test]
fn links_in_place_of_rule_files_are_ignored_and_committed_as_links() {
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
        for file in RULE_FILES.into_iter().chain(["src/new.js"]) {
            assert!(paths.contains(&file.to_owned()), "{file} → {target}: {paths:?}");
        }
    }
}

#[test]
fn gitmodules_that_git_rejects_in_a_push_are_not_committed() {
    let submodule = |rest: &str| format!("[submodule \"a\"]\n\tpath = a\n\turl = ./a\n\t{rest}\n");
    let contents = [
        submodule("update = !touch /tmp/x"),
        submodule("path = -x"),
        submodule("url = -u./x"),
        submodule("url = https://host/%0ax"),
        submodule("").replace("\"a\"", "\"../../a\""),
    ];
    let project = Project::new();
    let (branch, worktree) = project.build();
    let path = |name: &str| worktree.path().join(name);
    let refused = |name: &str| {
        let error = branch.commit(&worktree, &request("work")).unwrap_err();
        let named = matches!(&error, GitError::BadSubmodules { path, .. } if path == name);
        assert!(named, "{name}: {error}");
        let why = worktree.write_candidate().unwrap().uncommittable;
        assert_eq!(why[0].to_string(), error.to_string());
        fs::remove_file(path(name)).unwrap();
    };
    for content in contents {
        write(&worktree, ".gitmodules", &content);
        refused(".gitmodules");
    }
    for name in [".GITMODULES", "gitmod~1", "GI7EBA~1", ".gitmodules.", ".git\u{200c}modules"] {
        symlink("README.md", path(name)).unwrap();
        refused(name);
    }
    write(&worktree, ".gitmodules", &submodule("update = rebase"));
    branch.commit(&worktree, &request("work")).unwrap().unwrap();
    // An invalid version does not replace the valid one, and is removed when the files are
    // restored.
    write(&worktree, ".gitmodules", &submodule("path = -x"));
    assert!(branch.commit(&worktree, &request("work")).is_err());
    worktree.restore().unwrap();
    assert_eq!(fs::read_to_string(path(".gitmodules")).unwrap(), submodule("update = rebase"));
}

#[test]
fn names_that_a_file_system_treats_as_dot_git_are_rejected() {
    for name in ["git~1", "GIT~1", ".GIT", ".git.", ".git ", ".g\u{200c}it", ".git::$DATA"] {
        let project = Project::new();
        let (branch, worktree) = project.build();
        write(&worktree, &format!("src/{name}/config"), "[core]\n\tfsmonitor = /tmp/x\n");
        write(&worktree, "new.js", "new\n");
        let error = branch.commit(&worktree, &request("work")).unwrap_err();
        let expected = format!("src/{name}");
        assert!(matches!(&error, GitError::UnstorablePath(path) if *path == expected), "{error}");
        assert_eq!(branch.head().unwrap(), project.first);
        // Diffs and restoring work anyway.
        let changed = diff_files(&project.clone, project.first, DiffTarget::Worktree(&worktree));
        assert_eq!(changed.unwrap().files.len(), 1);
        worktree.restore().unwrap();
        assert!(!worktree.path().join("new.js").exists());
        worktree.remove().unwrap();
        assert!(!project.files().exists());
    }
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
    // Shows that the script runs in a git that uses the settings.
    git(project.clone.path(), &["diff", "--ext-diff", &project.first.to_string(), name().as_str()]);
    assert!(project.path("bait-taken").exists());
}

#[test]
fn nested_git_pointers_are_not_followed() {
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
fn unusual_names_are_committed_and_special_files_are_skipped() {
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
