//! The store on both databases: a story, and a file of tests per family of tables.
#![cfg(test)]

mod accounts;
mod artifacts;
mod audit_log;
mod backlog;
mod branch_deliveries;
mod build_errors;
mod build_questions;
mod builds;
mod clarifications;
mod contracts;
mod events;
mod fetches;
mod generations;
mod interviews;
mod list_stamps;
mod migrations;
mod notes;
mod project_errors;
mod projects;
mod questionnaires;
mod reviews;
mod rows;
mod snapshots;
mod story;
mod users;
mod work_items;
