//! The service that builds software under governance.
//!
//! Floors, each standing on the ones below it alone:
//!
//! | floor | module | what it does |
//! |---|---|---|
//! | 6 | [`server`], [`cli`], [`config`], [`telemetry`] | settings, wiring, the command line |
//! | 5 | [`api`], over [`demo`] | routes, accounts, streams, the web app |
//! | 4 | [`engine`] | drives builds |
//! | 3 | [`agent`], [`contracts`] | the model's turn loop; which contract text somebody reads, and whether it fits |
//! | 2 | [`tools`] | what agents can do |
//! | 1 | [`journal`] | every event, appended in one place and followed from anywhere |
//! | 0 | [`store`], [`secret`] | SQL and nothing else; values that are never shown |

pub mod agent;
pub mod api;
pub mod cli;
pub mod config;
pub mod contracts;
pub mod demo;
pub mod engine;
pub mod journal;
pub mod secret;
pub mod server;
pub mod store;
pub mod telemetry;
pub mod tools;

pub use server::{Server, serve};
