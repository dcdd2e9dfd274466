//! The settings of sign-in providers.

use reqwest::StatusCode;
use serde_json::json;

use crate::{
    harness::{ADMIN, Database, text},
    identity_provider::{CLIENT_SECRET, IdentityProvider},
    signing_in_browser::{Browser, add, settings, start_server},
};

const PATH: &str = "/api/settings/sign-in-providers";

support::on_both! {
    async fn provider_is_added_changed_and_removed(database: Database) {
        let instance = start_server(&database).await;
        let admin = instance.admin().await;
        let provider = IdentityProvider::start().await;
        let id = add(&instance, &provider, json!({})).await;
        let path = format!("{PATH}/{id}");
        let listed = admin.get(PATH).await;
        assert!(!listed.text.contains(CLIENT_SECRET), "{}", listed.text);
        let listed = listed.json();
        assert_eq!(listed["redirect_url"], format!("{}/api/sign-in/callback", instance.url));
        assert_eq!(listed["items"][0]["first_sign_in"], "invited");
        let options = instance.client().get(format!("{}/api/sign-in", instance.url));
        let options = crate::harness::send(options).await;
        assert_eq!(options.json()["items"], json!([{"id": id, "name": "Company", "kind": "oidc"}]));

        admin.post(PATH, settings(&provider, json!({}))).await.problem(422);
        let without = json!({"name": "Other", "client_secret": null});
        admin.post(PATH, settings(&provider, without.clone())).await.problem(422);
        let renamed = admin.put(&path, settings(&provider, without)).await;
        assert_eq!(renamed.status, StatusCode::OK, "{}", renamed.text);
        assert_eq!(renamed.json()["name"], "Other");
        // The stored secret is not sent to another server.
        let moved = json!({"client_secret": null, "issuer_url": "https://other.example"});
        admin.put(&path, settings(&provider, moved)).await.problem(422);

        // People of another issuer must not sign in to accounts of this one's.
        provider.set_person("1", ADMIN);
        Browser::new(&instance).link(&admin, &id).await;
        let moved = json!({"issuer_url": "https://other.example"});
        admin.put(&path, settings(&provider, moved)).await.problem(409);
        assert_eq!(admin.get(PATH).await.json()["items"][0]["linked_accounts"], 1);

        let disabled = admin.put(&path, settings(&provider, json!({"enabled": false}))).await;
        assert_eq!(disabled.json()["enabled"], false, "{}", disabled.text);
        let start = format!("/api/sign-in/{id}");
        Browser::new(&instance).post(&start, json!({})).await.problem(404);
        assert_eq!(admin.delete(&path).await.status, StatusCode::NO_CONTENT);
        assert_eq!(admin.get("/api/me/identities").await.json()["items"], json!([]));
        instance.stop().await;
    }

    async fn test_says_what_is_wrong(database: Database) {
        let instance = start_server(&database).await;
        let admin = instance.admin().await;
        let provider = IdentityProvider::start().await;
        for (name, change, word) in [
            ("Correct", json!({}), ""),
            ("Secret", json!({"client_secret": "wrong"}), "client secret"),
            ("Path", json!({"issuer_url": format!("{}/realm", provider.url)}), "there is no document"),
            ("Down", json!({"issuer_url": "http://127.0.0.1:9"}), "connection"),
            ("GitHub", json!({"kind": "github"}), ""),
            ("GitHub secret", json!({"kind": "github", "client_secret": "wrong"}), "client secret"),
            ("Unknown", json!({"issuer_url": "https://id.invalid"}), "resolved"),
        ] {
            let mut change = change;
            change["name"] = name.into();
            let id = add(&instance, &provider, change).await;
            let tested = admin.post(&format!("{PATH}/{id}/test"), json!({})).await.json();
            match word {
                "" => assert_eq!(tested["problem"], json!(null), "{name}"),
                word => assert!(text(&tested["problem"]).contains(word), "{name}: {tested}"),
            }
        }
        instance.stop().await;
    }
}
