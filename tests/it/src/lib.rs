//! Tests through the real server: its routes over HTTP, its streams, its git.
#![cfg(test)]

mod demo_build;
mod follower;
mod harness;
mod processes;
mod server_process;

mod accounts;
mod bad_input;
mod chaos;
mod command_line;
mod contracts;
mod events;
mod forge_keys;
mod gates;
mod git_http;
mod many_events;
mod projects;
mod questionnaires;
mod real_models;
mod route_list;
mod scenarios;
mod socket;
mod stream;
mod usage;
mod web_app;
