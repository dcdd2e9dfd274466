//! The words and the rules of ForgeGuard: what is said about a build, and what follows from it.
//!
//! Knows nothing about I/O, async, clocks, databases or HTTP. Ids and times come in as arguments.
//!
//! - [`ids`], [`text`]: the smallest words
//! - [`gate`], [`budget`], [`failure`], [`plan`]: what a build is given
//! - [`detection`]: gates that a repository itself asks for
//! - [`permission`]: what agents may do
//! - [`contract`], [`questionnaire`]: what is to be built, as nine documents and as answers
//! - [`interview`]: a person and a model talk about that
//! - [`generation`]: what a model writes before anything is built
//! - [`stop_code`], [`event`]: everything that can happen to a build
//! - [`chain`]: how events are hashed and verified
//! - [`markers`], [`phases`]: what agents and the phases contract say in text
//! - [`errors`]: when two errors are one
//! - [`diagnostics`]: what tools complain of, as single errors
//! - [`usage`]: what agents used
//! - [`state`], [`step`], [`decide`]: the build as a pure machine
//! - [`tracking`], [`rounds`]: the events that follow from failures, rounds and endings
//! - [`verdict`], [`seal`]: the words of a seal, and the rules it follows from
//! - [`attestation`]: a seal as others may check it
//! - [`review`]: what people decide about a sealed build, and who may
//! - [`follow_up`]: a build that carries out what they requested
//! - [`audit`]: what is written down for good

pub mod attestation;
pub mod audit;
pub mod budget;
pub mod chain;
pub mod contract;
pub mod decide;
pub mod detection;
pub mod diagnostics;
pub mod errors;
pub mod event;
pub mod failure;
pub mod follow_up;
pub mod gate;
pub mod generation;
pub mod ids;
pub mod interview;
pub mod markers;
pub mod permission;
pub mod phases;
pub mod questionnaire;
pub mod review;
pub mod rounds;
pub mod seal;
pub mod state;
pub mod step;
pub mod stop_code;
pub mod tracking;
pub mod usage;
pub mod verdict;
