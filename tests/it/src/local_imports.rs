//! `forgeguard import`: a repository on this machine becomes a project of a server.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use crate::{
    harness::{Database, Instance, Person, binary, text},
    project_fixture::git,
};

/// A repository with two commits on the branch `trunk`.
fn repository(folder: &Path) -> PathBuf {
    let repository = folder.join("shelf");
    fs::create_dir(&repository).unwrap();
    git(&repository, &["init", "-q", "-b", "trunk"]);
    for (name, content) in [("a.txt", "one\n"), ("b.txt", "two\n")] {
        fs::write(repository.join(name), content).unwrap();
        git(&repository, &["add", "."]);
        git(&repository, &["commit", "-q", "-m", name]);
    }
    repository
}

async fn key(owner: &Person, scopes: Value) -> String {
    let made = owner.post("/api/forge-keys", json!({ "name": "laptop", "scopes": scopes })).await;
    text(&made.json()["key"])
}

async fn import(instance: &Instance, key: &str, repository: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.arg("import").arg(repository).args(["--server", &instance.url]).args(more);
    command.env("FORGEGUARD_KEY", key).current_dir(repository.parent().unwrap());
    command.kill_on_drop(true).output().await.unwrap()
}

/// Runs git against the server of this process, and so without blocking it.
async fn git_of_server(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.kill_on_drop(true).output().await.unwrap();
    assert!(output.status.success(), "{}", reported(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn reported(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

async fn projects(owner: &Person) -> Value {
    owner.get("/api/projects").await.json()["items"].clone()
}

support::on_both! {
    async fn repository_becomes_a_project_with_its_history(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let key = key(&ada, Value::Null).await;
        let folder = TempDir::new().unwrap();
        let repository = repository(folder.path());
        let settings = fs::read_to_string(repository.join(".git/config")).unwrap();
        // A hook that uploads files, as Git LFS has, does not run.
        let hook = repository.join(".git/hooks/pre-push");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
        fs::set_permissions(&hook, Permissions::from_mode(0o755)).unwrap();

        let output = import(&instance, &key, &repository, &["--json"]).await;
        assert!(output.status.success(), "{}", reported(&output));
        let project: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&project["name"], &project["default_branch"]), (&json!("shelf"), &json!("trunk")));
        assert!(!reported(&output).contains(&key));
        let url = instance.url.replace("://", &format!("://ada:{key}@"));
        let slug = text(&project["slug"]);
        let described = ada.project("Described").await;
        for (project, accepts_history) in [(&slug, false), (&described, true)] {
            let remote = ada.get(&format!("/api/projects/{project}/remote")).await.json();
            assert_eq!(remote, json!({ "remote": null, "accepts_history": accepts_history }));
        }
        git_of_server(folder.path(), &["clone", "-q", &format!("{url}/git/{slug}.git"), "copy"]).await;
        let head = |of: &Path| git(of, &["log", "--format=%H %s", "trunk"]);
        assert_eq!(head(&folder.path().join("copy")), head(&repository));
        assert_eq!(fs::read_to_string(repository.join(".git/config")).unwrap(), settings);

        let output = import(&instance, &key, &repository, &["--name", "Another shelf"]).await;
        assert!(output.status.success(), "{}", reported(&output));
        let address = String::from_utf8(output.stdout).unwrap();
        assert_eq!(address, format!("{}/projects/another-shelf\n", instance.url));
        instance.stop().await;
    }

    async fn repository_that_cannot_be_imported_creates_no_project(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let (full, scoped) = (key(&ada, Value::Null).await, key(&ada, json!(["build"])).await);
        let folder = TempDir::new().unwrap();
        let repository = repository(folder.path());
        let from = format!("file://{}", repository.display());
        git(folder.path(), &["clone", "-q", "--depth", "1", &from, "shallow"]);
        git(folder.path(), &["clone", "-q", &from, "detached"]);
        git(&folder.path().join("detached"), &["checkout", "-q", "--detach"]);
        fs::create_dir(folder.path().join("empty")).unwrap();
        git(&folder.path().join("empty"), &["init", "-q", "-b", "main"]);

        let cases: [(&str, &[&str], &str); 5] = [
            ("none", &[], "No such file"),
            ("shallow", &[], "fetch --unshallow"),
            ("detached", &[], "name one with --branch"),
            ("empty", &[], "has no branch main with a commit"),
            ("shelf", &["--branch", "other"], "has no branch other with a commit"),
        ];
        for (name, more, words) in cases {
            let output = import(&instance, &full, &folder.path().join(name), more).await;
            assert_eq!(output.status.code(), Some(4), "{name}: {}", reported(&output));
            assert!(reported(&output).contains(words), "{name}: {}", reported(&output));
        }
        let output = import(&instance, &scoped, &repository, &[]).await;
        assert_eq!(output.status.code(), Some(1));
        assert!(reported(&output).contains("full access"), "{}", reported(&output));
        git(&repository, &["branch", "-m", "forge/mine"]);
        let output = import(&instance, &full, &repository, &[]).await;
        assert!(reported(&output).contains("name of a default branch"), "{}", reported(&output));
        assert_eq!(projects(&ada).await, json!([]));
        instance.stop().await;
    }

    async fn project_of_a_failed_push_can_be_pushed_to_later(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let key = key(&ada, Value::Null).await;
        let folder = TempDir::new().unwrap();
        let repository = repository(folder.path());
        // An object is missing.
        let blob = git(&repository, &["rev-parse", "trunk:a.txt"]);
        let (prefix, rest) = blob.split_at(2);
        let object = repository.join(".git/objects").join(prefix).join(rest);
        let aside = folder.path().join("aside");
        fs::rename(&object, &aside).unwrap();
        let output = import(&instance, &key, &repository, &[]).await;
        assert_eq!(output.status.code(), Some(1), "{}", reported(&output));
        let words = reported(&output);
        let project = projects(&ada).await[0].clone();
        let slug = text(&project["slug"]);
        let kept = format!("the project {slug} was created, but its history was not pushed");
        assert!(words.contains(&kept), "{words}");
        fs::rename(&aside, &object).unwrap();
        let url = instance.url.replace("://", &format!("://{key}@"));
        let url = format!("{url}/git/{slug}.git");
        git_of_server(&repository, &["push", "-q", &url, "trunk"]).await;
        let branches = git_of_server(&repository, &["ls-remote", &url, "HEAD"]).await;
        assert_eq!(branches, format!("{}\tHEAD\n", git(&repository, &["rev-parse", "trunk"])));
        instance.stop().await;
    }
}
