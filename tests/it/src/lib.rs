//! Tests through the real server: its routes over HTTP, its streams, its git.
#![cfg(test)]

mod follower;
mod ground;
mod harness;
mod processes;
mod sealed_build;
mod server_process;
mod watched_build;

mod accounts;
mod audit_log;
mod bad_input;
mod build_errors;
mod bundles;
mod chaos;
mod clarifications;
mod command_line;
mod contracts;
mod cut_short;
mod events;
mod follow_ups;
mod forge_keys;
mod gates;
mod generations;
mod git_http;
mod interviews;
mod many_events;
mod project_viewers;
mod projects;
mod prompt_injection;
mod pushes;
mod questionnaires;
mod real_models;
mod reviews;
mod route_list;
mod scenarios;
mod socket;
mod stream;
mod usage;
mod web_app;
