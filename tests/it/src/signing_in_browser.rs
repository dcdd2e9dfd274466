//! A browser that signs in with a provider: it keeps cookies and shows where it is sent.

use std::collections::BTreeMap;

use forgeguard::config::Config;
use reqwest::{StatusCode, header, redirect};
use serde_json::{Value, json};

use crate::{
    harness::{ApiResponse, Database, Instance, Person, send, text},
    identity_provider::{CLIENT_ID, CLIENT_SECRET, IdentityProvider},
};

pub struct Browser {
    url: String,
    client: reqwest::Client,
    pub cookies: BTreeMap<String, String>,
}

impl Browser {
    pub fn new(instance: &Instance) -> Self {
        let client = support::http_client().redirect(redirect::Policy::none());
        let client = client.build().expect("a client");
        Self { url: instance.url.clone(), client, cookies: BTreeMap::new() }
    }

    /// Starts a sign-in; returns the callback with which the provider sends the browser back.
    pub async fn start(&mut self, provider: &str, body: Value) -> String {
        let started = self.post(&format!("/api/sign-in/{provider}"), body).await;
        assert_eq!(started.status, StatusCode::OK, "{}", started.text);
        self.visit(&started).await
    }

    /// Opens the provider's page; returns the address to which it sends the browser back.
    pub async fn visit(&self, started: &ApiResponse) -> String {
        let page = text(&started.json()["url"]);
        let sent_back = send(self.client.get(page)).await;
        assert!(sent_back.status.is_redirection(), "{}", sent_back.text);
        location(&sent_back)
    }

    /// Signs in; returns the page that is shown then.
    pub async fn sign_in(&mut self, provider: &str) -> String {
        let callback = self.start(provider, json!({})).await;
        self.open(&callback).await
    }

    /// Links a provider to the account of a signed-in person.
    pub async fn link(&mut self, person: &Person, provider: &str) -> String {
        let started = person.post("/api/me/identities", json!({"provider": provider})).await;
        assert_eq!(started.status, StatusCode::OK, "{}", started.text);
        self.keep_cookies(&started);
        let callback = self.visit(&started).await;
        self.open(&callback).await
    }

    /// Opens a callback; returns the page to which it leads.
    pub async fn open(&mut self, callback: &str) -> String {
        let request = self.client.get(callback).header(header::COOKIE, self.cookie_header());
        let answer = send(request).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        self.keep_cookies(&answer);
        location(&answer)
    }

    pub async fn post(&mut self, path: &str, body: Value) -> ApiResponse {
        let request = self.client.post(format!("{}{path}", self.url)).json(&body);
        let request =
            request.header(header::ORIGIN, &self.url).header(header::COOKIE, self.cookie_header());
        let answer = send(request).await;
        self.keep_cookies(&answer);
        answer
    }

    /// The signed-in user, or null.
    pub async fn user(&self) -> Value {
        let request = self.client.get(format!("{}/api/session", self.url));
        let answer = send(request.header(header::COOKIE, self.cookie_header())).await;
        match answer.status {
            StatusCode::OK => answer.json()["user"].clone(),
            _ => Value::Null,
        }
    }

    /// The same person for requests of the API.
    pub async fn person(&self, instance: &Instance) -> Person {
        let id = text(&self.user().await["id"]);
        instance.bearer(&id, &self.cookies["fg_session"])
    }

    fn cookie_header(&self) -> String {
        let pairs = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    fn keep_cookies(&mut self, answer: &ApiResponse) {
        for cookie in answer.headers.get_all(header::SET_COOKIE) {
            let cookie = cookie.to_str().expect("a text");
            let (name, rest) = cookie.split_once('=').expect("a cookie");
            let value = rest.split(';').next().unwrap_or_default();
            if cookie.contains("Max-Age=0;") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

fn location(answer: &ApiResponse) -> String {
    answer.headers[header::LOCATION].to_str().expect("a text").to_owned()
}

/// A server that may call providers on this machine.
pub async fn start_server(database: &Database) -> Instance {
    Instance::start_with(database, |config| {
        let allow = vec!["127.0.0.1".parse().expect("a destination")];
        Config { network: Some(sandbox::EgressRules { allow }), ..config }
    })
    .await
}

/// The settings of a provider, with changes.
pub fn settings(provider: &IdentityProvider, change: Value) -> Value {
    let mut settings = json!({
        "name": "Company", "kind": "oidc", "issuer_url": provider.url,
        "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET,
    });
    for (name, value) in change.as_object().expect("an object") {
        settings[name] = value.clone();
    }
    settings
}

/// Adds a provider; returns its id.
pub async fn add(instance: &Instance, provider: &IdentityProvider, change: Value) -> String {
    let body = settings(provider, change);
    let added = instance.admin().await.post("/api/settings/sign-in-providers", body).await;
    assert_eq!(added.status, StatusCode::CREATED, "{}", added.text);
    text(&added.json()["id"])
}
