//! A scripted model server over HTTP for tests, which validates requests.
//!
//! A test starts a [`ModelServer`] with one [`Dialect`], scripts its [`Turn`]s, points a provider
//! to [`ModelServer::base_url`] with [`KEY`], and ends with [`ModelServer::finish`]. Requests that
//! a real provider would reject are faults, which fail the test. Does not depend on the crates
//! under test, so that all of them can use it.
//!
//! ```no_run
//! # async fn example() {
//! use model_server::{Dialect, ModelServer, Turn};
//!
//! let server = ModelServer::start(Dialect::Anthropic).await;
//! server.script([Turn::says("Let me see.").calls("look", serde_json::json!({"at": "a"}))]);
//! server.script([Turn::says("Done."), Turn::error(529, "overloaded_error", "Overloaded")]);
//! // … let the code under test talk to `server.base_url()` …
//! server.finish();
//! # }
//! ```

mod anthropic;
mod dialect;
mod faults;
mod gemini;
mod openai;
mod pieces;
mod responses;
mod seen;
mod server;
mod turn;
mod wire;

pub use dialect::{Dialect, KEY};
pub use seen::Seen;
pub use server::ModelServer;
pub use turn::{Stop, Tokens, Turn};
