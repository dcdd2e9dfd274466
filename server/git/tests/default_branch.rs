//! Every way round "only the build's own branch moves" that we could think of.
//!
//! Each test tries one, then looks: `main` stands where it stood at origin and in the clone, and no
//! planted command ran.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use git::{BuildBranch, GitError, Sha, Worktree};

use crate::project::{BUILD, Project, git, name, request, try_git, write};

struct Siege {
    project: Project,
    branch: BuildBranch,
    worktree: Worktree,
    before: (String, String),
}

impl Siege {
    /// A build with one pushed commit, and a `main` in the clone too.
    fn new() -> Self {
        let project = Project::new();
        let (branch, worktree) = project.build();
        branch.push().unwrap();
        git(project.clone.path(), &["branch", "-q", "main", "origin/main"]);
        let before = project.mains();
        Siege { project, branch, worktree, before }
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

    /// A script that leaves a trace and moves `main` wherever it can.
    fn bait(&self) -> String {
        let script = self.project.path("bait.sh");
        let (clone, origin) = (self.clone().display(), self.origin().display());
        let trace = self.project.path("bait-taken");
        let text = format!(
            "#!/bin/sh\ntouch '{}'\nfor r in '{clone}' '{origin}'; do\n  \
             git --git-dir=\"$r\" update-ref refs/heads/main refs/heads/{}\ndone\n",
            trace.display(),
            name()
        );
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        script.display().to_string()
    }

    fn held(&self) {
        assert_eq!(self.project.mains(), self.before, "main moved");
        assert!(!self.project.path("bait-taken").exists(), "a planted command ran");
    }

    fn refused(&self) {
        let error = self.work().unwrap_err();
        assert!(matches!(error, GitError::DefaultBranch { .. }), "commit: {error}");
        let error = self.branch.push().unwrap_err();
        assert!(matches!(error, GitError::DefaultBranch { .. }), "push: {error}");
        self.held();
    }

    fn passed(&self) {
        let sha = self.work().unwrap();
        let at_origin = self.project.origin.head_of(name().as_str()).unwrap();
        assert_eq!(at_origin, Some(sha));
        assert_ne!(sha, self.project.first);
        self.held();
    }

    fn passed_again(&self) {
        self.branch.commit(&self.worktree, &request("again")).unwrap().unwrap();
        self.branch.push().unwrap();
        assert!(!self.project.path("bait-taken").exists(), "a planted command ran");
    }

    fn symbolic(&self, dir: &Path, from: &str, to: &str) {
        if from != "HEAD" {
            fs::remove_file(dir.join(from)).ok();
        }
        git(dir, &["symbolic-ref", from, to]);
    }
}

fn full() -> String {
    format!("refs/heads/{}", name())
}

#[test]
fn the_bait_works() {
    // Else the other tests would prove nothing.
    let siege = Siege::new();
    siege.passed();
    fs::create_dir_all(siege.origin().join("hooks")).unwrap();
    fs::copy(siege.bait(), siege.origin().join("hooks/post-update")).unwrap();
    siege.project.human_commit("x", "x");
    assert!(siege.project.path("bait-taken").exists());
    assert_ne!(siege.project.mains(), siege.before);
}

#[test]
fn a_build_branch_that_leads_to_a_default_branch_is_refused() {
    for default in ["main", "master", "develop"] {
        let default = format!("refs/heads/{default}");
        let siege = Siege::new();
        siege.symbolic(siege.clone(), &full(), &default);
        siege.refused();
        let siege = Siege::new();
        siege.symbolic(siege.origin(), &full(), &default);
        siege.refused();
    }
}

#[test]
fn a_chain_of_symbolic_references_is_followed() {
    let siege = Siege::new();
    for dir in [siege.clone(), siege.origin()] {
        siege.symbolic(dir, "refs/heads/far", "refs/heads/main");
        siege.symbolic(dir, "refs/heads/near", "refs/heads/far");
    }
    siege.symbolic(siege.origin(), &full(), "refs/heads/near");
    siege.refused();
    siege.symbolic(siege.clone(), &full(), "refs/heads/near");
    siege.refused();
}

#[test]
fn a_build_branch_that_leads_anywhere_is_refused() {
    let siege = Siege::new();
    git(siege.clone(), &["branch", "-q", "side", "main"]);
    siege.symbolic(siege.clone(), &full(), "refs/heads/side");
    let error = siege.work().unwrap_err();
    assert!(matches!(error, GitError::SymbolicBranch { .. }), "{error}");
    siege.held();
    siege.symbolic(siege.clone(), &full(), &full());
    assert!(siege.work().is_err());
    siege.held();
}

#[test]
fn a_default_branch_that_leads_to_the_build_branch_is_refused() {
    for default in ["HEAD", "refs/heads/master", "refs/heads/develop"] {
        let siege = Siege::new();
        siege.symbolic(siege.origin(), default, &full());
        siege.refused();
        let siege = Siege::new();
        siege.symbolic(siege.clone(), default, &full());
        siege.refused();
    }
    let mut siege = Siege::new();
    siege.symbolic(siege.origin(), "refs/heads/main", &full());
    siege.before = siege.project.mains();
    siege.refused();
    let siege = Siege::new();
    siege.symbolic(siege.origin(), "refs/heads/between", &full());
    siege.symbolic(siege.origin(), "HEAD", "refs/heads/between");
    siege.refused();
}

#[test]
fn creating_or_adopting_the_branch_that_origin_calls_default_is_refused() {
    let project = Project::new();
    git(project.origin.path(), &["symbolic-ref", "HEAD", &full()]);
    let error = BuildBranch::create(&project.clone, name(), project.first).unwrap_err();
    assert!(matches!(error, GitError::DefaultBranch { .. }), "{error}");
    let error = BuildBranch::adopt_or_create(&project.clone, name(), project.first).unwrap_err();
    assert!(matches!(error, GitError::DefaultBranch { .. }), "{error}");
    assert!(!try_git(project.clone.path(), &["rev-parse", "--verify", &full()]).0);
}

#[test]
fn links_in_the_file_system_are_refused() {
    let loose = |dir: &Path| dir.join(full());
    for at_origin in [false, true] {
        let pick = |siege: &Siege| match at_origin {
            true => siege.origin().to_owned(),
            false => siege.clone().to_owned(),
        };
        let siege = Siege::new();
        fs::remove_file(loose(&pick(&siege))).unwrap();
        symlink("../main", loose(&pick(&siege))).unwrap();
        siege.refused();

        let siege = Siege::new();
        let main = pick(&siege).join("refs/heads/main");
        fs::remove_file(&main).unwrap();
        symlink(format!("forge/build-{BUILD}"), &main).unwrap();
        siege.refused();

        let siege = Siege::new();
        let forge = pick(&siege).join("refs/heads/forge");
        fs::remove_dir_all(&forge).unwrap();
        symlink("../heads", &forge).unwrap();
        symlink("main", pick(&siege).join(format!("refs/heads/build-{BUILD}"))).unwrap();
        siege.refused();
    }
}

#[test]
fn packed_references_are_no_way_round() {
    let siege = Siege::new();
    git(siege.clone(), &["pack-refs", "--all"]);
    git(siege.origin(), &["pack-refs", "--all"]);
    siege.passed();
    git(siege.clone(), &["pack-refs", "--all"]);
    siege.symbolic(siege.clone(), &full(), "refs/heads/main");
    siege.refused();
}

#[test]
fn a_worktree_record_that_names_main_changes_nothing() {
    let siege = Siege::new();
    let head = siege.clone().join(format!("worktrees/build-{BUILD}/HEAD"));
    fs::write(head, "ref: refs/heads/main\n").unwrap();
    siege.passed();
}

#[test]
fn pushing_never_goes_back_or_sideways() {
    let siege = Siege::new();
    siege.passed();
    let pushed = siege.branch.head().unwrap().to_string();
    let orphan = git(siege.clone(), &["commit-tree", "main^{tree}", "-m", "other history"]);
    for target in [orphan.as_str(), "refs/heads/main"] {
        git(siege.clone(), &["update-ref", &full(), target]);
        let error = siege.branch.push().unwrap_err();
        assert!(matches!(error, GitError::NonFastForward(_)), "{error}");
        assert_eq!(git(siege.origin(), &["rev-parse", &full()]), pushed);
    }
    siege.held();
}

#[test]
fn configured_pushes_are_not_looked_at() {
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
    let siege = Siege::new();
    for (key, value) in settings {
        git(siege.clone(), &["config", "--add", key, value]);
        git(siege.origin(), &["config", "--add", key, value]);
    }
    siege.passed();
    siege.project.clone.fetch().unwrap();
    siege.held();
}

#[test]
fn another_origin_cannot_be_slipped_in() {
    let siege = Siege::new();
    git(siege.project.dir.path(), &["init", "-q", "--bare", "elsewhere.git"]);
    let elsewhere = siege.project.path("elsewhere.git");
    let (from, to) = (siege.origin().display().to_string(), elsewhere.display().to_string());
    for key in [format!("url.{to}.insteadOf"), format!("url.{to}.pushInsteadOf")] {
        git(siege.clone(), &["config", &key, &from]);
    }
    git(siege.clone(), &["config", "remote.origin.url", &to]);
    siege.passed();
    assert_eq!(git(&elsewhere, &["for-each-ref"]), "");
}

#[test]
fn configured_commands_are_not_run() {
    let siege = Siege::new();
    let bait = siege.bait();
    let included = siege.project.path("included");
    fs::write(&included, format!("[core]\n\thooksPath = {bait}\n\tfsmonitor = {bait}\n")).unwrap();
    let include = included.display().to_string();
    let shell = format!("!{bait}");
    let settings = [
        ("core.fsmonitor", bait.as_str()),
        ("core.sshCommand", &bait),
        ("core.editor", &bait),
        ("core.pager", &bait),
        ("core.alternateRefsCommand", &bait),
        ("core.worktree", "/"),
        ("core.excludesFile", "/nonexistent"),
        ("commit.gpgSign", "true"),
        ("gpg.program", &bait),
        ("credential.helper", &shell),
        ("diff.external", &bait),
        ("diff.evil.textconv", &bait),
        ("merge.evil.driver", &bait),
        ("remote.origin.receivepack", &bait),
        ("remote.origin.uploadpack", &bait),
        ("remote.origin.vcs", "evil"),
        ("uploadpack.packObjectsHook", &bait),
        ("include.path", &include),
        ("includeIf.gitdir:/.path", &include),
        ("includeIf.onbranch:**.path", &include),
        ("user.name", "Mallory"),
        ("core.autocrlf", "true"),
        ("core.logAllRefUpdates", "always"),
    ];
    for (key, value) in settings {
        git(siege.origin(), &["config", key, value]);
        git(siege.clone(), &["config", key, value]);
    }
    siege.passed();
    siege.project.clone.fetch().unwrap();
    siege.held();
    fs::remove_file(siege.clone().join("config")).unwrap();
    fs::remove_file(siege.origin().join("config")).unwrap();
    let author = git(siege.clone(), &["log", "-1", "--format=%an", &full()]);
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
    let siege = Siege::new();
    let bait = siege.bait();
    let elsewhere = siege.project.path("hooks");
    let places = [siege.clone().join("hooks"), siege.origin().join("hooks"), elsewhere.clone()];
    for place in places {
        fs::create_dir_all(&place).unwrap();
        for hook in hooks {
            fs::copy(&bait, place.join(hook)).unwrap();
        }
    }
    siege.passed();
    for dir in [siege.clone(), siege.origin()] {
        let text = fs::read_to_string(dir.join("config")).unwrap();
        fs::write(
            dir.join("config"),
            format!("{text}[core]\n\thooksPath = {}\n", elsewhere.display()),
        )
        .unwrap();
    }
    write(&siege.worktree, "again", "again");
    siege.passed_again();
    siege.worktree.restore().unwrap();
    let files = siege.project.files();
    siege.worktree.clone().remove().unwrap();
    Worktree::open_or_create(&siege.project.clone, &name(), &files).unwrap();
    assert!(!siege.project.path("bait-taken").exists());
}

#[test]
fn attributes_and_filters_are_not_run() {
    let siege = Siege::new();
    let bait = siege.bait();
    for key in ["clean", "smudge", "process"] {
        git(siege.clone(), &["config", &format!("filter.evil.{key}"), &bait]);
    }
    git(siege.clone(), &["config", "filter.evil.required", "true"]);
    let rules = "* filter=evil diff=evil merge=evil text eol=crlf ident\n";
    fs::create_dir_all(siege.clone().join("info")).unwrap();
    fs::write(siege.clone().join("info/attributes"), rules).unwrap();
    write(&siege.worktree, ".gitattributes", rules);
    write(&siege.worktree, "lines.txt", "a\r\nb\n$Id$\n");
    siege.passed();
    let head = siege.branch.head().unwrap();
    let stored = siege.project.clone.read_file(head, &"lines.txt".parse().unwrap(), 100).unwrap();
    assert_eq!(stored.bytes, b"a\r\nb\n$Id$\n");

    let files = siege.project.files();
    siege.worktree.clone().remove().unwrap();
    let again = Worktree::open_or_create(&siege.project.clone, &name(), &files).unwrap();
    assert_eq!(fs::read(again.path().join("lines.txt")).unwrap(), b"a\r\nb\n$Id$\n");
    assert!(again.is_clean().unwrap());
    siege.held();
}

#[test]
fn a_rewritten_pointer_file_leads_nowhere() {
    let siege = Siege::new();
    git(siege.project.dir.path(), &["init", "-q", "-b", "main", "evil"]);
    let evil = siege.project.path("evil");
    git(&evil, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let bait = siege.bait();
    for hook in ["post-commit", "reference-transaction", "post-index-change"] {
        fs::create_dir_all(evil.join(".git/hooks")).unwrap();
        fs::copy(&bait, evil.join(".git/hooks").join(hook)).unwrap();
    }
    let before = git(&evil, &["rev-parse", "HEAD"]);
    let pointer = siege.worktree.path().join(".git");
    let contents = [
        format!("gitdir: {}/.git\n", evil.display()),
        format!("gitdir: {}\n", siege.clone().display()),
        format!("gitdir: {}\n", siege.origin().display()),
        "gitdir: /dev/stdin\n".to_owned(),
    ];
    for (n, content) in contents.iter().enumerate() {
        fs::write(&pointer, content).unwrap();
        write(&siege.worktree, "n", &n.to_string());
        siege.passed();
        assert!(siege.worktree.verify_pointer().is_err());
    }
    fs::remove_file(&pointer).unwrap();
    symlink(evil.join(".git"), &pointer).unwrap();
    write(&siege.worktree, "n", "link");
    siege.passed();
    assert_eq!(git(&evil, &["rev-parse", "HEAD"]), before);
    assert!(evil.join(".git/HEAD").exists());
}

#[test]
fn repositories_inside_the_worktree_are_only_files() {
    let siege = Siege::new();
    let bait = siege.bait();
    let inner = siege.worktree.path().join("vendor/inner");
    write(&siege.worktree, "vendor/inner/file.txt", "x");
    git(&inner, &["init", "-q", "-b", "main"]);
    git(&inner, &["config", "core.fsmonitor", &bait]);
    git(&inner, &["config", "core.worktree", "/"]);
    fs::create_dir_all(inner.join(".git/hooks")).unwrap();
    fs::copy(&bait, inner.join(".git/hooks/post-index-change")).unwrap();
    write(
        &siege.worktree,
        ".gitmodules",
        &format!(
            "[submodule \"m\"]\n\tpath = vendor/inner\n\turl = ext::{bait}\n\tupdate = !{bait}\n"
        ),
    );
    siege.passed();
    let head = siege.branch.head().unwrap();
    let paths: Vec<String> =
        siege.project.clone.tree(head).unwrap().into_iter().map(|entry| entry.path).collect();
    assert!(paths.contains(&"vendor/inner/file.txt".to_owned()), "{paths:?}");
    assert!(!paths.iter().any(|path| path.contains(".git/")), "{paths:?}");
}

#[test]
fn submodules_of_the_project_stay_as_they_are() {
    let siege = Siege::new();
    let commit = "1234567890123456789012345678901234567890";
    let person = siege.project.path("person");
    siege.project.human_commit("note", "x");
    git(&person, &["update-index", "--add", "--cacheinfo", &format!("160000,{commit},module")]);
    git(&person, &["commit", "-q", "-m", "Add a module"]);
    git(&person, &["push", "-q", "origin", name().as_str()]);
    siege.branch.integrate(&siege.worktree).unwrap();
    let module = siege.worktree.path().join("module");
    fs::create_dir_all(&module).unwrap();
    git(&module, &["init", "-q"]);
    fs::write(module.join("file"), "x").unwrap();
    siege.passed();
    let entry = git(siege.origin(), &["ls-tree", name().as_str(), "module"]);
    assert_eq!(entry, format!("160000 commit {commit}\tmodule"));
}

#[test]
fn forge_and_git_never_enter_a_commit() {
    let siege = Siege::new();
    let secret = siege.project.path("secret");
    fs::create_dir(&secret).unwrap();
    fs::write(secret.join("key"), "secret").unwrap();
    symlink(&secret, siege.worktree.path().join("Forge")).unwrap();
    symlink(&secret, siege.worktree.path().join("linked")).unwrap();
    write(&siege.worktree, ".gitignore", "!/Forge\n!.git\n!Forge/**\n");
    siege.passed();
    let names = git(siege.origin(), &["ls-tree", "-r", "--name-only", name().as_str()]);
    assert_eq!(names, ".gitignore\nREADME.md\nlinked\nrun.sh\nsrc/app.js");
    let target = git(siege.origin(), &["cat-file", "blob", &format!("{}:linked", name())]);
    assert_eq!(target, secret.display().to_string());

    fs::remove_file(siege.worktree.path().join("Forge")).unwrap();
    write(&siege.worktree, "Forge/contract.md", "private");
    write(&siege.worktree, "docs/Forge/page.md", "public");
    siege.passed_again();
    let names = git(siege.origin(), &["ls-tree", "-r", "--name-only", name().as_str()]);
    assert!(names.contains("docs/Forge/page.md") && !names.contains("contract"), "{names}");
}

#[test]
fn a_tree_that_reaches_outside_is_not_followed() {
    let siege = Siege::new();
    let outside = siege.project.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("app.js"), "secret").unwrap();
    fs::remove_dir_all(siege.worktree.path().join("src")).unwrap();
    symlink(&outside, siege.worktree.path().join("src")).unwrap();
    siege.branch.commit(&siege.worktree, &request("link")).unwrap().unwrap();
    siege.branch.push().unwrap();
    let names = git(siege.origin(), &["ls-tree", "-r", "--name-only", name().as_str()]);
    assert_eq!(names, ".gitignore\nREADME.md\nrun.sh\nsrc");
    siege.held();
}
