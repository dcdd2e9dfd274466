//! Sign-ins with providers that misbehave, and attacks on sign-ins.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    harness::{Database, Instance, text},
    identity_provider::{Fault, IdentityProvider},
    signing_in_browser::{Browser, add, start_server},
};

/// Signs in once, so that the provider's document is known to the server.
async fn signed_in_once(instance: &Instance) -> (IdentityProvider, String) {
    let provider = IdentityProvider::start().await;
    provider.set_person("1", "ada@example.org");
    let id = add(instance, &provider, json!({"first_sign_in": "anyone"})).await;
    assert_eq!(Browser::new(instance).sign_in(&id).await, "/");
    (provider, id)
}

support::on_both! {
    async fn invalid_replies_sign_nobody_in(database: Database) {
        let instance = start_server(&database).await;
        let (provider, id) = signed_in_once(&instance).await;
        for fault in [
            Fault::WrongNonce, Fault::NoNonce, Fault::WrongAudience, Fault::WrongIssuer,
            Fault::ExpiredToken, Fault::WrongKey, Fault::AlgorithmNone, Fault::SharedSecret,
            Fault::NoIdToken, Fault::TokenEndpointDown, Fault::OtherIssuerInRedirect,
        ] {
            provider.set(|behaviour| behaviour.fault = fault);
            let mut browser = Browser::new(&instance);
            let page = browser.sign_in(&id).await;
            assert_eq!(page, format!("/sign-in?problem=failed&provider={id}"), "{fault:?}");
            assert_eq!(browser.user().await, Value::Null, "{fault:?}");
        }
        provider.set(|behaviour| behaviour.fault = Fault::Denies);
        let page = Browser::new(&instance).sign_in(&id).await;
        assert_eq!(page, format!("/sign-in?problem=denied&provider={id}"));

        let log = instance.admin().await.get("/api/audit-log?action=sign_in_failed").await.json();
        let reasons: Vec<_> = log["items"].as_array().unwrap().iter()
            .filter_map(|entry| entry["detail"]["reason"].as_str()).collect();
        for word in ["nonce", "udience", "ssuer", "xpired", "ignature", "no ID token"] {
            assert!(reasons.iter().any(|reason| reason.contains(word)), "{word}: {reasons:?}");
        }
        instance.stop().await;
    }

    async fn unusable_documents_are_explained(database: Database) {
        let instance = start_server(&database).await;
        let admin = instance.admin().await;
        let provider = IdentityProvider::start().await;
        let id = add(&instance, &provider, json!({})).await;
        let test = format!("/api/settings/sign-in-providers/{id}/test");
        assert_eq!(admin.post(&test, json!({})).await.json(), json!({"problem": null}));
        for (fault, word) in [
            (Fault::OtherIssuerInDocument, "https://other.example"),
            (Fault::Redirects, "redirects to another address"),
            (Fault::Hangs, "did not respond within 10 seconds"),
        ] {
            provider.set(|behaviour| behaviour.fault = fault);
            let tested = admin.post(&test, json!({})).await.json();
            assert!(tested["problem"].as_str().unwrap().contains(word), "{tested}");
            let start = format!("/api/sign-in/{id}");
            Browser::new(&instance).post(&start, json!({})).await.problem(503);
        }
        instance.stop().await;
    }

    async fn state_is_bound_to_its_browser_and_used_once(database: Database) {
        let instance = start_server(&database).await;
        let (_provider, id) = signed_in_once(&instance).await;
        let (mut victim, mut attacker) = (Browser::new(&instance), Browser::new(&instance));
        // An attacker has the victim open the callback of the attacker's sign-in.
        let callback = attacker.start(&id, json!({})).await;
        assert_eq!(victim.open(&callback).await, "/sign-in?problem=other-browser");
        assert_eq!(victim.user().await, Value::Null);
        assert_eq!(attacker.open(&callback).await, "/sign-in?problem=expired");
        assert_eq!(attacker.user().await, Value::Null);

        let callback = victim.start(&id, json!({})).await;
        let cookies = victim.cookies.clone();
        assert_eq!(victim.open(&callback).await, "/");
        assert!(victim.cookies.keys().all(|name| !name.starts_with("fg_sign_in")));
        let mut again = Browser::new(&instance);
        again.cookies = cookies;
        assert_eq!(again.open(&callback).await, "/sign-in?problem=expired");
        assert_eq!(again.user().await, Value::Null);

        // A code of another sign-in does not fit this one's verifier.
        let stolen = attacker.start(&id, json!({})).await;
        let own = victim.start(&id, json!({})).await;
        let code = |url: &str| url.split("code=").nth(1).unwrap().to_owned();
        let mixed = own.replace(&code(&own), &code(&stolen));
        let page = victim.open(&mixed).await;
        assert_eq!(page, format!("/sign-in?problem=failed&provider={id}"));
        let url = format!("{}/api/sign-in/callback", instance.url);
        for query in ["", "?code=a", "?state=a", "?code=a&state=a&state=b", "?error=x&state=%ff"] {
            let page = victim.open(&format!("{url}{query}")).await;
            assert!(page.starts_with("/sign-in?problem="), "{page}");
        }
        instance.stop().await;
    }

    async fn sign_in_leads_to_own_pages_only(database: Database) {
        let instance = start_server(&database).await;
        let (_provider, id) = signed_in_once(&instance).await;
        for (return_to, expected) in [
            ("/projects?a=b", "/projects?a=b"), ("//evil.example", "/"),
            ("https://evil.example", "/"), ("/\\evil.example", "/"),
        ] {
            let mut browser = Browser::new(&instance);
            let callback = browser.start(&id, json!({"return_to": return_to})).await;
            assert_eq!(browser.open(&callback).await, expected);
        }
        let started = instance.client().post(format!("{}/api/sign-in/{id}", instance.url))
            .header("origin", "https://evil.example").json(&json!({}));
        crate::harness::send(started).await.problem(403);
        instance.stop().await;
    }

    async fn private_addresses_are_called_only_if_allowed(database: Database) {
        let instance = Instance::start(&database).await;
        let provider = IdentityProvider::start().await;
        let id = add(&instance, &provider, json!({})).await;
        let test = format!("/api/settings/sign-in-providers/{id}/test");
        let tested = instance.admin().await.post(&test, json!({})).await;
        assert_eq!(tested.status, StatusCode::OK);
        assert!(text(&tested.json()["problem"]).contains("refused"), "{}", tested.text);
        instance.stop().await;
    }
}
