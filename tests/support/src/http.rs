//! An HTTP client for tests.

use reqwest::ClientBuilder;

/// A client builder. Installs the process-wide TLS provider that reqwest requires.
pub fn http_client() -> ClientBuilder {
    // Fails if it is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}
