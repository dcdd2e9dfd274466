//! A scripted model over real HTTP, for tests: it answers as it is told to, and checks what it is asked.
//!
//! A test starts a [`ModelServer`] in one [`Dialect`], tells it its [`Turn`]s, points a provider at
//! [`ModelServer::base_url`] with [`KEY`], and ends with [`ModelServer::finish`]. A request that a
//! real provider would refuse is a fault, and faults fail the test. Knows nothing of the crates under
//! test, so that any of them can use it.
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
mod openai;
mod pieces;
mod seen;
mod server;
mod turn;
mod wire;

pub use dialect::{Dialect, KEY};
pub use seen::Seen;
pub use server::ModelServer;
pub use turn::{Stop, Tokens, Turn};
