//! SQL: the tables, their statements, and database connections.
//!
//! A file per family of tables. Each function runs one statement that serves both databases, on the
//! `&mut Conn` of its caller, who opens the transaction and commits it.

pub mod agent_messages;
pub mod artifacts;
pub mod audit_log;
pub mod blobs;
pub mod build_errors;
pub mod build_phases;
pub mod builds;
pub mod checkpoints;
pub mod clarifications;
pub mod contracts;
pub mod events;
pub mod forge_keys;
pub mod generation_drafts;
pub mod generations;
pub mod idempotency;
pub mod installation_settings;
pub mod interview_runs;
pub mod interviews;
pub mod invitations;
pub mod leases;
pub mod node_heartbeats;
pub mod notes;
pub mod project_errors;
pub mod project_viewers;
pub mod projects;
pub mod questionnaires;
pub mod review_comments;
pub mod reviews;
pub mod seals;
pub mod sessions;
pub mod users;
pub mod work_items;

mod conn;
mod db;
mod error;
mod field;
mod migrations;
mod notify;
mod stamp;
mod statement;
mod tcp_nodelay;

pub use conn::{Conn, Tx};
pub use db::{Db, scratch};
pub use error::{Error, Result};
pub use notify::notify;
pub use stamp::{new_id, now};
pub use statement::Difference;
