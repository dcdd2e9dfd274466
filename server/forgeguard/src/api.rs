//! What the service shows to the outside: routes, accounts, streams, the web app.
//!
//! A handler parses, authorises, calls the floor below and wraps the answer; a file per resource
//! holds its handlers and the shapes that they take and give. A request never runs a turn of an
//! agent: it appends a command and answers.
//!
//! - [`routes`], [`router`]: the route table, and all that is served around it
//! - [`app`]: what every handler can reach
//! - [`problem`], [`refusal`]: how a request is refused
//! - [`body`], [`extract`], [`check`], [`list`], [`idempotency`]: how requests are read
//! - [`auth`], [`identity`], [`owned`], [`reviewed`], [`accounts`]: who asks, and what is theirs
//! - [`layers`]: what surrounds every route
//! - the rest: one file per resource

pub mod accounts;
pub mod app;
pub mod auth;
pub mod docs;
pub mod forge_keys;
pub mod problem;
pub mod router;
pub mod routes;

mod audit_log;
mod body;
mod branch_view;
mod build;
mod build_errors;
mod builds;
mod check;
mod clarification;
mod clarifications;
mod commands;
mod commits;
mod contract_snapshots;
mod contract_versions;
mod contracts;
mod detected_gates;
mod diff;
mod earlier_reviews;
mod events;
mod extract;
mod follow_ups;
mod generation;
mod generation_stream;
mod generations;
mod git_http;
mod idempotency;
mod identity;
mod interviews;
mod invitations;
mod layers;
mod list;
mod notepad;
mod ops;
mod owned;
mod permissions;
mod person;
mod pictures;
mod project_errors;
mod project_settings;
mod project_viewers;
mod projects;
mod questionnaires;
mod refusal;
mod report;
mod review;
mod review_comments;
mod review_decisions;
mod reviewed;
mod reviews;
mod session;
mod sessions;
mod setup;
mod usage;
mod users;
mod verify;
mod web_app;
mod ws;

pub use app::{App, StreamLimits};
pub use generation::{Generation, GenerationAnswers, GenerationContract};
