//! Which accounts users of providers sign in to.

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    harness::{ADMIN, Database, PASSWORD, text},
    identity_provider::IdentityProvider,
    signing_in_browser::{Browser, add, start_server},
};

support::on_both! {
    async fn equal_address_is_linked_only_by_its_user(database: Database) {
        let instance = start_server(&database).await;
        let provider = IdentityProvider::start().await;
        let id = add(&instance, &provider, json!({"first_sign_in": "anyone"})).await;
        provider.set_person("ada", ADMIN);
        let mut browser = Browser::new(&instance);
        let page = browser.sign_in(&id).await;
        assert_eq!(page, format!("/sign-in?problem=link-required&provider={id}"));
        assert_eq!(browser.user().await, Value::Null);

        let admin = instance.admin().await;
        assert_eq!(browser.link(&admin, &id).await, format!("/account?linked={id}"));
        // Linking does not start a session.
        assert_eq!(browser.user().await, Value::Null);
        assert_eq!(browser.sign_in(&id).await, "/");
        assert_eq!(browser.user().await["email"], ADMIN);

        // The same user of the provider cannot be linked to a second account.
        let other = instance.user("eve@example.org").await;
        let page = Browser::new(&instance).link(&other, &id).await;
        assert_eq!(page, format!("/account?problem=already-linked&provider={id}"));

        let listed = admin.get("/api/me/identities").await.json();
        assert_eq!(listed["has_password"], true);
        assert_eq!(listed["items"][0]["email"], ADMIN);
        let path = format!("/api/me/identities/{}", text(&listed["items"][0]["id"]));
        other.delete(&path).await.problem(404);
        assert_eq!(admin.delete(&path).await.status, StatusCode::NO_CONTENT);
        let page = browser.sign_in(&id).await;
        assert_eq!(page, format!("/sign-in?problem=link-required&provider={id}"));

        let log = admin.get("/api/audit-log").await.json();
        let actions: Vec<_> =
            log["items"].as_array().unwrap().iter().map(|entry| text(&entry["action"])).collect();
        for action in ["sign_in_provider_added", "identity_linked", "identity_unlinked"] {
            assert!(actions.iter().any(|found| found == action), "{action}: {actions:?}");
        }
        instance.stop().await;
    }

    async fn simultaneous_first_sign_ins_create_one_account(database: Database) {
        let instance = start_server(&database).await;
        let provider = IdentityProvider::start().await;
        let id = add(&instance, &provider, json!({"first_sign_in": "anyone"})).await;
        provider.set_person("ada", "ada@example.org");
        let mut browsers: Vec<_> = (0..8).map(|_| Browser::new(&instance)).collect();
        let pages = join_all(browsers.iter_mut().map(|browser| browser.sign_in(&id))).await;
        assert_eq!(pages, ["/"; 8]);
        for browser in &browsers {
            assert_eq!(browser.user().await["email"], "ada@example.org");
        }
        let log = instance.admin().await.get("/api/audit-log?action=user_created").await.json();
        let items = log["items"].as_array().unwrap().iter();
        let by_provider = items.filter(|entry| entry["detail"]["provider"].is_string());
        assert_eq!(by_provider.count(), 1, "{log}");
        instance.stop().await;
    }

    async fn link_ends_with_its_session(database: Database) {
        let instance = start_server(&database).await;
        let provider = IdentityProvider::start().await;
        let id = add(&instance, &provider, json!({})).await;
        provider.set_person("ada", "ada@example.org");
        let user = instance.user("ada@example.org").await;
        let started = user.post("/api/me/identities", json!({"provider": id})).await;
        let mut browser = Browser::new(&instance);
        let name = started.headers["set-cookie"].to_str().unwrap().split('=').next().unwrap();
        browser.cookies.insert(name.to_owned(), crate::harness::cookie(&started, name));
        let callback = browser.visit(&started).await;
        assert_eq!(user.delete("/api/session").await.status, StatusCode::NO_CONTENT);
        let page = browser.open(&callback).await;
        assert!(page.contains("problem="), "{page}");
        let again = instance.sign_in("ada@example.org").await;
        assert_eq!(again.get("/api/me/identities").await.json()["items"], json!([]));
        instance.stop().await;
    }

    async fn invitation_is_accepted_with_a_provider(database: Database) {
        let instance = start_server(&database).await;
        let provider = IdentityProvider::start().await;
        let id = add(&instance, &provider, json!({})).await;
        let admin = instance.admin().await;
        let new = json!({"email": "ada@example.org", "name": "Ada", "role": "user"});
        let invited = admin.post("/api/users", new).await.json();
        let path = text(&invited["invitation"]["path"]);
        let token = path.split("token=").nth(1).unwrap();

        provider.set_person("7", "private@example.com");
        let mut browser = Browser::new(&instance);
        let page = browser.sign_in(&id).await;
        assert_eq!(page, format!("/sign-in?problem=not-invited&provider={id}"));
        let callback = browser.start(&id, json!({"invitation": token})).await;
        assert_eq!(browser.open(&callback).await, "/");
        assert_eq!(browser.user().await["email"], "ada@example.org");
        let mut second = Browser::new(&instance);
        provider.set_person("8", "eve@example.com");
        let callback = second.start(&id, json!({"invitation": token})).await;
        let page = second.open(&callback).await;
        assert_eq!(page, format!("/sign-in?problem=invitation-expired&provider={id}"));

        // The only way to sign in cannot be removed, until there is a password.
        let ada = browser.person(&instance).await;
        let listed = ada.get("/api/me/identities").await.json();
        assert_eq!(listed["has_password"], false);
        let own = format!("/api/me/identities/{}", text(&listed["items"][0]["id"]));
        ada.delete(&own).await.problem(409);
        let user = text(&browser.user().await["id"]);
        let invitation = format!("/api/users/{user}/invitation");
        let made = admin.post(&invitation, json!({})).await.json();
        let token = text(&made["path"]).split("token=").nth(1).unwrap().to_owned();
        let set = browser.post("/api/invitation", json!({"token": token, "password": PASSWORD}));
        assert_eq!(set.await.status, StatusCode::OK);
        let ada = instance.sign_in("ada@example.org").await;
        assert_eq!(ada.delete(&own).await.status, StatusCode::NO_CONTENT);
        instance.stop().await;
    }

    async fn first_sign_in_follows_the_policy(database: Database) {
        let instance = start_server(&database).await;
        let provider = IdentityProvider::start().await;
        let domains = json!({"first_sign_in": "domains", "allowed_domains": ["example.org"]});
        let id = add(&instance, &provider, domains).await;
        for (subject, email, verified, problem) in [
            ("1", "ada@example.com", true, "not-invited"),
            ("2", "ada@example.org.evil.example", true, "not-invited"),
            ("3", "ada@sub.example.org", true, "not-invited"),
            ("4", "ada@example.org", false, "unverified-email"),
            ("5", "not an address", true, "unverified-email"),
        ] {
            provider.set(|behaviour| {
                let sub = subject;
                behaviour.claims = json!({"sub": sub, "email": email, "email_verified": verified});
            });
            let page = Browser::new(&instance).sign_in(&id).await;
            assert_eq!(page, format!("/sign-in?problem={problem}&provider={id}"), "{email}");
        }
        provider.set(|behaviour| {
            behaviour.claims = json!({
                "sub": "6", "email": "Ada@Example.org", "email_verified": true, "name": "Ada L.",
            });
        });
        let mut browser = Browser::new(&instance);
        assert_eq!(browser.sign_in(&id).await, "/");
        let user = browser.user().await;
        assert_eq!((&user["email"], &user["name"]), (&json!("ada@example.org"), &json!("Ada L.")));
        assert_eq!(user["role"], "user");

        // The provider's id counts, not the address.
        provider.set_person("6", "renamed@example.org");
        assert_eq!(browser.sign_in(&id).await, "/");
        assert_eq!(browser.user().await["id"], user["id"]);
        let path = format!("/api/users/{}", text(&user["id"]));
        let admin = instance.admin().await;
        assert_eq!(admin.patch(&path, json!({"disabled": true})).await.status, StatusCode::OK);
        let page = browser.sign_in(&id).await;
        assert_eq!(page, format!("/sign-in?problem=deactivated&provider={id}"));
        instance.stop().await;
    }

    async fn roles_follow_the_claim_but_the_last_administrator_stays(database: Database) {
        let instance = start_server(&database).await;
        let provider = IdentityProvider::start().await;
        let claim = json!({
            "first_sign_in": "anyone", "role_claim": "realm_access.roles", "admin_value": "forge",
        });
        let id = add(&instance, &provider, claim).await;
        let with_roles = |subject: &str, roles: Value| {
            provider.set(|behaviour| {
                behaviour.claims = json!({
                    "sub": subject, "email": format!("{subject}@example.org"),
                    "email_verified": true, "realm_access": {"roles": roles},
                });
            });
        };
        with_roles("ada", json!(["forge"]));
        let mut ada = Browser::new(&instance);
        ada.sign_in(&id).await;
        assert_eq!(ada.user().await["role"], "admin");
        with_roles("ada", json!(["other"]));
        ada.sign_in(&id).await;
        assert_eq!(ada.user().await["role"], "user");
        with_roles("ada", json!(["forge"]));
        ada.sign_in(&id).await;
        assert_eq!(ada.user().await["role"], "admin");

        // The first administrator leaves, so that Ada is the last one.
        let first = text(&instance.admin().await.get("/api/session").await.json()["user"]["id"]);
        let person = ada.person(&instance).await;
        let left = person.patch(&format!("/api/users/{first}"), json!({"disabled": true})).await;
        assert_eq!(left.status, StatusCode::OK, "{}", left.text);
        with_roles("ada", json!([]));
        assert_eq!(ada.sign_in(&id).await, "/");
        assert_eq!(ada.user().await["role"], "admin");
        instance.stop().await;
    }

    async fn github_signs_in_with_its_verified_primary_address(database: Database) {
        let instance = start_server(&database).await;
        let provider = IdentityProvider::start().await;
        let github = json!({"name": "GitHub", "kind": "github", "first_sign_in": "anyone"});
        let id = add(&instance, &provider, github).await;
        let emails = |primary_verified: bool| {
            json!([
                {"email": "old@example.org", "primary": false, "verified": true},
                {"email": "ada@example.org", "primary": true, "verified": primary_verified},
            ])
        };
        provider.set(|behaviour| {
            behaviour.github_user = json!({"id": 42, "login": "ada", "name": null});
            behaviour.github_emails = emails(false);
        });
        let mut browser = Browser::new(&instance);
        let page = browser.sign_in(&id).await;
        assert_eq!(page, format!("/sign-in?problem=unverified-email&provider={id}"));
        provider.set(|behaviour| behaviour.github_emails = emails(true));
        assert_eq!(browser.sign_in(&id).await, "/");
        let user = browser.user().await;
        assert_eq!((&user["email"], &user["name"]), (&json!("ada@example.org"), &json!("ada")));
        instance.stop().await;
    }
}
