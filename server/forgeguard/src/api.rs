//! The HTTP API: routes, authentication, streams, and the embedded web app.
//!
//! A handler parses and authorises a request, calls the layers below, and wraps the result. Each
//! resource has a file with its handlers and their request and response types. A request never runs
//! an agent: it appends a command and returns.
//!
//! - [`routes`], [`router`], [`layers`]: the route table, and the middleware around it
//! - [`app`]: the state shared by all handlers
//! - [`api_error`], [`error_conversions`]: error responses
//! - [`body`], [`extract`], [`json_value`], [`check`], [`list`], [`idempotency`]: parsing requests
//! - [`auth`], [`identity`], [`key_grant`], [`owned`], [`reviewed`], [`accounts`]: authentication and
//!   access
//! - [`access`]: closing streams when their access ends
//! - [`readiness`]: whether this node can serve
//! - [`mcp`]: the tools, resources and prompts for agents and editors
//! - the rest: one file per resource

pub mod accounts;
pub mod api_error;
pub mod app;
pub mod auth;
pub mod docs;
pub mod forge_keys;
pub mod identity;
pub mod readiness;
pub mod router;
pub mod routes;

mod access;
mod agent_runs;
mod approvals;
mod audit_export;
mod audit_log;
mod backlog;
mod backlog_item;
mod backlog_request;
mod body;
mod branch_deliveries;
mod branch_files;
mod branch_view;
mod branches;
mod build;
mod build_errors;
mod build_questions;
mod build_readiness;
mod builds;
mod builds_overview;
mod check;
mod clarification;
mod clarifications;
mod commands;
mod commits;
mod comparison;
mod contract_snapshots;
mod contract_versions;
mod contracts;
mod control;
mod credentials;
mod demo_speed;
mod detected_gates;
mod device_sign_ins;
mod diff;
mod document;
mod earlier_reviews;
mod email_settings;
mod error_conversions;
mod events;
mod extract;
mod follow_ups;
mod gate_changes;
mod gate_log;
mod gate_reruns;
mod generation;
mod generation_stream;
mod generations;
mod git_body;
mod git_http;
mod idempotency;
mod identities;
mod inbox;
mod installation_settings;
mod interviews;
mod invitations;
mod json_value;
mod key_grant;
mod layers;
mod list;
mod mcp;
mod mcp_context;
mod notepad;
mod open_items;
mod ops;
mod owned;
mod permissions;
mod pictures;
mod project_errors;
mod project_lifecycle;
mod project_settings;
mod project_viewers;
mod projects;
mod provider_account;
mod provider_keys;
mod provider_redirect;
mod provider_sign_in;
mod questionnaires;
mod remote;
mod remote_hooks;
mod remotes;
mod report;
mod requirements;
mod review;
mod review_comments;
mod review_decisions;
mod reviewed;
mod reviews;
mod run_instructions;
mod seal_key;
mod session;
mod sessions;
mod setup;
mod sign_in;
mod sign_in_provider_request;
mod sign_in_providers;
mod spec_documents;
mod specs;
mod start_choices;
mod suggested_answers;
mod suggestions;
mod transcript_message;
mod transcripts;
mod usage;
mod users;
mod verify;
mod viewed_files;
mod web_app;
mod webhook;
mod webhooks;
mod ws;

pub use app::{App, ApprovalPolicy, StreamLimits};
pub use auth::client_address::{ClientAddress, TrustedProxies};
pub use body::BodyTimeout;
pub use generation::{Generation, GenerationAnswers, GenerationContract};
