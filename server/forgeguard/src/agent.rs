//! The agent loop: request a reply, interpret it, call tools, record, and repeat until the task is
//! done.
//!
//! No state of a run is only in memory. Each reply and each tool result is stored in the journal and
//! in the transcript, in one transaction, before the next step. A run that is restarted with the same
//! id continues where its transcript ends.
//!
//! - [`briefing`], [`prompt`]: the first message, and what it says
//! - [`transcript`]: the stored conversation
//! - [`compaction`]: shortening a conversation that became too long
//! - [`protocol`]: the effect of a reply on the run
//! - [`citations`]: checks of an auditor's evidence
//! - [`doom_loop`]: detection of repeated calls
//! - [`turn`], [`ending`]: the events of a reply, and of the end of a run
//! - [`dossier`]: the scout's report
//! - [`budget_reservations`]: the maximum cost of calls in progress
//! - [`label`], [`reply`]: the label of a run, and one call of the model
//! - [`run_loop`], [`calls`], [`tool_calls`], [`interrupted_calls`]: the loop, and the tool calls
//!   within it
//! - [`external`]: runs of external coding agents, in place of the loop
//! - [`own_editor`]: runs whose work a user does
//! - [`runs`]: the runs of a build, for display
//! - [`recording`]: the replies of a build's models, as a scenario that can be replayed

pub mod briefing;
pub mod budget_reservations;
pub mod compaction;
pub mod doom_loop;
pub mod dossier;
pub mod ending;
pub mod external;
pub mod own_editor;
pub mod prompt;
pub mod protocol;
pub mod recording;
pub mod run;
pub mod runs;
pub mod transcript;
pub mod turn;

mod calls;
mod citations;
mod interrupted_calls;
mod label;
mod reply;
mod run_loop;
mod tool_calls;

pub use budget_reservations::BudgetReservations;
pub use external::{AgentHome, ExternalAgent, Installed, installed};
pub use run::{AgentError, AgentRun, DEFAULT_MAX_TURNS, GateFailure, IsOvertaken, RunEnd};
pub use run_loop::run;
