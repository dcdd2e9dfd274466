//! Hosted repositories, fetching, and validation of names and paths.

use git::{
    BuildBranchName, EntryKind, GitError, HostedRepository, NewFile, RepoPath, Sha, WorkingClone,
};

use crate::project::{AT, Project, git};

#[test]
fn initial_commit_contains_the_given_files() {
    let project = Project::new();
    let origin = &project.origin;
    assert_eq!(origin.default_branch().unwrap(), "main");
    assert_eq!(origin.head_of("main").unwrap(), Some(project.first));
    assert_eq!(origin.head_of("none").unwrap(), None);
    let tree = origin.tree(project.first).unwrap();
    let seen: Vec<_> = tree.iter().map(|e| (e.path.as_str(), e.kind, e.size)).collect();
    assert_eq!(
        seen,
        [
            (".gitignore", EntryKind::File, 20),
            ("README.md", EntryKind::File, 7),
            ("run.sh", EntryKind::Executable, 10),
            ("src/app.js", EntryKind::File, 26),
        ]
    );
    let again = origin.import_tree(&[], "again", AT).unwrap_err();
    assert!(matches!(again, GitError::BranchExists { .. }), "{again}");
    let taken = HostedRepository::create(origin.path(), "main").unwrap_err();
    assert!(matches!(taken, GitError::RepositoryExists(_)), "{taken}");
    let absent = HostedRepository::open(&project.path("absent")).unwrap_err();
    assert!(matches!(absent, GitError::NoRepository(_)), "{absent}");
    git(origin.path(), &["fsck", "--strict"]);
}

#[test]
fn initial_commit_rejects_paths_outside_the_repository() {
    let dir = tempfile::tempdir().unwrap();
    let origin = HostedRepository::create(&dir.path().join("o.git"), "main").unwrap();
    for path in ["../x", "/x", "a/../../x", ".git/config", "a/.GIT/x", ""] {
        let files = [NewFile { path, bytes: b"", executable: false }];
        let error = origin.import_tree(&files, "m", AT).unwrap_err();
        assert!(matches!(error, GitError::BadPath(_)), "{path}: {error}");
    }
    assert_eq!(origin.head_of("main").unwrap(), None);
}

#[test]
fn baseline_is_head_then_main_master_develop() {
    let project = Project::with_default_branch("trunk");
    let baseline = project.clone.baseline().unwrap();
    assert_eq!((baseline.branch.as_str(), baseline.sha), ("trunk", project.first));

    let origin = project.origin.path();
    git(origin, &["branch", "develop", "trunk"]);
    git(origin, &["branch", "master", "trunk"]);
    git(origin, &["branch", "-D", "trunk"]);
    project.clone.fetch().unwrap();
    assert_eq!(project.clone.baseline().unwrap().branch, "master");
    git(origin, &["branch", "-D", "master"]);
    project.clone.fetch().unwrap();
    assert_eq!(project.clone.baseline().unwrap().branch, "develop");
    git(origin, &["branch", "-D", "develop"]);
    project.clone.fetch().unwrap();
    let error = project.clone.baseline().unwrap_err();
    assert!(matches!(error, GitError::NoDefaultBranch), "{error}");
}

#[test]
fn fetch_copies_few_and_many_commits() {
    let project = Project::new();
    git(project.dir.path(), &["clone", "-q", "origin.git", "person"]);
    let person = project.path("person");
    for commits in [3, 100] {
        for n in 0..commits {
            std::fs::write(person.join("counter"), format!("{commits} {n}")).unwrap();
            git(&person, &["add", "."]);
            git(&person, &["commit", "-q", "-m", "count"]);
        }
        git(&person, &["push", "-q", "origin", "main"]);
        project.clone.fetch().unwrap();
        project.clone.fetch().unwrap();
        let head: Sha = git(&person, &["rev-parse", "HEAD"]).parse().unwrap();
        assert_eq!(project.clone.baseline().unwrap().sha, head);
        git(project.clone.path(), &["fsck", "--strict", "--full"]);
    }
    git(&person, &["push", "-q", "origin", "main:a"]);
    project.clone.fetch().unwrap();
    git(&person, &["push", "-q", "origin", ":a", "main:a/b"]);
    project.clone.fetch().unwrap();
    let seen = git(project.clone.path(), &["for-each-ref", "--format=%(refname:short)"]);
    assert_eq!(seen, "origin\norigin/a/b\norigin/main");
}

#[test]
fn origin_must_be_a_local_path() {
    let dir = tempfile::tempdir().unwrap();
    for origin in ["https://example.org/x.git", "ssh://x", "git@x:y", "../up", "ext::sh -c id"] {
        let error = WorkingClone::open_or_create(&dir.path().join("c"), origin).unwrap_err();
        assert!(matches!(error, GitError::UnsupportedOrigin(_)), "{origin}: {error}");
    }
    let project = Project::new();
    let url = format!("file://{}", project.origin.path().display());
    let clone = WorkingClone::open_or_create(&project.path("second.git"), &url).unwrap();
    clone.fetch().unwrap();
    assert_eq!(clone.baseline().unwrap().sha, project.first);
}

#[test]
fn clone_is_created_after_a_killed_process_left_a_part_of_it() {
    let project = Project::new();
    let path = project.path("second.git");
    let url = project.origin.path().display().to_string();
    let unfinished = project.path("second.git.new");
    std::fs::create_dir_all(&unfinished).unwrap();
    std::fs::write(unfinished.join("HEAD.lock"), "").unwrap();
    let clone = WorkingClone::open_or_create(&path, &url).unwrap();
    assert!(!unfinished.exists());
    clone.fetch().unwrap();
    assert_eq!(clone.baseline().unwrap().sha, project.first);
}

#[test]
fn clone_is_created_once_by_concurrent_callers() {
    let project = Project::new();
    let url = project.origin.path().display().to_string();
    for round in 0..20 {
        let path = project.path(&format!("clone-{round}.git"));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| WorkingClone::open_or_create(&path, &url).unwrap());
            }
        });
        assert!(path.join("HEAD").exists());
    }
}

#[test]
fn only_build_branch_names_are_accepted() {
    for good in [
        "forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a",
        "forge/build-3",
        "forge/build-3-due-dates",
        "forge/build-12-2nd-attempt",
    ] {
        let name: BuildBranchName = good.parse().unwrap();
        assert_eq!((name.as_str(), name.suffix()), (good, &good[12..]));
    }
    let named = |slug| BuildBranchName::numbered(3, slug).map(|name| name.to_string());
    assert_eq!(named("due-dates").unwrap(), "forge/build-3-due-dates");
    assert_eq!(named("").unwrap(), "forge/build-3");
    for slug in ["Due", "a--b", "a-", "-a", "a b", "a.lock", "a/b", "..", "\u{e9}"] {
        assert!(matches!(named(slug), Err(GitError::BadBranchName(_))), "{slug:?}");
    }
    for bad in [
        "main",
        "MAIN",
        "master",
        "HEAD",
        "@",
        "",
        "refs/heads/main",
        "forge/build-",
        "forge/build-main",
        "forge/build-0",
        "forge/build-03",
        "forge/build-+3",
        "forge/build-99999999999",
        "forge/build-3-",
        "forge/build-3--x",
        "forge/build-3-x/y",
        "forge/build-3-X",
        "forge/build-3.lock",
        &format!("forge/build-3-{}", "a".repeat(81)),
        "refs/heads/forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a",
        "forge/build-0193E2A4-7c1b-7d10-8a55-0f1e2d3c4b5a",
        "Forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a",
        "forge/build-0193e2a47c1b7d108a550f1e2d3c4b5a",
        "forge/build-{0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a}",
        "forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a/../../main",
        "forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a:main",
        "forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a:refs/heads/main",
        "+forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a",
        "forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a\n",
        "forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a\0",
        " forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a",
        "forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a.lock",
        "forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5\u{0430}",
        "forge/build-\u{ff10}193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a",
        "forge\u{2215}build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a",
        "forge/build-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a\u{200b}",
        "ma\u{0131}n",
    ] {
        let error = bad.parse::<BuildBranchName>().unwrap_err();
        assert!(matches!(error, GitError::BadBranchName(_)), "{bad:?}");
    }
}

#[test]
fn invalid_paths_and_ids_are_rejected() {
    for (text, path) in [("a//b/./c", "a/b/c"), ("./a", "a"), ("a/", "a"), ("a..b/..c", "a..b/..c")]
    {
        assert_eq!(text.parse::<RepoPath>().unwrap().as_str(), path);
    }
    for bad in ["", ".", "..", "a/../b", "/a", "a\0b", ".git/x", "a/.Git"] {
        assert!(bad.parse::<RepoPath>().is_err(), "{bad:?}");
    }
    let project = Project::new();
    let id = project.first.to_string();
    assert_eq!(id.parse::<Sha>().unwrap(), project.first);
    for bad in ["", "main", &id[..39], &id.to_uppercase(), "HEAD~1", &format!("{id}^")] {
        assert!(bad.parse::<Sha>().is_err(), "{bad:?}");
    }
    let nowhere: Sha = "1234567890123456789012345678901234567890".parse().unwrap();
    let error = project.clone.tree(nowhere).unwrap_err();
    assert!(matches!(error, GitError::NoSuchCommit(_)), "{error}");
    for path in ["src", "src/none.js", "README.md/x"] {
        let error = project.clone.read_file(project.first, &path.parse().unwrap(), 10).unwrap_err();
        assert!(matches!(error, GitError::NoSuchFile(_)), "{path}: {error}");
    }
}

#[test]
fn listing_of_an_exponential_tree_is_an_error() {
    let project = Project::new();
    let repository = git2::Repository::open_bare(project.origin.path()).unwrap();
    let mut tree = repository.find_commit(oid(project.first)).unwrap().tree_id();
    // Forty levels, each containing the next one ten times: 10^40 files in 40 objects.
    for _ in 0..40 {
        let mut builder = repository.treebuilder(None).unwrap();
        for name in 'a'..='j' {
            builder.insert(name.to_string(), tree, 0o040_000).unwrap();
        }
        tree = builder.write().unwrap();
    }
    let tip = commit_tree(&repository, tree, project.first);
    assert!(matches!(project.origin.tree(tip), Err(GitError::TreeTooLarge)));
    // Each object is copied once.
    repository.reference("refs/heads/bomb", oid(tip), false, "").unwrap();
    project.clone.fetch().unwrap();
    let copied = git2::Repository::open_bare(project.clone.path()).unwrap();
    assert!(copied.find_tree(tree).is_ok());
}

#[test]
fn trees_of_any_depth_are_copied_without_recursion() {
    let project = Project::new();
    let repository = git2::Repository::open_bare(project.origin.path()).unwrap();
    let mut tree = repository.find_commit(oid(project.first)).unwrap().tree_id();
    for _ in 0..4_000 {
        let mut builder = repository.treebuilder(None).unwrap();
        builder.insert("a", tree, 0o040_000).unwrap();
        tree = builder.write().unwrap();
    }
    let tip = commit_tree(&repository, tree, project.first);
    repository.reference("refs/heads/deep", oid(tip), false, "").unwrap();
    project.clone.fetch().unwrap();
    assert!(matches!(project.clone.tree(tip), Err(GitError::TreeTooLarge)));
}

fn commit_tree(repository: &git2::Repository, tree: git2::Oid, parent: Sha) -> Sha {
    let tree = repository.find_tree(tree).unwrap();
    let parent = repository.find_commit(oid(parent)).unwrap();
    let author = git2::Signature::new("Ada", "ada@example.org", &git2::Time::new(AT, 0)).unwrap();
    let commit = repository.commit(None, &author, &author, "tip", &tree, &[&parent]).unwrap();
    commit.to_string().parse().unwrap()
}

fn oid(sha: Sha) -> git2::Oid {
    git2::Oid::from_str(&sha.to_string()).unwrap()
}
