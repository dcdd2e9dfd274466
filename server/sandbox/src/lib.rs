//! Runs one command under a policy with limits, and terminates its whole process tree afterwards.
//!
//! Three processes take part, all running this executable:
//!
//! - the [`Runner`] in the service checks the [`Policy`], starts a supervisor connected by a
//!   socket, and forwards timeouts and cancellation;
//! - the *supervisor* (`supervisor`) starts the command, enforces the limits that the kernel does
//!   not, adopts orphans, and kills the tree when the command exits, on request, or when the socket
//!   closes because the service died;
//! - the *confined process* (`confine`), inside bubblewrap at the strict level, drops its
//!   privileges, applies Landlock and seccomp, and executes the command.
//!
//! Therefore `main` of the service begins with [`run_helper_if_requested`]. At startup the service
//! calls [`end_leftovers`], then [`probe`] and [`choose`].

#![allow(
    clippy::disallowed_methods,
    reason = "this crate starts processes, and its supervisor is a single thread that may block"
)]

mod bubblewrap;
mod cgroup;
mod confine;
mod descriptor;
mod disk;
mod egress;
mod entry;
mod error;
mod git_pointer;
mod landlock;
mod leftovers;
mod level;
mod memory;
mod memory_budget;
mod outcome;
mod output;
mod plan;
mod policy;
mod privileges;
mod probe;
mod readable_paths;
mod removal;
mod run_dir;
mod runner;
mod seccomp;
mod self_test;
mod supervisor;
mod system;
mod tree;
mod usage_meter;
mod usage_reader;
mod wire;
mod worktree_locks;

pub use egress::{
    AllowedDestination, ConnectError, EgressRules, InvalidDestination, SERVICE_ADDRESS,
};
pub use entry::run_helper_if_requested;
pub use error::SandboxError;
pub use leftovers::{Leftover, end_leftovers};
pub use level::Level;
pub use outcome::{Ending, Outcome};
pub use output::{CappedOutput, OutputChunk};
pub use policy::{Command, Limits, Policy, Toolchains};
pub use probe::{LevelReport, Report, SandboxUnavailable, check, choose, probe};
pub use runner::Runner;
pub use system::PATH as SYSTEM_PATH;
pub use usage_meter::{Load, Reading, UsageMeter};
