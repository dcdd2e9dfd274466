//! Who is asking, and how they prove it.
//!
//! - [`password`]: argon2id, a few at a time
//! - [`token`]: access tokens (JWT) and opaque secrets
//! - [`cookie`]: the two cookies of a browser
//! - [`origin`]: whether a page of ours sent the request
//! - [`tries`]: how often an address may be tried
//! - [`setup_token`]: the link of the first start

pub mod cookie;
pub mod origin;
pub mod password;
pub mod setup_token;
pub mod token;
pub mod tries;
