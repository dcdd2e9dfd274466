//! Cloning, fetching and pushing with the real `git`, with and without permission.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::harness::{Database, Instance, send, text};
use git::repack::MAX_PACKS;
use serde_json::json;
use tempfile::TempDir;
use tokio::time::{interval, timeout};

const REPACK_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs git off the async threads; returns whether it succeeded, and its output.
async fn git(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments);
    command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("HOME", folder);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&printed).into_owned())
}

/// Creates a repository with two commits and a tag at the newer one; returns its directory.
async fn existing_repository(folder: &Path, files: &[(&str, &str)]) -> PathBuf {
    let repository = folder.join("existing");
    git(folder, &["init", "-q", "-b", "main", "existing"]).await;
    for (number, (name, content)) in files.iter().enumerate() {
        fs::write(repository.join(name), content).unwrap();
        git(&repository, &["add", "-A"]).await;
        commit(&repository, &["-m", &format!("commit {number}")]).await;
    }
    let tag = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "tag", "-a", "v1"];
    let (ok, printed) = git(&repository, &[&tag[..], &["-m", "Version 1"]].concat()).await;
    assert!(ok, "{printed}");
    repository
}

async fn commit(repository: &Path, arguments: &[&str]) {
    let commit = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q"];
    let (ok, printed) = git(repository, &[&commit[..], arguments].concat()).await;
    assert!(ok, "{printed}");
}

/// The commit of a reference according to `git ls-remote`; empty if there is none.
async fn remote_head(repository: &Path, address: &str, name: &str) -> String {
    let (ok, printed) = git(repository, &["ls-remote", address, name]).await;
    assert!(ok, "{printed}");
    printed.split_whitespace().next().unwrap_or_default().to_owned()
}

async fn head(repository: &Path) -> String {
    git(repository, &["rev-parse", "HEAD"]).await.1.trim().to_owned()
}

async fn pack_count(repository: &Path) -> usize {
    let (ok, counted) = git(repository, &["count-objects", "-v"]).await;
    assert!(ok, "{counted}");
    let count = counted.lines().find_map(|line| line.strip_prefix("packs: "));
    count.unwrap().parse().unwrap()
}

fn with_key(instance: &Instance, key: &str, project: &str) -> String {
    let host = instance.url.strip_prefix("http://").unwrap();
    format!("http://git:{key}@{host}/git/{project}.git")
}

support::on_both! {
    async fn forge_key_clones_and_fetches(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let demo = text(&admin.get("/api/projects").await.json()["items"][0]["id"]);
        let key = text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let folder = TempDir::new().unwrap();
        let address = with_key(&instance, &key, &demo);
        for version in ["0", "2"] {
            let config = format!("protocol.version={version}");
            let (ok, printed) = git(folder.path(), &["-c", &config, "clone", &address, version]).await;
            assert!(ok, "{printed}");
            let clone = folder.path().join(version);
            assert!(clone.join("package.json").is_file());
            let (ok, printed) = git(&clone, &["-c", &config, "fetch", "origin"]).await;
            assert!(ok, "{printed}");
        }
        instance.stop().await;
    }

    async fn owners_can_only_fast_forward_branches(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let demo = text(&admin.get("/api/projects").await.json()["items"][0]["id"]);
        let key = text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let reads = json!({"name": "reads", "read_only": true});
        let reads = text(&admin.post("/api/forge-keys", reads).await.json()["key"]);
        let queued = instance.queue_build(&demo, &admin.id).await;
        let folder = TempDir::new().unwrap();
        let address = with_key(&instance, &key, &demo);
        let (ok, printed) = git(folder.path(), &["clone", &address, "clone"]).await;
        assert!(ok, "{printed}");
        let clone = folder.path().join("clone");
        let commit = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit"];
        let empty = ["-q", "--allow-empty", "-m"];
        git(&clone, &[&commit[..], &empty[..], &["first"]].concat()).await;
        // Their own branches, including the default branch.
        for name in ["mine", "main"] {
            let (ok, printed) = git(&clone, &["push", "origin", &format!("HEAD:{name}")]).await;
            assert!(ok, "{name}: {printed}");
        }
        git(&clone, &["reset", "-q", "--hard", "HEAD^"]).await;
        git(&clone, &[&commit[..], &empty[..], &["second"]].concat()).await;
        let build = format!("HEAD:refs/heads/forge/build-{queued}");
        for (what, why) in [
            (&["--force", "origin", "HEAD:mine"][..], "non-fast-forward"),
            (&["origin", "--delete", "mine"], "branches cannot be deleted"),
            (&["origin", "HEAD:refs/tags/v1"], "tags cannot be pushed here"),
            (&["origin", "HEAD:refs/forge/rescue/x"], "such references cannot be pushed here"),
            (&["origin", "HEAD:refs/heads/forge/mine"], "forge/ is for the branches of builds"),
            (&["origin", &build], "this branch does not belong to a running build"),
            (
                &["--atomic", "origin", "HEAD:fine", "HEAD:refs/tags/v1"],
                "another reference of this push",
            ),
        ] {
            let (ok, printed) = git(&clone, &[&["push"], what].concat()).await;
            assert!(!ok && printed.contains(why), "{what:?}: {printed}");
        }
        let (_, refs) = git(&clone, &["ls-remote", "origin"]).await;
        assert!(!refs.contains("fine") && !refs.contains("v1") && !refs.contains("forge"), "{refs}");

        let other = instance.user("other@example.org").await;
        let foreign = text(&other.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        for (key, why) in [
            (reads.as_str(), "this forge key may not push"),
            (foreign.as_str(), "not found"),
            ("fgk_wrong", "Authentication failed"),
        ] {
            let address = with_key(&instance, key, &demo);
            let (ok, printed) = git(&clone, &["push", &address, "HEAD:more"]).await;
            assert!(!ok && printed.contains(why), "{printed}");
        }
        // A client that skips the first request is rejected too.
        let body = "00000000";
        let path = format!("{}/git/{demo}.git/git-receive-pack", instance.url);
        let post = |key: &str| instance.client().post(&path).basic_auth("git", Some(key)).body(body);
        send(post(&reads)).await.problem(403);
        send(post(&foreign)).await.problem(404);
        send(post("fgk_wrong")).await.problem(401);
        let garbage = instance.client().post(&path).basic_auth("git", Some(&key)).body("nonsense");
        send(garbage).await.problem(400);
        instance.stop().await;
    }

    async fn other_users_cannot_clone(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let demo = text(&admin.get("/api/projects").await.json()["items"][0]["id"]);
        let other = instance.user("other@example.org").await;
        let key = text(&other.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let folder = TempDir::new().unwrap();
        let anonymous = format!("{}/git/{demo}.git", instance.url);
        for (address, why) in [
            (anonymous, "could not read Username"),
            (with_key(&instance, "fgk_wrong", &demo), "Authentication failed"),
            (with_key(&instance, &key, &demo), "not found"),
        ] {
            let (ok, printed) = git(folder.path(), &["clone", &address, "clone"]).await;
            assert!(!ok && printed.contains(why), "{address}: {printed}");
            assert!(!folder.path().join("clone").exists());
        }
        instance.stop().await;
    }

    async fn token_as_the_user_name_clones_and_pushes(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let project = admin.project("P").await;
        let key = text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let folder = TempDir::new().unwrap();
        let host = instance.url.strip_prefix("http://").unwrap();
        for (number, token) in [key.as_str(), admin.token.as_str()].into_iter().enumerate() {
            let (address, name) = (format!("http://{token}@{host}/git/{project}.git"), format!("clone-{number}"));
            let (ok, printed) = git(folder.path(), &["clone", "-q", &address, &name]).await;
            assert!(ok, "{printed}");
            let clone = folder.path().join(&name);
            commit(&clone, &["--allow-empty", "-m", "change"]).await;
            let (ok, printed) = git(&clone, &["push", "-q", "origin", &format!("HEAD:{name}")]).await;
            assert!(ok, "{printed}");
        }
        let wrong = format!("http://fgk_wrong@{host}/git/{project}.git");
        let (ok, printed) = git(folder.path(), &["clone", &wrong, "wrong"]).await;
        assert!(!ok, "{printed}");
        instance.stop().await;
    }

    async fn push_with_follow_tags_moves_the_branch_and_rejects_only_the_tag(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let project = admin.project("P").await;
        let key = text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let folder = TempDir::new().unwrap();
        let address = with_key(&instance, &key, &project);
        let (ok, printed) = git(folder.path(), &["clone", "-q", &address, "clone"]).await;
        assert!(ok, "{printed}");
        let clone = folder.path().join("clone");
        commit(&clone, &["--allow-empty", "-m", "change"]).await;
        let tag = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "tag", "-a", "v1"];
        git(&clone, &[&tag[..], &["-m", "Version 1"]].concat()).await;
        let (ok, printed) = git(&clone, &["push", "--follow-tags", "origin", "main"]).await;
        assert!(!ok && printed.contains("tags cannot be pushed here"), "{printed}");
        assert!(printed.contains("main -> main") && !printed.contains("rejected] main"), "{printed}");
        assert_eq!(remote_head(&clone, &address, "refs/heads/main").await, head(&clone).await);
        assert_eq!(remote_head(&clone, &address, "refs/tags/v1").await, "");
        instance.stop().await;
    }

    async fn first_push_of_an_existing_history_replaces_the_untouched_first_commit(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let project = admin.project("P").await;
        let key = text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let folder = TempDir::new().unwrap();
        let address = with_key(&instance, &key, &project);
        let existing = existing_repository(folder.path(), &[("a", "1"), ("b", "2")]).await;
        let (ok, printed) = git(&existing, &["push", &address, "main"]).await;
        assert!(ok, "{printed}");
        assert_eq!(remote_head(&existing, &address, "refs/heads/main").await, head(&existing).await);
        let (ok, printed) = git(folder.path(), &["clone", "-q", &address, "clone"]).await;
        assert!(ok, "{printed}");
        let (_, log) = git(&folder.path().join("clone"), &["log", "--format=%s"]).await;
        assert_eq!(log, "commit 1\ncommit 0\n");
        // From now on only fast-forwards are accepted.
        commit(&existing, &["--amend", "-m", "rewritten"]).await;
        let (ok, printed) = git(&existing, &["push", "--force", &address, "main"]).await;
        assert!(!ok && printed.contains("non-fast-forward"), "{printed}");
        instance.stop().await;
    }

    async fn unrelated_history_is_rejected_with_instructions_once_a_build_exists(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let project = admin.project("P").await;
        instance.queue_build(&project, &admin.id).await;
        let key = text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let folder = TempDir::new().unwrap();
        let address = with_key(&instance, &key, &project);
        let existing = existing_repository(folder.path(), &[("a", "1"), ("b", "2")]).await;
        let before = remote_head(&existing, &address, "refs/heads/main").await;
        let (ok, printed) = git(&existing, &["push", "--force", &address, "main"]).await;
        assert!(!ok && printed.contains("git pull --no-rebase --allow-unrelated-histories"), "{printed}");
        assert_eq!(remote_head(&existing, &address, "refs/heads/main").await, before);
        let pull = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "pull", "-q"];
        let how = ["--no-rebase", "--no-edit", "--allow-unrelated-histories", &address, "main"];
        let (ok, printed) = git(&existing, &[&pull[..], &how[..]].concat()).await;
        assert!(ok, "{printed}");
        let (ok, printed) = git(&existing, &["push", &address, "main"]).await;
        assert!(ok, "{printed}");
        instance.stop().await;
    }

    async fn hosted_repository_is_repacked_after_many_pushes(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let project = admin.project("P").await;
        let hosted = instance.app.engine.paths().hosted(project.parse().unwrap());
        let key = text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let folder = TempDir::new().unwrap();
        let address = with_key(&instance, &key, &project);
        let (ok, printed) = git(folder.path(), &["clone", "-q", &address, "clone"]).await;
        assert!(ok, "{printed}");
        let clone = folder.path().join("clone");
        for push in 0..=MAX_PACKS {
            // So many objects are stored as a pack.
            for file in 0..100 {
                fs::write(clone.join(file.to_string()), format!("{push} {file}")).unwrap();
            }
            git(&clone, &["add", "-A"]).await;
            commit(&clone, &["-m", "change"]).await;
            let (ok, printed) = git(&clone, &["push", "-q", "origin", "HEAD:main"]).await;
            assert!(ok, "{printed}");
        }
        let repacked = async {
            let mut poll = interval(POLL_INTERVAL);
            while pack_count(&hosted).await > 3 {
                poll.tick().await;
            }
        };
        timeout(REPACK_TIMEOUT, repacked).await.expect("the repository is repacked");
        let (ok, printed) = git(folder.path(), &["clone", "-q", &address, "again"]).await;
        assert!(ok, "{printed}");
        assert_eq!(head(&folder.path().join("again")).await, head(&clone).await);
        instance.stop().await;
    }
}
