//! Drives builds: performs what `domain::decide` asks for and appends what happened.
//!
//! A request never runs any of this: it appends a command, and the worker that holds the build
//! finds it in the journal.
//!
//! - [`paths`], [`node`]: where things lie, and who this node is
//! - [`models`]: which model answers whom
//! - [`settings`]: what a project asks of its builds
//! - [`error`]: how a command can be refused
//! - [`handle`]: the engine as the rest of the service holds it
//! - [`repositories`]: hosted repositories and working clones
//! - [`detected_gates`]: what a repository suggests
//! - [`start`], [`follow_ups`], [`commands`]: what people ask for
//! - [`branch`], [`gates`], [`agents`], [`sealing`], [`blocking`]: how effects are performed
//! - [`pushes`], [`arrivals`]: what people push, let in and taken into the build
//! - [`commits`]: those of a build, as its journal has them
//! - [`seal_key`], [`attestation`], [`bundle`]: a seal as others may check it, [`bundle_check`] how
//! - [`driver`]: one build, effect by effect
//! - [`questionnaires`]: the answers as they stand
//! - [`generations`], [`interviews`]: contracts and answers that a model shall write
//! - [`held`], [`writer`], [`interviewer`]: one such generation, and how it is written
//! - [`writers`]: claims generations and keeps their leases
//! - [`queue`]: claims builds and keeps their leases
//! - [`usage`]: what a build used
//! - [`verify`]: journal, seal and branch, checked again

pub mod attestation;
pub mod bundle;
pub mod bundle_check;
pub mod commands;
pub mod commits;
pub mod detected_gates;
pub mod error;
pub mod follow_ups;
pub mod generations;
pub mod handle;
pub mod interviews;
pub mod models;
pub mod node;
pub mod paths;
pub mod pushes;
pub mod queue;
pub mod repositories;
pub mod seal_key;
pub mod settings;
pub mod start;
pub mod usage;
pub mod verify;
pub mod writers;

mod agents;
mod arrivals;
mod blocking;
mod branch;
mod driver;
mod gates;
mod held;
mod interviewer;
mod questionnaires;
mod sealing;
mod writer;

pub use error::EngineError;
pub use generations::Wanted;
pub use handle::{Engine, Parts};
pub use node::Node;
pub use paths::Paths;
pub use settings::ProjectSettings;
pub use usage::{BuildUsage, ContractTokens, UsageCounts};
