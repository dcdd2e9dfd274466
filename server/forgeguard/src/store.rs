//! SQL: the tables, their statements, and database connections.
//!
//! A file per family of tables. Each function runs one statement that serves both databases, rarely a
//! few, on the `&mut Conn` of its caller, who opens the transaction and commits it. On SQLite, writes of
//! the journal are sent together with the next statement or the commit, which return their errors.

pub mod agent_messages;
pub mod artifacts;
pub mod audit_log;
pub mod backlog_items;
pub mod backlogs;
pub mod blobs;
pub mod branch_deliveries;
pub mod build_errors;
pub mod build_phases;
pub mod build_projection;
pub mod build_questions;
pub mod builds;
pub mod builds_overview;
pub mod checkpoints;
pub mod clarifications;
pub mod contracts;
pub mod credentials;
pub mod deliveries;
pub mod email_preferences;
pub mod events;
pub mod fetches;
pub mod forge_keys;
pub mod gate_reruns;
pub mod generation_drafts;
pub mod generations;
pub mod idempotency;
pub mod identities;
pub mod inbox;
pub mod installation_settings;
pub mod interview_runs;
pub mod interviews;
pub mod invitations;
pub mod leases;
pub mod list_stamps;
pub mod local_repositories;
pub mod node_heartbeats;
pub mod notes;
pub mod notifications;
pub mod pending_sign_ins;
pub mod project_artifacts;
pub mod project_errors;
pub mod project_slugs;
pub mod project_viewers;
pub mod projects;
pub mod provider_keys;
pub mod questionnaires;
pub mod remotes;
pub mod review_comments;
pub mod reviews;
pub mod sealed_secrets;
pub mod seals;
pub mod sessions;
pub mod sign_in_providers;
pub mod smtp_settings;
pub mod specs;
pub mod users;
pub mod viewed_files;
pub mod webhooks;
pub mod work_items;

mod conn;
mod db;
mod deferred;
pub mod demo_speeds;
pub mod device_sign_ins;
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
pub use notify::{commit_and_notify, notify};
pub use stamp::{new_id, now};
pub use statement::Difference;
