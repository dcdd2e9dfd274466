//! SQL and nothing else: tables, the statements on them, and the connection they run on.
//!
//! A file per family of tables, each function one statement that serves both databases and takes
//! the connection as `&mut Conn`; the caller opens the transaction and decides when it commits.

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
pub mod interview_runs;
pub mod interviews;
pub mod invitations;
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

pub use conn::{Conn, Tx};
pub use db::Db;
pub use error::{Error, Result};
pub use notify::notify;
pub use stamp::{new_id, now};
