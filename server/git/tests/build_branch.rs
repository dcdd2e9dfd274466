//! Committing and pushing a build's branch.

use std::{fs, io::Write, process::Stdio};

use git::{AuthorKind, BuildBranch, BuildBranchName, GitError, Place};

use crate::project::{
    AT, BUILD, OTHER_BUILD, Project, client, git, integrate, is_clean, name, request, write,
};

#[test]
fn commits_and_pushes_are_readable_by_git() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    assert_eq!(branch.push().unwrap(), project.first);
    write(&worktree, "src/app.js", "export const answer = 42;\n");
    write(&worktree, "src/new/deep.js", "1\n2\n");
    fs::remove_file(worktree.path().join("README.md")).unwrap();
    std::os::unix::fs::symlink("app.js", worktree.path().join("src/link")).unwrap();

    let mut asked = request("add  the\nanswer");
    asked.body = "Because.\n\n---\nnot the end: of the message".into();
    let commit = branch.commit(&worktree, &asked).unwrap().unwrap();
    assert_eq!(commit.title, "[forge] add the answer");
    assert_eq!((commit.files, commit.insertions, commit.deletions), (4, 4, 2));
    assert_eq!((commit.author_kind, commit.at), (AuthorKind::Forge, AT));
    assert_eq!(branch.push().unwrap(), commit.sha);
    assert_eq!(branch.push().unwrap(), commit.sha);

    let origin = project.origin.path();
    assert_eq!(project.origin.head_of(name().as_str()).unwrap(), Some(commit.sha));
    git(origin, &["fsck", "--strict", "--full"]);
    git(project.clone.path(), &["fsck", "--strict", "--full"]);
    let log = git(origin, &["log", "-1", "--format=%an <%ae> %at %cn", name().as_str()]);
    assert_eq!(
        log,
        format!("ForgeGuard Bot <forgeguard-bot@users.noreply.github.com> {AT} ForgeGuard Bot")
    );
    let message = git(origin, &["log", "-1", "--format=%B", name().as_str()]);
    assert_eq!(parse_trailers(&message), format!("Build-Cycle: {BUILD}\nPhase: 1"));
    let files = git(origin, &["ls-tree", "-r", "--format=%(objectmode) %(path)", name().as_str()]);
    assert_eq!(
        files,
        "100644 .gitignore\n100755 run.sh\n100644 src/app.js\n120000 src/link\n100644 src/new/deep.js"
    );
    assert_eq!(git(worktree.path(), &["status", "--porcelain"]), "");
}

#[test]
fn unchanged_worktree_is_committed_only_on_request() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    assert_eq!(branch.commit(&worktree, &request("nothing")).unwrap(), None);
    write(&worktree, "debug.log", "ignored");
    write(&worktree, "node_modules/x/index.js", "ignored");
    write(&worktree, "Forge/contract.md", "private");
    assert_eq!(branch.commit(&worktree, &request("nothing")).unwrap(), None);
    let mut empty = request("sealed");
    empty.allow_empty = true;
    let commit = branch.commit(&worktree, &empty).unwrap().unwrap();
    assert_eq!((commit.files, commit.title.as_str()), (0, "[forge] sealed"));
}

#[test]
fn change_of_the_same_size_right_after_a_commit_is_detected() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    for round in 0..10 {
        write(&worktree, "src/app.js", &format!("{round}"));
        let commit = branch.commit(&worktree, &request("round")).unwrap();
        assert!(commit.is_some(), "round {round}");
    }
}

#[test]
fn files_directories_and_links_can_replace_each_other() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let src = worktree.path().join("src");
    fs::remove_dir_all(&src).unwrap();
    write(&worktree, "src", "now a file");
    fs::remove_file(worktree.path().join("README.md")).unwrap();
    write(&worktree, "README.md/part.md", "now a directory");
    branch.commit(&worktree, &request("swap")).unwrap().unwrap();
    fs::remove_file(&src).unwrap();
    std::os::unix::fs::symlink("/etc", &src).unwrap();
    let commit = branch.commit(&worktree, &request("link")).unwrap().unwrap();
    let files: Vec<String> =
        project.clone.tree(commit.sha).unwrap().into_iter().map(|e| e.path).collect();
    assert_eq!(files, [".gitignore", "README.md/part.md", "run.sh", "src"]);
    let link = project.clone.read_file(commit.sha, &"src".parse().unwrap(), 100).unwrap();
    assert_eq!(link.bytes, b"/etc");
}

#[test]
fn files_of_a_nested_repository_are_committed() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "packages/tool/main.rs", "fn main() {}\n");
    write(&worktree, "packages/tool/noise.log", "ignored");
    git(&worktree.path().join("packages/tool"), &["init", "-q"]);
    let first = branch.commit(&worktree, &request("nested")).unwrap().unwrap();
    assert_eq!((first.files, first.insertions), (1, 1));
    write(&worktree, "packages/tool/more/lib.rs", "// more\n");
    git(&worktree.path().join("packages/tool/more"), &["init", "-q"]);
    let second = branch.commit(&worktree, &request("nested")).unwrap().unwrap();
    assert_eq!((second.files, second.insertions), (1, 1));
    let modes = git(project.clone.path(), &["ls-tree", "-r", "-d", name().as_str()]);
    assert!(!modes.contains("160000"), "{modes}");
}

#[test]
fn creating_an_existing_branch_is_rejected() {
    let project = Project::new();
    project.build();
    let again = BuildBranch::create(&project.clone, name(), project.first).unwrap_err();
    assert!(matches!(again, GitError::BranchExists { place: Place::Clone, .. }), "{again}");

    let other = BuildBranchName::of_build(OTHER_BUILD).unwrap();
    git(project.origin.path(), &["branch", other.as_str(), "main"]);
    let error = BuildBranch::create(&project.clone, other, project.first).unwrap_err();
    assert!(matches!(error, GitError::BranchExists { place: Place::Origin, .. }), "{error}");
}

#[test]
fn branch_is_adopted_only_at_its_expected_commit() {
    let project = Project::new();
    let branch = BuildBranch::adopt_or_create(&project.clone, name(), project.first).unwrap();
    assert_eq!(branch.head().unwrap(), project.first);
    BuildBranch::adopt_or_create(&project.clone, name(), project.first).unwrap();
    let (_, worktree) = (
        branch.clone(),
        git::Worktree::open_or_create(&project.clone, &name(), &project.files()).unwrap(),
    );
    write(&worktree, "a", "a");
    let commit = branch.commit(&worktree, &request("a")).unwrap().unwrap();
    let error = BuildBranch::adopt_or_create(&project.clone, name(), project.first).unwrap_err();
    assert!(
        matches!(error, GitError::UnexpectedHead { actual, .. } if actual == commit.sha),
        "{error}"
    );
    BuildBranch::adopt_or_create(&project.clone, name(), commit.sha).unwrap();
}

#[test]
fn stale_locks_are_removed() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let clone = project.clone.path();
    let reference = format!("refs/heads/{}.lock", name());
    for lock in [
        clone.join(&reference),
        clone.join(format!("worktrees/build-{BUILD}/index.lock")),
        clone.join("refs/remotes/origin/main.lock"),
        clone.join("refs/remotes/origin/topic/not-fetched-yet.lock"),
        project.origin.path().join("refs/heads/forge").join(format!("build-{BUILD}.lock")),
    ] {
        fs::create_dir_all(lock.parent().unwrap()).unwrap();
        fs::write(lock, "").unwrap();
    }
    write(&worktree, "a", "a");
    let error = branch.commit(&worktree, &request("a")).unwrap_err();
    assert!(matches!(error, GitError::Moved(_)), "{error}");
    git(project.origin.path(), &["branch", "topic/not-fetched-yet", "main"]);
    project.clone.remove_stale_locks(&name()).unwrap();
    project.clone.fetch().unwrap();
    branch.commit(&worktree, &request("a")).unwrap().unwrap();
    branch.push().unwrap();
}

#[test]
fn unrecorded_commit_is_found_by_its_trailers() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let wanted = [("Build-Cycle", BUILD), ("Phase", "1")];
    assert_eq!(branch.find_commit_with_trailers(project.first, &wanted).unwrap(), None);
    write(&worktree, "a", "a");
    let commit = branch.commit(&worktree, &request("a")).unwrap().unwrap();
    let found = branch.find_commit_with_trailers(project.first, &wanted).unwrap();
    assert_eq!(found, Some(commit.clone()));
    let other = [("Build-Cycle", BUILD), ("Phase", "2")];
    assert_eq!(branch.find_commit_with_trailers(project.first, &other).unwrap(), None);
    assert_eq!(branch.find_commit_with_trailers(commit.sha, &wanted).unwrap(), None);
}

#[test]
fn user_commit_with_trailers_is_ignored() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    branch.push().unwrap();
    project.human_commit("note.txt", "hi");
    let person = project.path("person");
    let text = format!("[forge] fake\n\nBuild-Cycle: {BUILD}\nPhase: 1");
    git(&person, &["commit", "-q", "--allow-empty", "-m", &text]);
    git(&person, &["push", "-q", "origin", name().as_str()]);
    let kinds: Vec<_> = integrate(&branch, &worktree)
        .unwrap()
        .unwrap()
        .commits
        .iter()
        .map(|c| c.author_kind)
        .collect();
    assert_eq!(kinds, [AuthorKind::Human; 2]);
    let wanted = [("Build-Cycle", BUILD), ("Phase", "1")];
    assert_eq!(branch.find_commit_with_trailers(project.first, &wanted).unwrap(), None);
}

#[test]
fn push_rejects_and_integrate_merges_user_commits() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    branch.push().unwrap();
    let theirs = project.human_commit("note.txt", "by hand\n");
    write(&worktree, "mine.txt", "mine\n");
    let mine = branch.commit(&worktree, &request("mine")).unwrap().unwrap();
    let error = branch.push().unwrap_err();
    assert!(matches!(error, GitError::NonFastForward(_)), "{error}");
    assert_eq!(project.origin.head_of(name().as_str()).unwrap(), Some(theirs));

    write(&worktree, "dirty.txt", "not yet committed\n");
    let arrival = integrate(&branch, &worktree).unwrap().unwrap();
    assert_eq!((arrival.paths, arrival.set_aside), (vec!["note.txt".to_owned()], Vec::new()));
    assert_eq!(fs::read_to_string(worktree.path().join("note.txt")).unwrap(), "by hand\n");
    assert!(worktree.path().join("dirty.txt").exists());
    branch.push().unwrap();
    let commits = branch.commits_since(project.first).unwrap();
    assert_eq!(commits[0].title, "[forge] join what was pushed meanwhile");
    let mut seen: Vec<_> = commits[1..].iter().map(|c| (c.sha, c.author_kind)).collect();
    seen.sort_by_key(|(_, kind)| *kind == AuthorKind::Human);
    assert_eq!(seen, [(mine.sha, AuthorKind::Forge), (theirs, AuthorKind::Human)]);
    assert_eq!(integrate(&branch, &worktree).unwrap(), None);
    let left = branch.commit(&worktree, &request("rest")).unwrap().unwrap();
    assert_eq!((left.files, left.insertions, left.deletions), (1, 1, 0));
}

#[test]
fn interrupted_integration_can_be_repeated() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    branch.push().unwrap();
    project.human_commit("note.txt", "by hand\n");
    project.human_commit("src/app.js", "by hand\n");
    assert_eq!(integrate(&branch, &worktree).unwrap().unwrap().path_count, 2);
    let head = branch.head().unwrap();
    // Simulates a crash after writing the files and before moving the reference.
    let full = format!("refs/heads/{}", name());
    git(project.clone.path(), &["update-ref", &full, &project.first.to_string()]);
    assert_eq!(integrate(&branch, &worktree).unwrap().unwrap().head, head);
    assert_eq!(branch.head().unwrap(), head);
    assert!(is_clean(&branch, &worktree));
    git(project.clone.path(), &["fsck", "--strict", "--full"]);
}

#[test]
fn fetch_moves_nothing_and_reports_authors() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    branch.push().unwrap();
    assert!(!branch.is_behind().unwrap() && branch.is_at_origin());
    let theirs = project.human_commit("src/app.js", "theirs\n");
    assert!(branch.is_behind().unwrap() && !branch.is_at_origin());
    write(&worktree, "mine.txt", "mine\n");
    let mine = branch.commit(&worktree, &request("mine")).unwrap().unwrap();
    let arrival = branch.fetch(&worktree, project.first, &[], AT).unwrap().unwrap();
    assert_eq!((branch.head().unwrap(), arrival.rescue), (mine.sha, None));
    assert!(fs::read_to_string(worktree.path().join("src/app.js")).unwrap().contains("41"));
    let seen: Vec<_> = arrival.commits.iter().map(|c| (c.sha, c.author_kind)).collect();
    assert_eq!(seen.len(), 3);
    assert!(seen.contains(&(theirs, AuthorKind::Human)), "{seen:?}");
    assert!(seen.contains(&(mine.sha, AuthorKind::Forge)), "{seen:?}");
    assert_eq!(seen[2], (arrival.head, AuthorKind::Forge));

    branch.advance(&worktree, arrival.head).unwrap();
    branch.advance(&worktree, arrival.head).unwrap();
    assert_eq!(fs::read_to_string(worktree.path().join("src/app.js")).unwrap(), "theirs\n");
    assert!(!branch.is_behind().unwrap() && is_clean(&branch, &worktree));
    assert_eq!(branch.push().unwrap(), arrival.head);
    let error = branch.advance(&worktree, theirs).err();
    assert!(error.is_none(), "what the branch has is no step back: {error:?}");
    assert_eq!(branch.head().unwrap(), arrival.head);
}

#[test]
fn conflict_is_resolved_with_the_pushed_version_and_ours_is_saved() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    branch.push().unwrap();
    project.human_commit("src/app.js", "theirs\n");
    write(&worktree, "src/app.js", "dirty\n");
    write(&worktree, "other.txt", "mine\n");
    let arrival = integrate(&branch, &worktree).unwrap().unwrap();
    assert_eq!(arrival.set_aside, ["src/app.js"]);
    let read = |path: &str| fs::read_to_string(worktree.path().join(path)).unwrap();
    assert_eq!((read("src/app.js").as_str(), read("other.txt").as_str()), ("theirs\n", "mine\n"));
    let rescue = arrival.rescue.unwrap();
    let kept = git(project.clone.path(), &["show", &format!("{}:src/app.js", rescue.reference)]);
    assert_eq!(kept, "dirty");

    // With committed but unpushed work, both versions stay in the history.
    write(&worktree, "src/app.js", "ours\n");
    let ours = branch.commit(&worktree, &request("ours")).unwrap().unwrap();
    let theirs = project.human_commit("src/app.js", "theirs again\n");
    let arrival = integrate(&branch, &worktree).unwrap().unwrap();
    assert_eq!((arrival.set_aside, arrival.rescue), (vec!["src/app.js".to_owned()], None));
    assert_eq!(read("src/app.js"), "theirs again\n");
    let commits = branch.commits_since(project.first).unwrap();
    for sha in [ours.sha, theirs] {
        assert!(commits.iter().any(|commit| commit.sha == sha), "{sha}");
    }
    branch.push().unwrap();
}

#[test]
fn conflict_with_a_removed_or_replaced_file_is_resolved() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    branch.push().unwrap();
    project.human_commit("note.txt", "x");
    let person = project.path("person");
    git(&person, &["rm", "-q", "-r", "src", "README.md"]);
    fs::create_dir_all(person.join("README.md")).unwrap();
    fs::write(person.join("README.md/part"), "x").unwrap();
    git(&person, &["add", "-A"]);
    git(&person, &["commit", "-q", "-m", "Move things"]);
    git(&person, &["push", "-q", "origin", name().as_str()]);
    write(&worktree, "src/app.js", "changed\n");
    write(&worktree, "README.md", "changed\n");
    let arrival = integrate(&branch, &worktree).unwrap().unwrap();
    assert!(arrival.set_aside.contains(&"src/app.js".to_owned()), "{:?}", arrival.set_aside);
    assert!(arrival.rescue.is_some());
    assert!(!worktree.path().join("src/app.js").exists());
    assert!(worktree.path().join("README.md/part").is_file());
    assert!(is_clean(&branch, &worktree));
    git(project.clone.path(), &["fsck", "--strict", "--full"]);
}

#[test]
fn foreign_worktrees_and_invalid_messages_are_rejected() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let other = BuildBranchName::of_build(OTHER_BUILD).unwrap();
    let second = BuildBranch::create(&project.clone, other, project.first).unwrap();
    let error = second.commit(&worktree, &request("x")).unwrap_err();
    assert!(matches!(error, GitError::WrongWorktree { .. }), "{error}");
    let error = branch.commit(&worktree, &request("[forge]  ")).unwrap_err();
    assert!(matches!(error, GitError::EmptyTitle), "{error}");
    for (key, value) in [("a b", "c"), ("", "c"), ("Key", ""), ("Key", "x\nOther: y")] {
        let mut asked = request("x");
        asked.trailers.push((key.into(), value.into()));
        let error = branch.commit(&worktree, &asked).unwrap_err();
        assert!(matches!(error, GitError::BadTrailer(_)), "{key}: {value}");
    }
}

#[test]
fn error_names_a_path_that_git_cannot_store() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "fine.txt", "x");
    write(&worktree, "src/git~1/config", "x");
    let error = branch.commit(&worktree, &request("x")).unwrap_err();
    assert!(matches!(&error, GitError::UnstorablePath(p) if p == "src/git~1"), "{error}");
}

fn parse_trailers(message: &str) -> String {
    let mut child = client(std::path::Path::new("/"))
        .args(["interpret-trailers", "--parse"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(format!("{message}\n").as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}
