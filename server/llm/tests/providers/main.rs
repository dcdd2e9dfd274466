//! Tests of the providers against a scripted model server, which validates their requests.

#![allow(clippy::unwrap_used, reason = "the setting in clippy.toml reaches test functions only")]

mod conversations;
mod failures;
mod fixture;
mod interrupted_streams;
mod recorded;
mod replies;
mod thinking;
