//! The tools that agents call: one registry, one file per tool, one place that checks a call.
//!
//! - [`tool_name`], [`error`], [`tool`], [`context`], [`records`]: the names of tools, the traits, what
//!   they work with, and their errors
//! - [`work_path`], [`worktree`]: validated paths, and access to files
//! - [`phase_changes`]: what the phase has changed so far
//! - [`commands`]: shell commands in the sandbox, for tools and gates
//! - [`skills`]: instructions that agents load on demand
//! - [`roles`]: the tools of each role
//! - [`scope`], [`permit`]: checks of a call by the phase's scope, rules and the user
//! - [`registry`], [`dispatch`]: all tools, and calling them

pub mod commands;
pub mod context;
pub mod dispatch;
pub mod error;
pub mod records;
pub mod registry;
pub mod roles;
pub mod skills;
pub mod syntax;
pub mod tool;
pub mod tool_name;
pub mod work_path;
pub mod worktree;

mod artifact_store;
mod asking;
mod check_syntax;
mod contract_excerpts;
mod contract_labels;
mod delete_file;
mod discard_files;
mod edit_file;
mod file_outline;
pub mod finish_phase;
mod finish_step;
mod forge_ask_clarification;
mod forge_get_artifact;
mod forge_get_build_contracts;
mod forge_get_contract;
mod forge_get_phase_brief;
mod forge_get_phase_window;
mod forge_get_project_context;
mod forge_get_project_contract;
mod forge_get_summary;
mod forge_list_contracts;
mod forge_list_project_contracts;
mod forge_load_skill;
mod forge_read_notepad;
mod forge_scratchpad;
mod forge_store_artifact;
mod git_diff;
mod git_name;
pub mod input;
mod line_changes;
mod list_directory;
mod move_file;
mod permit;
mod phase_changes;
mod read_file;
mod requested_changes;
mod run_command;
mod run_tests;
mod scope;
mod search_code;
pub mod sign_off;
mod stray_files;
mod submit_plan;
mod text_edits;
mod walk;
mod worktree_error;
mod write_file;

#[cfg(test)]
mod fixture;

pub use asking::{Asker, add_question, settled};
pub use commands::{Commands, PreviewSink, ProgramRun, ScratchCopy, ShellLine};
pub use context::{AuditRun, ToolContext};
pub use dispatch::{call, definitions};
pub use error::{Fatal, ToolError};
pub use file_outline::{file_outline, has_more_files_than};
pub use forge_ask_clarification::ask as ask_clarification;
pub use forge_scratchpad::SCRATCHPAD;
pub use phase_changes::{ChangedFile, PhaseChanges};
pub use records::{AgentCall, BuildRecords, Records};
pub use registry::{find, registry};
pub use scope::Scope;
pub use skills::{Skill, skills};
pub use tool::{Done, Effect, RecordsTool, Tool, ToolReply};
pub use tool_name::ToolName;
pub use work_path::{InvalidPath, WorkPath};
pub use worktree::Worktree;
pub use worktree_error::WorktreeError;
