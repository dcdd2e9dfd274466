//! Runs one command under a policy with limits, and sees its whole tree of processes end.
//! It does not know who asks.
//!
//! Three processes take part, all of them this program:
//!
//! - the [`Runner`] in the service checks the [`Policy`], starts a supervisor over a socket, and
//!   passes on time and cancellation;
//! - the *supervisor* (`supervisor`) starts the command, watches over what the kernel does not
//!   limit, adopts every orphan, and ends the tree when the command ends, when it is told to, or
//!   when the socket closes because the service died;
//! - the *confined process* (`confine`), inside bubblewrap at the strict level, drops its
//!   powers, puts up Landlock and seccomp, and becomes the command.
//!
//! So `main` of the service begins with [`supervise_if_asked`]. At start the service calls
//! [`end_leftovers`], then [`probe`] and [`choose`].

#![allow(
    clippy::disallowed_methods,
    reason = "it starts processes, and its supervisor is one thread that may wait"
)]

mod bubblewrap;
mod carve;
mod confine;
mod disk;
mod entry;
mod error;
mod git_pointer;
mod landlock;
mod leftovers;
mod level;
mod outcome;
mod output;
mod plan;
mod policy;
mod privileges;
mod probe;
mod run_dir;
mod runner;
mod seccomp;
mod supervisor;
mod system;
mod tree;
mod trial;
mod wire;

pub use entry::supervise_if_asked;
pub use error::SandboxError;
pub use leftovers::{Leftover, end_leftovers};
pub use level::Level;
pub use outcome::{Ending, Outcome};
pub use output::{CappedOutput, OUTPUT_CAP, OutputChunk};
pub use policy::{Command, Limits, Policy};
pub use probe::{Finding, Report, SandboxUnavailable, choose, probe};
pub use runner::Runner;
