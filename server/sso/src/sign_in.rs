//! A provider that is ready for sign-ins.

use openidconnect::core::CoreProviderMetadata;

use crate::{
    discovery::discover,
    error::SsoError,
    github,
    http::Http,
    identity::Identity,
    oidc,
    provider::{Flow, Protocol, ProviderSettings},
};

/// A provider with what its discovery document says. Keep it for some minutes, as the document
/// changes rarely.
pub struct Provider {
    settings: ProviderSettings,
    /// None for GitHub.
    metadata: Option<Box<CoreProviderMetadata>>,
}

impl Provider {
    pub async fn open(settings: ProviderSettings, http: &Http) -> Result<Self, SsoError> {
        let metadata = match settings.protocol {
            Protocol::OpenIdConnect => Some(discover(&settings.issuer_url, http).await?.into()),
            Protocol::GitHub => None,
        };
        Ok(Self { settings, metadata })
    }

    /// The value of `iss` in this provider's redirects, if it sends one.
    pub fn issuer(&self) -> Option<&str> {
        self.metadata.as_ref().map(|metadata| metadata.issuer().as_str())
    }

    /// The page of the provider that the browser opens.
    pub fn authorization_url(&self, flow: &Flow<'_>) -> Result<String, SsoError> {
        match &self.metadata {
            Some(metadata) => oidc::authorization_url(&self.settings, metadata, flow),
            None => github::authorization_url(&self.settings, flow),
        }
    }

    /// Exchanges the code with which the provider sent the browser back, and verifies the reply.
    pub async fn identify(
        &self,
        flow: &Flow<'_>,
        code: &str,
        http: &Http,
    ) -> Result<Identity, SsoError> {
        match &self.metadata {
            Some(metadata) => oidc::identify(&self.settings, metadata, flow, code, http).await,
            None => github::identify(&self.settings, flow, code, http).await,
        }
    }

    /// Whether the provider accepts the client ID and the secret, as far as it can be known without
    /// a sign-in.
    pub async fn check_client(&self, redirect_url: &str, http: &Http) -> Result<(), SsoError> {
        match &self.metadata {
            Some(metadata) => {
                oidc::check_client(&self.settings, metadata, redirect_url, http).await
            }
            None => github::check_client(&self.settings, http).await,
        }
    }
}
