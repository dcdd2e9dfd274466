//! The key that encrypts secrets is replaced, and all secrets stay usable.

use std::{fs, process::Command};

use forgeguard::store::remotes;
use serde_json::json;

use crate::{
    harness::{Database, Instance, binary, text},
    identity_provider::IdentityProvider,
    signing_in_browser::{add, start_server},
};

/// Runs `forgeguard rotate-encryption-key` on the data of an instance.
fn rotate(instance: &Instance, database: &Database) -> String {
    let mut command = Command::new(binary());
    command.arg("rotate-encryption-key").env("DATABASE_URL", database.url());
    command.env("FORGEGUARD_DATA_DIR", instance.app.engine.paths().root());
    let output = command.output().expect("it runs");
    let failure = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{failure}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

support::on_both! {
    async fn all_secrets_are_encrypted_with_a_new_key(database: Database) {
        let instance = start_server(&database).await;
        let admin = instance.admin().await;
        let key = json!({ "key": "sk-0123456789abcdef" });
        admin.put("/api/settings/provider-keys/openai", key).await.json();
        let token = json!({
            "scope": "user", "name": "token", "host": "forge.example", "kind": "token",
            "token": "token-0123456789",
        });
        assert_eq!(admin.post("/api/credentials", token).await.status, 201);
        let webhook = json!({ "url": "http://127.0.0.1:9/hook", "kinds": ["question"] });
        assert_eq!(admin.post("/api/settings/webhooks", webhook).await.status, 201);
        let email = json!({
            "host": "mail.example", "port": 587, "tls": "starttls", "user": "forge",
            "from": "ForgeGuard <forge@example.org>", "password": "mail secret",
        });
        assert_eq!(admin.put("/api/settings/email", email).await.status, 200);
        add(&instance, &IdentityProvider::start().await, json!({})).await;
        let project = admin.project("Shelf").await;
        let here = format!("/api/projects/{project}/remote");
        let remote = json!({ "url": "https://forge.example/me/shelf.git" });
        assert_eq!(admin.post(&here, remote).await.status, 201);
        let hook = admin.post(&format!("{here}/hook-secret"), json!({})).await.json();

        let file = instance.app.engine.paths().encryption_key();
        let first = fs::read(&file).unwrap();
        let printed = rotate(&instance, &database);
        assert!(printed.ends_with("secrets encrypted with the new key: 6\n"), "{printed}");
        let second = fs::read(&file).unwrap();
        assert_eq!(second.len(), 32);
        assert_ne!(first, second);

        // The running service uses the new key.
        let mut conn = instance.app.db.read().await.unwrap();
        let remote = remotes::get(&mut conn, project.parse().unwrap()).await.unwrap().unwrap();
        drop(conn);
        let secret = instance.app.engine.hook_secret(&remote).await.unwrap().expect("it is readable");
        assert_eq!(*secret.expose(), text(&hook["secret"]));
        assert_eq!(admin.get("/api/settings/email").await.json()["has_password"], true);
        let shown = admin.get("/api/settings/provider-keys").await.json();
        assert_eq!(shown["items"][1]["problem"], json!(null), "{shown}");

        // A rotation that ended after it had added its key is completed.
        fs::write(&file, [[7; 32].as_slice(), &second].concat()).unwrap();
        let printed = rotate(&instance, &database);
        assert!(printed.ends_with("new key: 6\n"), "{printed}");
        assert_eq!(fs::read(&file).unwrap(), [7; 32]);

        // Secrets of a key that is lost are counted and left.
        fs::write(&file, [9; 32]).unwrap();
        let printed = rotate(&instance, &database);
        assert!(printed.contains("have to be entered again: 6"), "{printed}");
        fs::write(&file, [7; 32]).unwrap();
        assert!(rotate(&instance, &database).ends_with("new key: 6\n"));
        instance.stop().await;
    }
}
