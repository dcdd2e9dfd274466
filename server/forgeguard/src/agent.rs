//! The model's turn loop: ask, handle_reply, call tools, record, again, until the task is done.
//!
//! Nothing of a run lives in memory alone. Each reply and each tool result is in the journal and in
//! the transcript before the next step, in one transaction; a run that is started again with the
//! same id goes on where its transcript ends.
//!
//! - [`prompt`], [`tokens`]: what an agent is told first, and how long that gets
//! - [`transcript`]: the conversation as it is stored
//! - [`compaction`]: what a conversation is shortened to that became too long
//! - [`protocol`]: what a reply means for the run
//! - [`citations`]: what an auditor's evidence rests on
//! - [`doom_loop`]: the same call again and again
//! - [`turn`], [`ending`]: the events of a reply, and of a run's end
//! - [`dossier`]: what a scout leaves
//! - [`budget_reservations`]: the maximum cost of calls in progress
//! - [`label`], [`reply`]: what a run is called, and one call of the model
//! - [`session`], [`calls`], [`interrupted_calls`]: the loop, and the tool calls within it
//! - [`recording`]: what models said, as a scenario to play again

pub mod budget_reservations;
pub mod compaction;
pub mod doom_loop;
pub mod dossier;
pub mod ending;
pub mod prompt;
pub mod protocol;
pub mod recording;
pub mod run;
pub mod transcript;
pub mod turn;

mod calls;
mod citations;
mod interrupted_calls;
mod label;
mod reply;
mod session;
mod tokens;

pub use budget_reservations::BudgetReservations;
pub use prompt::GateFailure;
pub use run::{AgentError, AgentRun, Look, RunEnd, TURN_CAP};
pub use session::run;
