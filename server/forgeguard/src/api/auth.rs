//! Authentication: passwords, tokens, cookies, and limits on attempts.
//!
//! - [`password`]: hashing with argon2id
//! - [`token`]: access tokens (JWT) and opaque secrets
//! - [`client_address`]: the client's address, also behind proxies
//! - [`cookie`]: the session cookies
//! - [`origin`]: protection against cross-site requests
//! - [`rate_limiter`]: limits on sign-in attempts
//! - [`failed_sign_ins`]: which failures are recorded
//! - [`hash_queue`]: the order in which passwords are hashed
//! - [`setup_token`]: the one-time link of the first start

pub mod client_address;
pub mod cookie;
pub mod failed_sign_ins;
mod hash_queue;
pub mod origin;
pub mod password;
pub mod rate_limiter;
pub mod setup_token;
pub mod token;
