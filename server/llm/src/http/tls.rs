//! TLS configuration: rustls with ring, set explicitly instead of through the process-wide default.

use std::sync::{Arc, LazyLock};

use rustls::{ClientConfig, RootCertStore, crypto::ring};

/// Loaded once, because the system has more than a hundred certificates.
static ROOTS: LazyLock<Arc<RootCertStore>> = LazyLock::new(|| {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    // Self-hosted servers may use a private authority, which only the system trusts.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Arc::new(roots)
});

/// Trusts the system's certificates in addition to the built-in ones.
pub fn config() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(Arc::clone(&ROOTS))
        .with_no_client_auth())
}
