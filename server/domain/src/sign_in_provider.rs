//! Providers with which users sign in instead of a password.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SignInProviderKind {
    /// OpenID Connect.
    Oidc,
    GitHub,
}

/// Who gets an account by their first sign-in with a provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FirstSignIn {
    /// No user: only invited ones, and those who have linked the provider to their account.
    #[default]
    Invited,
    /// Those with a verified email address in one of the allowed domains.
    Domains,
    /// Everybody whom the provider lets sign in.
    Anyone,
}
