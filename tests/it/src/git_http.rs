//! Cloning and fetching with the real `git`, with and without the right to.

use std::{path::Path, process::Command};

use crate::harness::{Database, Instance, text};
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

        let clone = folder.path().join("2");
        let (ok, said) = git(&clone, &["push", "origin", "HEAD:refs/heads/mine"]).await;
        assert!(!ok && said.contains("pushing over HTTP is not offered"), "{said}");
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
