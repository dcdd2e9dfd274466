//! Language models behind one trait: streaming, usage, prices, and scenarios that replay a session.
//!
//! A caller builds a [`Request`], hands it to a [`Provider`], and either follows the [`Delta`]s or
//! waits for the whole [`Reply`] with [`collect`]. What a tool does and what a run is for are the
//! caller's business: tools are passed through as definitions, runs as an opaque label.
//!
//! - [`Anthropic`] and [`OpenAi`] ask real models over HTTP.
//! - [`Offline`] plays a [`Scenario`]: no key, no network, the same request gets the same reply.
//! - A [`Reply`] is turned into a [`ScriptedReply`] to play it again.

mod anthropic;
mod api_key;
mod error;
mod http;
mod message;
mod offline;
mod openai;
mod price;
mod provider;
mod reading;
mod reply;
mod request;
mod scenario;
mod scripted;
mod settings;
mod usage;

pub use anthropic::Anthropic;
pub use api_key::ApiKey;
pub use error::{ErrorClass, ModelError};
pub use message::{Message, ToolCall, UserBlock};
pub use offline::{OFFLINE, Offline, Pace};
pub use openai::OpenAi;
pub use price::{Price, PriceTable};
pub use provider::{DeltaStream, Provider};
pub use reply::{Delta, Reply, StopReason, collect};
pub use request::{Request, ToolDefinition};
pub use scenario::{InvalidScenario, SCENARIO_VERSION, Scenario, run_label};
pub use scripted::{ScriptedCall, ScriptedFailure, ScriptedReply};
pub use settings::{AnthropicSettings, InvalidSettings, OpenAiSettings};
pub use usage::{Usage, estimated_tokens};
