//! Attempts to move other branches than the build's own.
//!
//! Each test tries one, and checks that `main` did not move at origin or in the clone, and that no
//! planted command ran.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use git::{BuildBranch, GitError, Sha, Worktree};

use crate::project::{BUILD, Project, git, integrate, is_clean, name, request, try_git, write};

struct Attack {
    project: Project,
    branch: BuildBranch,
    worktree: Worktree,
    before: (String, String),
}

impl Attack {
    /// A build with one pushed commit, and a `main` in the clone too.
    fn new() -> Self {
        let project = Project::new();
        let (branch, worktree) = project.build();
        branch.push().unwrap();
        git(project.clone.path(), &["branch", "-q", "main", "origin/main"]);
        let before = project.mains();
        Attack { project, branch, worktree, before }
    }

    fn clone(&self) -> &Path {
        self.project.clone.path()
    }

    fn origin(&self) -> &Path {
        self.project.origin.path()
    }

    /// Changes a file, commits and pushes.
    fn work(&self) -> Result<Sha, GitError> {
        write(&self.worktree, "src/app.js", "export const answer = 43;\n");
        self.branch.commit(&self.worktree, &request("work"))?;
        self.branch.push()
    }

    /// A script that creates a marker file and moves `main`.
    fn malicious_script(&self) -> String {
        let script = self.project.path("malicious_script.sh");
        let (clone, origin) = (self.clone().display(), self.origin().display());
        let marker = self.project.path("malicious_script-taken");
        let text = format!(
            "#!/bin/sh\ntouch '{}'\nfor r in '{clone}' '{origin}'; do\n  \
             git --git-dir=\"$r\" update-ref refs/heads/main refs/heads/{}\ndone\n",
            marker.display(),
            name()
        );
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        script.display().to_string()
    }

    fn assert_main_unchanged(&self) {
        assert_eq!(self.project.mains(), self.before, "main moved");
        assert!(!self.project.path("malicious_script-taken").exists(), "a planted command ran");
    }

    fn assert_push_rejected(&self) {
        let error = self.work().unwrap_err();
        assert!(matches!(error, GitError::DefaultBranch { .. }), "commit: {error}");
        let error = self.branch.push().unwrap_err();
        assert!(matches!(error, GitError::DefaultBranch { .. }), "push: {error}");
        self.assert_main_unchanged();
    }

    fn assert_push_succeeds(&self) {
        let sha = self.work().unwrap();
        let at_origin = self.project.origin.head_of(name().as_str()).unwrap();
        assert_eq!(at_origin, Some(sha));
        assert_ne!(sha, self.project.first);
        self.assert_main_unchanged();
    }

    fn assert_second_push_succeeds(&self) {
        self.branch.commit(&self.worktree, &request("again")).unwrap().unwrap();
        self.branch.push().unwrap();
        assert!(!self.project.path("malicious_script-taken").exists(), "a planted command ran");
    }

    fn symbolic(&self, dir: &Path, from: &str, to: &str) {
        if from != "HEAD" {
            fs::remove_file(dir.join(from)).ok();
        }
        git(dir, &["symbolic-ref", from, to]);
    }
}

fn build_ref() -> String {
    format!("refs/heads/{}", name())
}

#[test]
fn malicious_script_moves_main_when_it_runs() {
    // Shows that the other tests would detect it.
    let attack = Attack::new();
    attack.assert_push_succeeds();
    fs::create_dir_all(attack.origin().join("hooks")).unwrap();
    fs::copy(attack.malicious_script(), attack.origin().join("hooks/post-update")).unwrap();
    attack.project.human_commit("x", "x");
    assert!(attack.project.path("malicious_script-taken").exists());
    assert_ne!(attack.project.mains(), attack.before);
}

#[test]
fn build_branch_that_refers_to_a_default_branch_is_rejected() {
    for default in ["main", "master", "develop"] {
        let default = format!("refs/heads/{default}");
        let attack = Attack::new();
        attack.symbolic(attack.clone(), &build_ref(), &default);
        attack.assert_push_rejected();
        let attack = Attack::new();
        attack.symbolic(attack.origin(), &build_ref(), &default);
        attack.assert_push_rejected();
    }
}

#[test]
fn chain_of_symbolic_references_is_rejected() {
    let attack = Attack::new();
    for dir in [attack.clone(), attack.origin()] {
        attack.symbolic(dir, "refs/heads/far", "refs/heads/main");
        attack.symbolic(dir, "refs/heads/near", "refs/heads/far");
    }
    attack.symbolic(attack.origin(), &build_ref(), "refs/heads/near");
    attack.assert_push_rejected();
    attack.symbolic(attack.clone(), &build_ref(), "refs/heads/near");
    attack.assert_push_rejected();
}

#[test]
fn symbolic_build_branch_is_rejected() {
    let attack = Attack::new();
    git(attack.clone(), &["branch", "-q", "side", "main"]);
    attack.symbolic(attack.clone(), &build_ref(), "refs/heads/side");
    let error = attack.work().unwrap_err();
    assert!(matches!(error, GitError::SymbolicBranch { .. }), "{error}");
    attack.assert_main_unchanged();
    attack.symbolic(attack.clone(), &build_ref(), &build_ref());
    assert!(attack.work().is_err());
    attack.assert_main_unchanged();
}

#[test]
fn default_branch_that_refers_to_the_build_branch_is_rejected() {
    for default in ["HEAD", "refs/heads/master", "refs/heads/develop"] {
        let attack = Attack::new();
        attack.symbolic(attack.origin(), default, &build_ref());
        attack.assert_push_rejected();
        let attack = Attack::new();
        attack.symbolic(attack.clone(), default, &build_ref());
        attack.assert_push_rejected();
    }
    let mut attack = Attack::new();
    attack.symbolic(attack.origin(), "refs/heads/main", &build_ref());
    attack.before = attack.project.mains();
    attack.assert_push_rejected();
    let attack = Attack::new();
    attack.symbolic(attack.origin(), "refs/heads/between", &build_ref());
    attack.symbolic(attack.origin(), "HEAD", "refs/heads/between");
    attack.assert_push_rejected();
}

#[test]
fn creating_or_adopting_origins_default_branch_is_rejected() {
    let project = Project::new();
    git(project.origin.path(), &["symbolic-ref", "HEAD", &build_ref()]);
    let error = BuildBranch::create(&project.clone, name(), project.first).unwrap_err();
    assert!(matches!(error, GitError::DefaultBranch { .. }), "{error}");
    let error = BuildBranch::adopt_or_create(&project.clone, name(), project.first).unwrap_err();
    assert!(matches!(error, GitError::DefaultBranch { .. }), "{error}");
    assert!(!try_git(project.clone.path(), &["rev-parse", "--verify", &build_ref()]).0);
}

#[test]
fn references_that_are_file_system_links_are_rejected() {
    let loose = |dir: &Path| dir.join(build_ref());
    for at_origin in [false, true] {
        let pick = |attack: &Attack| match at_origin {
            true => attack.origin().to_owned(),
            false => attack.clone().to_owned(),
        };
        let attack = Attack::new();
        fs::remove_file(loose(&pick(&attack))).unwrap();
        symlink("../main", loose(&pick(&attack))).unwrap();
        attack.assert_push_rejected();

        let attack = Attack::new();
        let main = pick(&attack).join("refs/heads/main");
        fs::remove_file(&main).unwrap();
        symlink(format!("forge/build-{BUILD}"), &main).unwrap();
        attack.assert_push_rejected();

        let attack = Attack::new();
        let forge = pick(&attack).join("refs/heads/forge");
        fs::remove_dir_all(&forge).unwrap();
        symlink("../heads", &forge).unwrap();
        symlink("main", pick(&attack).join(format!("refs/heads/build-{BUILD}"))).unwrap();
        attack.assert_push_rejected();
    }
}

#[test]
fn packed_references_do_not_bypass_the_check() {
    let attack = Attack::new();
    git(attack.clone(), &["pack-refs", "--all"]);
    git(attack.origin(), &["pack-refs", "--all"]);
    attack.assert_push_succeeds();
    git(attack.clone(), &["pack-refs", "--all"]);
    attack.symbolic(attack.clone(), &build_ref(), "refs/heads/main");
    attack.assert_push_rejected();
}

#[test]
fn worktree_record_that_names_main_is_ignored() {
    let attack = Attack::new();
    let head = attack.clone().join(format!("worktrees/build-{BUILD}/HEAD"));
    fs::write(head, "ref: refs/heads/main\n").unwrap();
    attack.assert_push_succeeds();
}

#[test]
fn push_is_fast_forward_only() {
    let attack = Attack::new();
    attack.assert_push_succeeds();
    let pushed = attack.branch.head().unwrap().to_string();
    let orphan = git(attack.clone(), &["commit-tree", "main^{tree}", "-m", "other history"]);
    for target in [orphan.as_str(), "refs/heads/main"] {
        git(attack.clone(), &["update-ref", &build_ref(), target]);
        let error = attack.branch.push().unwrap_err();
        assert!(matches!(error, GitError::NonFastForward(_)), "{error}");
        assert_eq!(git(attack.origin(), &["rev-parse", &build_ref()]), pushed);
    }
    attack.assert_main_unchanged();
}

#[test]
fn push_configuration_is_ignored() {
    let settings = [
        ("push.default", "matching"),
        ("push.followTags", "true"),
        ("remote.origin.push", "+refs/heads/forge/*:refs/heads/main"),
        ("remote.origin.push", "+refs/heads/*:refs/heads/*"),
        ("remote.origin.push", "+HEAD:refs/heads/main"),
        ("remote.origin.mirror", "true"),
        ("remote.origin.fetch", "+refs/heads/forge/*:refs/heads/main"),
        ("remote.origin.pushurl", "/nonexistent"),
        ("remote.pushDefault", "elsewhere"),
        ("branch.main.merge", "refs/heads/main"),
        ("receive.denyCurrentBranch", "updateInstead"),
    ];
    let attack = Attack::new();
    for (key, value) in settings {
        git(attack.clone(), &["config", "--add", key, value]);
        git(attack.origin(), &["config", "--add", key, value]);
    }
    attack.assert_push_succeeds();
    attack.project.clone.fetch().unwrap();
    attack.assert_main_unchanged();
}

#[test]
fn configured_origin_is_ignored() {
    let attack = Attack::new();
    git(attack.project.dir.path(), &["init", "-q", "--bare", "elsewhere.git"]);
    let elsewhere = attack.project.path("elsewhere.git");
    let (from, to) = (attack.origin().display().to_string(), elsewhere.display().to_string());
    for key in [format!("url.{to}.insteadOf"), format!("url.{to}.pushInsteadOf")] {
        git(attack.clone(), &["config", &key, &from]);
    }
    git(attack.clone(), &["config", "remote.origin.url", &to]);
    attack.assert_push_succeeds();
    assert_eq!(git(&elsewhere, &["for-each-ref"]), "");
}

#[test]
fn configured_commands_are_not_run() {
    let attack = Attack::new();
    let malicious_script = attack.malicious_script();
    let included = attack.project.path("included");
    fs::write(
        &included,
        format!("[core]\n\thooksPath = {malicious_script}\n\tfsmonitor = {malicious_script}\n"),
    )
    .unwrap();
    let include = included.display().to_string();
    let shell = format!("!{malicious_script}");
    let settings = [
        ("core.fsmonitor", malicious_script.as_str()),
        ("core.sshCommand", &malicious_script),
        ("core.editor", &malicious_script),
        ("core.pager", &malicious_script),
        ("core.alternateRefsCommand", &malicious_script),
        ("core.worktree", "/"),
        ("core.excludesFile", "/nonexistent"),
        ("commit.gpgSign", "true"),
        ("gpg.program", &malicious_script),
        ("credential.helper", &shell),
        ("diff.external", &malicious_script),
        ("diff.evil.textconv", &malicious_script),
        ("merge.evil.driver", &malicious_script),
        ("remote.origin.receivepack", &malicious_script),
        ("remote.origin.uploadpack", &malicious_script),
        ("remote.origin.vcs", "evil"),
        ("uploadpack.packObjectsHook", &malicious_script),
        ("include.path", &include),
        ("includeIf.gitdir:/.path", &include),
        ("includeIf.onbranch:**.path", &include),
        ("user.name", "Mallory"),
        ("core.autocrlf", "true"),
        ("core.logAllRefUpdates", "always"),
    ];
    for (key, value) in settings {
        git(attack.origin(), &["config", key, value]);
        git(attack.clone(), &["config", key, value]);
    }
    attack.assert_push_succeeds();
    attack.project.clone.fetch().unwrap();
    attack.assert_main_unchanged();
    fs::remove_file(attack.clone().join("config")).unwrap();
    fs::remove_file(attack.origin().join("config")).unwrap();
    let author = git(attack.clone(), &["log", "-1", "--format=%an", &build_ref()]);
    assert_eq!(author, "ForgeGuard Bot");
}

#[test]
fn hooks_are_not_run() {
    let hooks = [
        "applypatch-msg",
        "commit-msg",
        "fsmonitor-watchman",
        "post-checkout",
        "post-commit",
        "post-index-change",
        "post-merge",
        "post-receive",
        "post-rewrite",
        "post-update",
        "pre-auto-gc",
        "pre-commit",
        "pre-merge-commit",
        "pre-push",
        "pre-receive",
        "prepare-commit-msg",
        "proc-receive",
        "push-to-checkout",
        "reference-transaction",
        "update",
    ];
    let attack = Attack::new();
    let malicious_script = attack.malicious_script();
    let elsewhere = attack.project.path("hooks");
    let places = [attack.clone().join("hooks"), attack.origin().join("hooks"), elsewhere.clone()];
    for place in places {
        fs::create_dir_all(&place).unwrap();
        for hook in hooks {
            fs::copy(&malicious_script, place.join(hook)).unwrap();
        }
    }
    attack.assert_push_succeeds();
    for dir in [attack.clone(), attack.origin()] {
        let text = fs::read_to_string(dir.join("config")).unwrap();
        fs::write(
            dir.join("config"),
            format!("{text}[core]\n\thooksPath = {}\n", elsewhere.display()),
        )
        .unwrap();
    }
    write(&attack.worktree, "again", "again");
    attack.assert_second_push_succeeds();
    attack.worktree.restore().unwrap();
    let files = attack.project.files();
    attack.worktree.clone().remove().unwrap();
    Worktree::open_or_create(&attack.project.clone, &name(), &files).unwrap();
    assert!(!attack.project.path("malicious_script-taken").exists());
}

#[test]
fn attributes_and_filters_are_not_run() {
    let attack = Attack::new();
    let malicious_script = attack.malicious_script();
    for key in ["clean", "smudge", "process"] {
        git(attack.clone(), &["config", &format!("filter.evil.{key}"), &malicious_script]);
    }
    git(attack.clone(), &["config", "filter.evil.required", "true"]);
    let rules = "* filter=evil diff=evil merge=evil text eol=crlf ident\n";
    fs::create_dir_all(attack.clone().join("info")).unwrap();
    fs::write(attack.clone().join("info/attributes"), rules).unwrap();
    write(&attack.worktree, ".gitattributes", rules);
    write(&attack.worktree, "lines.txt", "a\r\nb\n$Id$\n");
    attack.assert_push_succeeds();
    let head = attack.branch.head().unwrap();
    let stored = attack.project.clone.read_file(head, &"lines.txt".parse().unwrap(), 100).unwrap();
    assert_eq!(stored.bytes, b"a\r\nb\n$Id$\n");

    let files = attack.project.files();
    attack.worktree.clone().remove().unwrap();
    let again = Worktree::open_or_create(&attack.project.clone, &name(), &files).unwrap();
    assert_eq!(fs::read(again.path().join("lines.txt")).unwrap(), b"a\r\nb\n$Id$\n");
    assert!(is_clean(&attack.branch, &again));
    attack.assert_main_unchanged();
}

#[test]
fn changed_pointer_file_is_ignored() {
    let attack = Attack::new();
    git(attack.project.dir.path(), &["init", "-q", "-b", "main", "evil"]);
    let evil = attack.project.path("evil");
    git(&evil, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let malicious_script = attack.malicious_script();
    for hook in ["post-commit", "reference-transaction", "post-index-change"] {
        fs::create_dir_all(evil.join(".git/hooks")).unwrap();
        fs::copy(&malicious_script, evil.join(".git/hooks").join(hook)).unwrap();
    }
    let before = git(&evil, &["rev-parse", "HEAD"]);
    let pointer = attack.worktree.path().join(".git");
    let contents = [
        format!("gitdir: {}/.git\n", evil.display()),
        format!("gitdir: {}\n", attack.clone().display()),
        format!("gitdir: {}\n", attack.origin().display()),
        "gitdir: /dev/stdin\n".to_owned(),
    ];
    for (n, content) in contents.iter().enumerate() {
        fs::write(&pointer, content).unwrap();
        write(&attack.worktree, "n", &n.to_string());
        attack.assert_push_succeeds();
        assert_eq!(fs::read_to_string(&pointer).unwrap(), *content);
    }
    fs::remove_file(&pointer).unwrap();
    symlink(evil.join(".git"), &pointer).unwrap();
    write(&attack.worktree, "n", "link");
    attack.assert_push_succeeds();
    assert_eq!(git(&evil, &["rev-parse", "HEAD"]), before);
    assert!(evil.join(".git/HEAD").exists());
}

#[test]
fn nested_repositories_are_committed_as_files() {
    let attack = Attack::new();
    let malicious_script = attack.malicious_script();
    let inner = attack.worktree.path().join("vendor/inner");
    write(&attack.worktree, "vendor/inner/file.txt", "x");
    git(&inner, &["init", "-q", "-b", "main"]);
    git(&inner, &["config", "core.fsmonitor", &malicious_script]);
    git(&inner, &["config", "core.worktree", "/"]);
    fs::create_dir_all(inner.join(".git/hooks")).unwrap();
    fs::copy(&malicious_script, inner.join(".git/hooks/post-index-change")).unwrap();
    write(
        &attack.worktree,
        ".gitmodules",
        &format!("[submodule \"m\"]\n\tpath = vendor/inner\n\turl = ext::{malicious_script}\n"),
    );
    attack.assert_push_succeeds();
    let head = attack.branch.head().unwrap();
    let paths: Vec<String> =
        attack.project.clone.tree(head).unwrap().into_iter().map(|entry| entry.path).collect();
    assert!(paths.contains(&"vendor/inner/file.txt".to_owned()), "{paths:?}");
    assert!(!paths.iter().any(|path| path.contains(".git/")), "{paths:?}");
}

#[test]
fn submodules_are_unchanged() {
    let attack = Attack::new();
    let commit = "1234567890123456789012345678901234567890";
    let person = attack.project.path("person");
    attack.project.human_commit("note", "x");
    git(&person, &["update-index", "--add", "--cacheinfo", &format!("160000,{commit},module")]);
    git(&person, &["commit", "-q", "-m", "Add a module"]);
    git(&person, &["push", "-q", "origin", name().as_str()]);
    integrate(&attack.branch, &attack.worktree).unwrap();
    let module = attack.worktree.path().join("module");
    fs::create_dir_all(&module).unwrap();
    git(&module, &["init", "-q"]);
    fs::write(module.join("file"), "x").unwrap();
    attack.assert_push_succeeds();
    let entry = git(attack.origin(), &["ls-tree", name().as_str(), "module"]);
    assert_eq!(entry, format!("160000 commit {commit}\tmodule"));
}

#[test]
fn forge_and_git_directories_are_never_committed() {
    let attack = Attack::new();
    let secret = attack.project.path("secret");
    fs::create_dir(&secret).unwrap();
    fs::write(secret.join("key"), "secret").unwrap();
    symlink(&secret, attack.worktree.path().join("Forge")).unwrap();
    symlink(&secret, attack.worktree.path().join("linked")).unwrap();
    write(&attack.worktree, ".gitignore", "!/Forge\n!.git\n!Forge/**\n");
    attack.assert_push_succeeds();
    let names = git(attack.origin(), &["ls-tree", "-r", "--name-only", name().as_str()]);
    assert_eq!(names, ".gitignore\nREADME.md\nlinked\nrun.sh\nsrc/app.js");
    let target = git(attack.origin(), &["cat-file", "blob", &format!("{}:linked", name())]);
    assert_eq!(target, secret.display().to_string());

    fs::remove_file(attack.worktree.path().join("Forge")).unwrap();
    write(&attack.worktree, "Forge/contract.md", "private");
    write(&attack.worktree, "docs/Forge/page.md", "public");
    attack.assert_second_push_succeeds();
    let names = git(attack.origin(), &["ls-tree", "-r", "--name-only", name().as_str()]);
    assert!(names.contains("docs/Forge/page.md") && !names.contains("contract"), "{names}");
}

#[test]
fn tree_with_paths_outside_is_rejected() {
    let attack = Attack::new();
    let outside = attack.project.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("app.js"), "secret").unwrap();
    fs::remove_dir_all(attack.worktree.path().join("src")).unwrap();
    symlink(&outside, attack.worktree.path().join("src")).unwrap();
    attack.branch.commit(&attack.worktree, &request("link")).unwrap().unwrap();
    attack.branch.push().unwrap();
    let names = git(attack.origin(), &["ls-tree", "-r", "--name-only", name().as_str()]);
    assert_eq!(names, ".gitignore\nREADME.md\nrun.sh\nsrc");
    attack.assert_main_unchanged();
}
