//! TLS as models are reached: rustls with ring, said outright, so that no process-wide choice counts.

use std::sync::{Arc, LazyLock};

use rustls::{ClientConfig, RootCertStore, crypto::ring};

/// Read once: the machine's list holds some hundred certificates.
static ROOTS: LazyLock<Arc<RootCertStore>> = LazyLock::new(|| {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    // A server of one's own has a certificate of one's own, which only the machine knows.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Arc::new(roots)
});

/// Trusts what the machine trusts, and the usual authorities on a machine that names none.
pub(crate) fn config() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(Arc::clone(&ROOTS))
        .with_no_client_auth())
}
