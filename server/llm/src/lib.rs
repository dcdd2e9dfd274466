//! Access to language models through one trait: streaming, usage, prices, and replay of recorded
//! replies.
//!
//! A caller builds a [`Request`], passes it to a [`Provider`], and either reads the [`Delta`]s or
//! waits for the whole [`Reply`] with [`collect`]. Tools are passed through as definitions, and
//! runs are identified by an opaque label.
//!
//! - [`Anthropic`] and [`OpenAi`] call models over HTTP.
//! - [`Offline`] replays a [`Scenario`] without key or network; equal requests get equal replies.
//! - A [`Reply`] converts into a [`ScriptedReply`] for replay.

mod anthropic;
mod api_key;
mod catalog;
mod delta_stream;
mod error;
#[cfg(fuzzing)]
pub mod fuzzing;
mod http;
mod http_relay;
mod message;
mod offline;
mod openai;
mod price;
mod provider;
mod reasoning;
mod relay;
mod reply;
mod request;
mod scenario;
mod scripted;
mod settings;
mod thinking;
mod usage;

pub use anthropic::Anthropic;
pub use api_key::ApiKey;
pub use catalog::{ModelCatalog, ModelFacts, OpenAiApi};
pub use error::{ErrorClass, ModelError};
pub use http::tls_config;
pub use message::{Message, ToolCall, UserBlock};
pub use offline::{OFFLINE, Offline};
pub use openai::OpenAi;
pub use price::Price;
pub use provider::{DeltaStream, Provider};
pub use reasoning::reasoning;
pub use relay::{ModelApi, Relay};
pub use reply::{Delta, Reply, StopReason, collect};
pub use request::{InputSchema, Request, ToolDefinition};
pub use scenario::{InvalidScenario, SCENARIO_VERSION, Scenario, run_label};
pub use scripted::{ScriptedCall, ScriptedFailure, ScriptedReply};
pub use settings::{
    AnthropicCredential, AnthropicSettings, InvalidSettings, OpenAiSettings, Timeouts,
};
pub use thinking::{Effort, Thinking};
pub use usage::{Usage, estimated_tokens};
