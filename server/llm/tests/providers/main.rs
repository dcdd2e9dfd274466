//! The real providers against a scripted model over HTTP, which checks all that they send.

#![allow(clippy::unwrap_used, reason = "the setting in clippy.toml reaches test functions only")]

mod asking;
mod conversations;
mod failures;
mod ill_streams;
mod recorded;
mod replies;
