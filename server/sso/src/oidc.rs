//! Signing in with an OpenID Connect provider.

use openidconnect::{
    AdditionalClaims, AuthType, AuthenticationFlow, AuthorizationCode, ClaimsVerificationError,
    Client, ClientId, ClientSecret, CsrfToken, EmptyExtraTokenFields, EndUserName,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, IdTokenFields, LocalizedClaim, Nonce,
    OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RequestTokenError,
    Scope, SignatureVerificationError, StandardErrorResponse, StandardTokenResponse, TokenResponse,
    UserInfoClaims,
    core::{
        CoreAuthDisplay, CoreAuthPrompt, CoreClientAuthMethod, CoreErrorResponseType,
        CoreGenderClaim, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm, CoreProviderMetadata, CoreResponseType, CoreRevocableToken,
        CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    discovery::{algorithms, discover, sender},
    error::SsoError,
    http::{Http, HttpError},
    identity::Identity,
    provider::{Flow, ProviderSettings},
};

/// All claims that the protocol does not define.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OtherClaims(Map<String, Value>);

impl AdditionalClaims for OtherClaims {}

type IdFields = IdTokenFields<
    OtherClaims,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;
type Tokens = StandardTokenResponse<IdFields, CoreTokenType>;
type TokenError = StandardErrorResponse<CoreErrorResponseType>;
type OidcClient = Client<
    OtherClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    TokenError,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

pub(crate) fn authorization_url(
    settings: &ProviderSettings,
    metadata: &CoreProviderMetadata,
    flow: &Flow,
) -> Result<String, SsoError> {
    let client = client(settings, metadata, flow.redirect_url)?;
    let verifier = PkceCodeVerifier::new(flow.pkce_verifier.to_owned());
    let (state, nonce) = (flow.state.to_owned(), flow.nonce.to_owned());
    let (url, ..) = client
        .authorize_url(
            AuthenticationFlow::<CoreResponseType>::AuthorizationCode,
            move || CsrfToken::new(state),
            move || Nonce::new(nonce),
        )
        .add_scope(Scope::new("email".to_owned()))
        .add_scope(Scope::new("profile".to_owned()))
        .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
        .url();
    Ok(url.into())
}

pub(crate) async fn identify(
    settings: &ProviderSettings,
    metadata: &CoreProviderMetadata,
    flow: &Flow<'_>,
    code: &str,
    http: &Http,
) -> Result<Identity, SsoError> {
    let client = client(settings, metadata, flow.redirect_url)?;
    let tokens = exchange(&client, flow.pkce_verifier, code, http).await?;
    match read(&client, metadata, &tokens, flow.nonce, http).await {
        // The provider has new keys since its document was read.
        Err(Unverified::UnknownKey) => {
            let metadata = discover(&settings.issuer_url, http).await?;
            let client = self::client(settings, &metadata, flow.redirect_url)?;
            let identity = read(&client, &metadata, &tokens, flow.nonce, http).await;
            identity.map_err(Unverified::into_error)
        }
        identity => identity.map_err(Unverified::into_error),
    }
}

/// Sends an invalid code, to learn whether the provider accepts the client ID and the secret.
pub(crate) async fn check_client(
    settings: &ProviderSettings,
    metadata: &CoreProviderMetadata,
    redirect_url: &str,
    http: &Http,
) -> Result<(), SsoError> {
    let client = client(settings, metadata, redirect_url)?;
    let (_, verifier) = PkceCodeChallenge::new_random_sha256();
    match exchange(&client, verifier.secret(), "test-of-the-settings", http).await {
        Err(error @ (SsoError::Misconfigured(_) | SsoError::Unreachable(_))) => Err(error),
        _ => Ok(()),
    }
}

fn client(
    settings: &ProviderSettings,
    metadata: &CoreProviderMetadata,
    redirect_url: &str,
) -> Result<OidcClient, SsoError> {
    let (id, secret) = (settings.client_id.clone(), settings.client_secret.clone());
    let redirect_url = RedirectUrl::new(redirect_url.to_owned()).map_err(|error| {
        SsoError::Misconfigured(format!("the public URL of ForgeGuard is not valid: {error}"))
    })?;
    let methods = metadata.token_endpoint_auth_methods_supported();
    let only_post = methods.is_some_and(|methods| {
        methods.contains(&CoreClientAuthMethod::ClientSecretPost)
            && !methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
    });
    let auth_type = if only_post { AuthType::RequestBody } else { AuthType::BasicAuth };
    let secret = Some(ClientSecret::new(secret));
    let client = Client::from_provider_metadata(metadata.clone(), ClientId::new(id), secret);
    Ok(client.set_redirect_uri(redirect_url).set_auth_type(auth_type))
}

async fn exchange(
    client: &OidcClient,
    pkce_verifier: &str,
    code: &str,
    http: &Http,
) -> Result<Tokens, SsoError> {
    let request = client
        .exchange_code(AuthorizationCode::new(code.to_owned()))
        .map_err(|error| SsoError::Misconfigured(error.to_string()))?;
    let verifier = PkceCodeVerifier::new(pkce_verifier.to_owned());
    let sender = sender(http);
    request.set_pkce_verifier(verifier).request_async(&sender).await.map_err(explain_exchange)
}

enum Unverified {
    UnknownKey,
    Other(SsoError),
}

impl Unverified {
    fn into_error(self) -> SsoError {
        match self {
            Self::UnknownKey => SsoError::InvalidToken(
                "the ID token is signed with a key that the provider does not publish".to_owned(),
            ),
            Self::Other(error) => error,
        }
    }
}

/// Whom the tokens are about, once the ID token is verified.
async fn read(
    client: &OidcClient,
    metadata: &CoreProviderMetadata,
    tokens: &Tokens,
    nonce: &str,
    http: &Http,
) -> Result<Identity, Unverified> {
    let id_token = tokens.id_token().ok_or_else(|| {
        Unverified::Other(SsoError::Misconfigured(
            "the provider returned no ID token; allow the scope openid for this client".to_owned(),
        ))
    })?;
    let verifier = client.id_token_verifier().set_allowed_algs(algorithms(metadata));
    let claims =
        id_token.claims(&verifier, &Nonce::new(nonce.to_owned())).map_err(|error| match error {
            ClaimsVerificationError::SignatureVerification(
                SignatureVerificationError::NoMatchingKey,
            ) => Unverified::UnknownKey,
            ClaimsVerificationError::SignatureVerification(why) => Unverified::Other(
                SsoError::InvalidToken(format!("the signature of the ID token is invalid: {why}")),
            ),
            error => Unverified::Other(SsoError::InvalidToken(format!(
                "the ID token is invalid: {error}"
            ))),
        })?;
    let mut identity = Identity {
        subject: claims.subject().to_string(),
        email: claims.email().map(|email| email.to_string()),
        email_verified: claims.email_verified().unwrap_or(false),
        name: first_text(claims.name()),
        claims: claims.additional_claims().0.clone(),
    };
    // Some providers keep the ID token small.
    if identity.email.is_none()
        && let Ok(request) =
            client.user_info(tokens.access_token().clone(), Some(claims.subject().clone()))
    {
        let sender = sender(http);
        let info: UserInfoClaims<OtherClaims, CoreGenderClaim> =
            request.request_async(&sender).await.map_err(|error| {
                Unverified::Other(SsoError::Misconfigured(format!(
                    "the provider's information about the user cannot be read: {error}"
                )))
            })?;
        identity.email = info.email().map(|email| email.to_string());
        identity.email_verified = info.email_verified().unwrap_or(false);
        identity.name = identity.name.or_else(|| first_text(info.name()));
        for (name, value) in &info.additional_claims().0 {
            identity.claims.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    Ok(identity)
}

/// In any language.
fn first_text(claim: Option<&LocalizedClaim<EndUserName>>) -> Option<String> {
    let claim = claim?;
    let found = claim.get(None).or_else(|| claim.iter().next().map(|(_, text)| text));
    found.map(|text| text.to_string())
}

fn explain_exchange(error: RequestTokenError<HttpError, TokenError>) -> SsoError {
    match error {
        RequestTokenError::Request(HttpError(why)) => SsoError::Unreachable(why),
        RequestTokenError::ServerResponse(response) => match response.error() {
            CoreErrorResponseType::InvalidClient | CoreErrorResponseType::UnauthorizedClient => {
                SsoError::Misconfigured(
                    "the provider rejects the client ID or the client secret; enter them again"
                        .to_owned(),
                )
            }
            error => SsoError::Rejected(format!(
                "the provider rejects the sign-in ({}); start it again",
                error.as_ref()
            )),
        },
        RequestTokenError::Parse(error, _) => SsoError::Misconfigured(format!(
            "the reply of the provider's token endpoint cannot be read: {error}"
        )),
        RequestTokenError::Other(_) => SsoError::Misconfigured(
            "the provider's token endpoint sent a reply that is not part of the protocol"
                .to_owned(),
        ),
    }
}
