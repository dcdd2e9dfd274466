//! Providers with which users sign in: their client secrets, and the connections to them.

use std::sync::Arc;

use domain::{ids::SignInProviderId, sign_in_provider::SignInProviderKind};
use sandbox::EgressRules;
use sso::{
    SsoError,
    http::{Destination, Http, Resolver},
    identity::Identity,
    provider::{Flow, Protocol, ProviderSettings},
    sign_in::Provider,
};

use super::{encryption_key::EncryptionKey, error::EngineError, handle::Engine};
use crate::{secret::Secret, store::sign_in_providers::SignInProvider};

impl Engine {
    /// Encrypts a client secret, bound to the server that receives it.
    pub async fn seal_client_secret(
        &self,
        id: SignInProviderId,
        issuer_url: &str,
        secret: Secret<String>,
    ) -> Result<String, EngineError> {
        let (file, context) = (self.paths().encryption_key(), context(id, issuer_url));
        self.blocking(move || Ok(EncryptionKey::load(&file)?.encrypt(&secret, &context)?)).await
    }

    /// A provider that is ready for sign-ins.
    pub async fn sign_in_provider(&self, row: &SignInProvider) -> Result<Arc<Provider>, SsoError> {
        if let Some(provider) = self.opened_providers.get(row) {
            return Ok(provider);
        }
        let provider = Arc::new(self.open_provider(row).await?);
        self.opened_providers.insert(row.clone(), provider.clone());
        Ok(provider)
    }

    /// Whom a provider has authenticated, according to the code that it sent.
    pub async fn identify(
        &self,
        row: &SignInProvider,
        flow: &Flow<'_>,
        code: &str,
    ) -> Result<Identity, SsoError> {
        self.sign_in_provider(row).await?.identify(flow, code, &self.sso_http()?).await
    }

    /// Connects to a provider without the stored document, and checks the client ID and the secret as far as possible.
    pub async fn test_sign_in_provider(
        &self,
        row: &SignInProvider,
        redirect_url: &str,
    ) -> Result<(), SsoError> {
        let provider = self.open_provider(row).await?;
        provider.check_client(redirect_url, &self.sso_http()?).await
    }

    async fn open_provider(&self, row: &SignInProvider) -> Result<Provider, SsoError> {
        let (file, sealed) = (self.paths().encryption_key(), row.sealed_secret.clone());
        let context = context(row.id, &row.issuer_url);
        let read = move || Ok(EncryptionKey::read(&file)?.decrypt(&sealed, &context));
        let secret = self.blocking(read).await.ok().flatten().ok_or_else(|| {
            SsoError::Misconfigured(
                "the client secret cannot be decrypted with this node's encryption.key; copy that \
                 file from the node on which the provider was added, or enter the secret again"
                    .to_owned(),
            )
        })?;
        let settings = ProviderSettings {
            protocol: match row.kind {
                SignInProviderKind::Oidc => Protocol::OpenIdConnect,
                SignInProviderKind::GitHub => Protocol::GitHub,
            },
            issuer_url: row.issuer_url.clone(),
            client_id: row.client_id.clone(),
            client_secret: secret.expose().clone(),
        };
        Provider::open(settings, &self.sso_http()?).await
    }

    fn sso_http(&self) -> Result<Http, SsoError> {
        let tls = llm::tls_config().map_err(|error| SsoError::Unreachable(error.to_string()))?;
        let rules = self.parts.network.clone().unwrap_or_default();
        let resolver: Resolver = Arc::new(move |host, port| {
            let rules = rules.clone();
            Box::pin(async move {
                let addresses = rules.allowed_addresses(&host, port).await;
                let addresses = addresses.map_err(|error| error.to_string())?;
                let public = EgressRules::default().allowed_addresses(&host, port).await;
                Ok(Destination { addresses, is_public: public.is_ok() })
            })
        });
        Ok(Http::new(resolver, tls))
    }
}

/// Binds a stored secret to the server that receives it.
pub(super) fn context(id: SignInProviderId, issuer_url: &str) -> String {
    format!("sign_in_provider\n{id}\n{issuer_url}")
}
