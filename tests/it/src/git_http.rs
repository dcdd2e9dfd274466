//! Cloning, fetching and pushing with the real `git`, with and without the right to.

use std::{path::Path, process::Command};

use crate::harness::{Database, Instance, send, text};
use serde_json::json;
use tempfile::TempDir;

/// Runs git off the async threads; gives whether it went well and what it said.
async fn git(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments);
    command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("HOME", folder);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

fn with_key(instance: &Instance, key: &str, project: &str) -> String {
    let host = instance.url.strip_prefix("http://").unwrap();
    format!("http://git:{key}@{host}/git/{project}.git")
}

support::on_both! {
    async fn a_forge_key_clones_and_fetches(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let demo = text(&admin.get("/api/projects").await.json()["items"][0]["id"]);
        let key = text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let folder = TempDir::new().unwrap();
        let address = with_key(&instance, &key, &demo);
        for version in ["0", "2"] {
            let config = format!("protocol.version={version}");
            let (ok, said) = git(folder.path(), &["-c", &config, "clone", &address, version]).await;
            assert!(ok, "{said}");
            let clone = folder.path().join(version);
            assert!(clone.join("package.json").is_file());
            let (ok, said) = git(&clone, &["-c", &config, "fetch", "origin"]).await;
            assert!(ok, "{said}");
        }
        instance.stop().await;
    }

    async fn owners_push_branches_forward_and_nothing_else(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let demo = text(&admin.get("/api/projects").await.json()["items"][0]["id"]);
        let key = text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let reads = json!({"name": "reads", "read_only": true});
        let reads = text(&admin.post("/api/forge-keys", reads).await.json()["key"]);
        let queued = instance.queue_build(&demo, &admin.id).await;
        let folder = TempDir::new().unwrap();
        let address = with_key(&instance, &key, &demo);
        let (ok, said) = git(folder.path(), &["clone", &address, "clone"]).await;
        assert!(ok, "{said}");
        let clone = folder.path().join("clone");
        let commit = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit"];
        let empty = ["-q", "--allow-empty", "-m"];
        git(&clone, &[&commit[..], &empty[..], &["first"]].concat()).await;
        // Their own branches, the default one among them.
        for name in ["mine", "main"] {
            let (ok, said) = git(&clone, &["push", "origin", &format!("HEAD:{name}")]).await;
            assert!(ok, "{name}: {said}");
        }
        git(&clone, &["reset", "-q", "--hard", "HEAD^"]).await;
        git(&clone, &[&commit[..], &empty[..], &["second"]].concat()).await;
        let build = format!("HEAD:refs/heads/forge/build-{queued}");
        for (what, why) in [
            (&["--force", "origin", "HEAD:mine"][..], "non-fast-forward"),
            (&["origin", "--delete", "mine"], "no branch is ever deleted here"),
            (&["origin", "HEAD:refs/tags/v1"], "tags cannot be pushed here"),
            (&["origin", "HEAD:refs/forge/rescue/x"], "such references cannot be pushed here"),
            (&["origin", "HEAD:refs/heads/forge/mine"], "forge/ is for the branches of builds"),
            (&["origin", &build], "no build of this project that is being worked on"),
            (&["origin", "HEAD:fine", "HEAD:refs/tags/v1"], "another reference of this push"),
        ] {
            let (ok, said) = git(&clone, &[&["push"], what].concat()).await;
            assert!(!ok && said.contains(why), "{what:?}: {said}");
        }
        let (_, refs) = git(&clone, &["ls-remote", "origin"]).await;
        assert!(!refs.contains("fine") && !refs.contains("v1") && !refs.contains("forge"), "{refs}");

        let other = instance.user("other@example.org").await;
        let foreign = text(&other.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        for (key, why) in [
            (reads.as_str(), "this forge key only reads"),
            (foreign.as_str(), "not found"),
            ("fgk_wrong", "Authentication failed"),
        ] {
            let address = with_key(&instance, key, &demo);
            let (ok, said) = git(&clone, &["push", &address, "HEAD:more"]).await;
            assert!(!ok && said.contains(why), "{said}");
        }
        // Who does not ask first is refused too.
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

    async fn others_clone_nothing(database: Database) {
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
            let (ok, said) = git(folder.path(), &["clone", &address, "clone"]).await;
            assert!(!ok && said.contains(why), "{address}: {said}");
            assert!(!folder.path().join("clone").exists());
        }
        instance.stop().await;
    }
}
