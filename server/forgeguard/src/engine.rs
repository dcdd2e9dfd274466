//! Runs builds: performs the effects that `domain::decide` returns and appends the results.
//!
//! A request never runs any of this: it appends a command, and the worker of the build finds it in
//! the journal.
//!
//! - [`paths`], [`node`]: the data directory, and the identity of this node
//! - [`models`]: the models of each role
//! - [`settings`], [`installation`]: settings of projects and of the installation
//! - [`error`]: errors of commands and effects
//! - [`handle`]: the engine's handle for the rest of the service
//! - [`repositories`]: hosted repositories and working clones
//! - [`detected_gates`]: gates suggested by a repository
//! - [`readiness`]: prerequisites of a build
//! - [`start`], [`follow_ups`], [`commands`]: users' commands
//! - [`branch`], [`gates`], [`agents`], [`audits`], [`sealing`], [`blocking`]: how effects are performed
//! - [`deliverables`]: what shows the deliverables of a build
//! - [`mutant_files`]: small changes to the code that a build added
//! - [`test_comparison`], [`weakened_tests`]: which tests a build added, changed or weakened
//! - [`push_slots`]: limits on concurrent pushes
//! - [`pushes`], [`arrivals`]: receiving users' pushes, and merging them into a running build
//! - [`repack_queue`], [`repacking`]: repacking repositories in the background
//! - [`commits`]: the recorded commits of a build
//! - [`seal_key`], [`statement`], [`attestation`], [`bundle`], [`bundle_check`]: signed seals, and their verification
//! - [`driver`], [`outage`]: one build, effect by effect, and its behaviour while nothing can be written
//! - [`questionnaires`]: the current answers of a project
//! - [`generations`], [`interviews`]: commands for contracts and answers written by a model
//! - [`generation_run`], [`writer`], [`interviewer`]: how they are written
//! - [`queue`], [`build_worker`], [`generation_worker`]: the lease queues and their workers
//! - [`usage`]: the usage of a build
//! - [`verify`]: verification of a build and everything stored about it

pub mod attestation;
pub mod build_worker;
pub mod bundle;
pub mod bundle_check;
pub mod commands;
pub mod commits;
mod confirmations;
pub mod detected_gates;
pub mod error;
pub mod follow_ups;
pub mod generation_worker;
pub mod generations;
pub mod handle;
pub mod installation;
pub mod interviews;
pub mod models;
pub mod node;
pub mod paths;
pub mod push_slots;
pub mod pushes;
pub mod readiness;
pub mod repacking;
pub mod repositories;
pub mod seal_key;
pub mod settings;
pub mod start;
pub mod usage;
pub mod verify;

mod agents;
mod arrivals;
mod audits;
mod blocking;
mod branch;
mod bundle_attestations;
mod checkouts;
mod deliverables;
mod driver;
mod gates;
mod generation_run;
mod interrupted_steps;
mod interviewer;
mod lease_watch;
mod mutant_files;
mod outage;
mod questionnaires;
mod queue;
mod repack_queue;
mod sealing;
mod statement;
mod test_comparison;
mod weakened_tests;
mod writer;

pub use error::EngineError;
pub use generations::Wanted;
pub use handle::{Engine, Parts};
pub use installation::InstallationSettings;
pub use node::Node;
pub use paths::Paths;
pub use push_slots::{PushLimits, PushSlot};
pub use settings::ProjectSettings;
pub use usage::{BuildUsage, ContractTokens, UsageCounts};
