//! Runs of external coding agents: a process in the sandbox does the coder's work instead of the
//! built-in loop.
//!
//! What the process says decides nothing. Its output is shown, gates judge its changes as any
//! other, and its use of models is counted by the gateway, the only thing that it can connect to.
//!
//! - [`program`], [`version`]: how each agent is started, and which version is installed
//! - [`task`]: what it is told
//! - [`home`]: its home directory and its session, which outlive interrupted processes
//! - [`streams`]: parsers of the agents' output
//! - [`run_records`], [`mcp_server`]: the tools that it has
//! - [`gateway`], [`model_request`], [`response_reader`]: what it connects to, and requests to models
//! - [`recorder`]: output as events
//! - [`conclusion`]: how a run ends
//! - [`external_run`]: one run

pub mod conclusion;
pub mod external_run;
pub mod home;
pub mod model_request;
pub mod program;
pub mod response_reader;
pub mod streams;

mod gateway;
mod mcp_server;
mod recorder;
mod run_records;
mod task;
mod version;

pub use external_run::run;
pub use home::AgentHome;
pub use program::ExternalAgent;
pub use version::{Installed, installed};
