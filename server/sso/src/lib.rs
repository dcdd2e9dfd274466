//! Signing in with OpenID Connect providers and with GitHub: the authorization code flow with PKCE.
//!
//! - [`sign_in`]: a provider, its test, and the two steps of a sign-in
//! - [`provider`]: the settings of a provider
//! - [`http`]: requests, to permitted addresses only
//! - [`identity`]: whom a provider has authenticated
//!
//! Accounts, sessions and pending sign-ins are those of the caller.

mod discovery;
mod error;
mod github;
pub mod http;
pub mod identity;
mod oidc;
pub mod provider;
pub mod sign_in;

pub use error::SsoError;
