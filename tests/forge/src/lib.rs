//! A forge for tests: the REST API of GitHub, Forgejo or GitLab with a real git repository over
//! HTTP, on one port.
//!
//! Requests are checked against the forge's API document: path, method, query, body and token. Replies
//! are built from the document's schemas, and checked against them too. A request that the real forge
//! would not understand is a problem, which fails the test when the server is dropped. [`Fault`]s make
//! requests fail as real forges do. Does not depend on the crates under test.

mod actions;
mod document;
mod git;
mod sample;
mod schema;
mod server;
mod state;

pub use git::GitRepository;
pub use server::{ForgeServer, TOKEN};
pub use state::{Fault, Kind, Pull, Seen};
