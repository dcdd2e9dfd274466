//! What tests ask servers with.

use reqwest::ClientBuilder;

/// A client to change and build. It knows how to speak TLS, which reqwest asks of the process.
pub fn http_client() -> ClientBuilder {
    // An error means that it is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}
