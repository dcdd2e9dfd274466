//! The ForgeGuard service.
//!
//! Its modules are layered; each uses only modules below it:
//!
//! | layer | module | contents |
//! |---|---|---|
//! | 11 | [`cli`] | the commands of the binary |
//! | 10 | [`server`] | wiring from the configuration |
//! | 9 | [`telemetry`] | logging |
//! | 8 | [`config`] | configuration; the only reader of the environment |
//! | 7 | [`api`] | routes, authentication, streams, the embedded web app |
//! | 6 | [`demo`] | the bundled demo project and its build |
//! | 5 | [`engine`] | runs builds |
//! | 4 | [`agent`], [`contracts`] | the agent loop; contract resolution, validation and generation |
//! | 3 | [`tools`] | the tool registry and the tools |
//! | 2 | [`journal`] | appending events and following them |
//! | 1 | [`store`] | SQL |
//! | 0 | [`contract_set`], `redaction`, [`secret`], [`supervision`], [`text`], [`threads`] | the nine contracts of a build; secrets in texts; secret values; restarting of background loops; shortening of texts; blocking work with timeouts |

pub mod agent;
pub mod api;
pub mod cli;
pub mod config;
pub mod contract_set;
pub mod contracts;
pub mod demo;
pub mod engine;
pub mod journal;
mod redaction;
pub mod secret;
pub mod server;
pub mod store;
pub mod supervision;
pub mod telemetry;
pub mod text;
pub mod threads;
pub mod tools;

pub use server::{Server, serve};
