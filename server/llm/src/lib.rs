//! Language models behind one trait: streaming, usage, prices, and scenarios that replay a session.
//!
//! A caller builds a [`Request`], hands it to a [`Provider`], and either follows the [`Delta`]s or
//! waits for the whole [`Reply`] with [`collect`]. What a tool does and what a run is for are the
//! caller's business: tools are passed through as definitions, runs as an opaque label.
//!
//! - [`Offline`] plays a [`Scenario`]: no key, no network, the same request gets the same reply.
//! - [`Recording`] wraps any provider and keeps what it answered as a scenario.

mod error;
mod message;
mod offline;
mod price;
mod provider;
mod recording;
mod reply;
mod request;
mod scenario;
mod usage;

pub use error::{ErrorClass, ModelError};
pub use message::{Message, ToolCall, UserBlock};
pub use offline::{OFFLINE, Offline, Pace};
pub use price::{Price, PriceTable};
pub use provider::{DeltaStream, Provider};
pub use recording::Recording;
pub use reply::{Delta, Reply, StopReason, collect};
pub use request::{Request, ToolDefinition};
pub use scenario::{InvalidScenario, SCENARIO_VERSION, Scenario, ScriptedCall, ScriptedReply};
pub use usage::{Usage, estimated_tokens};
