//! The discovery document of an OpenID Connect provider, with its keys.

use futures::future::BoxFuture;
use http::StatusCode;
use openidconnect::{
    DiscoveryError, HttpRequest, HttpResponse, IssuerUrl,
    core::{CoreJwsSigningAlgorithm, CoreProviderMetadata},
};

use crate::{
    error::SsoError,
    http::{Http, HttpError},
};

/// Signatures with a key that only the provider has. `none` and those with the client secret are
/// excluded.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

pub(crate) type Reply = BoxFuture<'static, Result<HttpResponse, HttpError>>;

/// The form of a client that the library expects.
pub(crate) fn sender(http: &Http) -> impl Fn(HttpRequest) -> Reply + Send + Sync + use<> {
    let http = http.clone();
    move |request| {
        let http = http.clone();
        Box::pin(async move { http.send(request).await })
    }
}

pub(crate) async fn discover(issuer: &str, http: &Http) -> Result<CoreProviderMetadata, SsoError> {
    let url = IssuerUrl::new(issuer.to_owned())
        .map_err(|error| SsoError::Misconfigured(format!("the issuer is not a URL: {error}")))?;
    let sender = sender(http);
    let found = CoreProviderMetadata::discover_async(url, &sender).await;
    let metadata = found.map_err(|error| explain(issuer, error))?;
    let endpoints = [
        Some(metadata.authorization_endpoint().url()),
        metadata.token_endpoint().map(|endpoint| endpoint.url()),
        Some(metadata.jwks_uri().url()),
        metadata.userinfo_endpoint().map(|endpoint| endpoint.url()),
    ];
    let is_plain = |url: &&url::Url| url.scheme() != "https";
    if issuer.starts_with("https://")
        && let Some(plain) = endpoints.into_iter().flatten().find(is_plain)
    {
        return Err(SsoError::Misconfigured(format!(
            "the provider names the address {plain} for sign-ins, which is not encrypted; \
             configure the provider with https"
        )));
    }
    if metadata.token_endpoint().is_none() {
        return Err(SsoError::Misconfigured(
            "the provider has no token endpoint, so it does not support the authorization code \
             flow"
                .to_owned(),
        ));
    }
    if algorithms(&metadata).is_empty() {
        return Err(SsoError::Misconfigured(
            "the provider signs ID tokens with none of the supported algorithms (RS256, PS256, \
             ES256, EdDSA and their longer forms)"
                .to_owned(),
        ));
    }
    if metadata.jwks().keys().is_empty() {
        return Err(SsoError::Misconfigured(
            "the provider publishes no keys for its signatures".to_owned(),
        ));
    }
    Ok(metadata)
}

/// Those that the provider uses and we accept.
pub(crate) fn algorithms(metadata: &CoreProviderMetadata) -> Vec<CoreJwsSigningAlgorithm> {
    let used = metadata.id_token_signing_alg_values_supported();
    ALGORITHMS.into_iter().filter(|algorithm| used.contains(algorithm)).collect()
}

fn explain(issuer: &str, error: DiscoveryError<HttpError>) -> SsoError {
    let document = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
    match error {
        DiscoveryError::Request(HttpError(why)) => SsoError::Unreachable(why),
        DiscoveryError::Response(StatusCode::NOT_FOUND, ..) => SsoError::Misconfigured(format!(
            "there is no document at {document}; check the issuer URL"
        )),
        DiscoveryError::Response(status, ..) if status.is_redirection() => {
            SsoError::Misconfigured(format!(
                "{document} redirects to another address, which is not followed; enter the issuer \
                 URL to which it redirects"
            ))
        }
        DiscoveryError::Response(status, ..) if status.is_success() => SsoError::Misconfigured(
            format!("{document} is not JSON, so the issuer URL is not that of a provider"),
        ),
        DiscoveryError::Response(status, ..) => {
            SsoError::Unreachable(format!("{document} responded with {status}"))
        }
        DiscoveryError::Parse(error) => SsoError::Misconfigured(format!(
            "the discovery document or the keys cannot be read: {error}"
        )),
        DiscoveryError::Validation(why) => SsoError::Misconfigured(format!(
            "the issuer URL differs from the one that the provider uses: {why}. Enter it exactly as \
             the provider does, also with or without a slash at the end"
        )),
        DiscoveryError::UrlParse(error) => {
            SsoError::Misconfigured(format!("the issuer is not a URL: {error}"))
        }
        error => SsoError::Misconfigured(error.to_string()),
    }
}
