//! What agents may do: rules in layers, and the judgement that follows from them.
//!
//! Rules are a policy, not isolation: a script can do what no command line shows, and the sandbox
//! confines it. If a command line is uncertain, the user is asked.
//!
//! - [`pattern`]: wildcards, and text that is unknown before the command runs
//! - [`rule`]: a rule and its words
//! - [`defaults`]: the built-in rules
//! - [`shell`], [`wrappers`], [`command_line`]: the commands that a shell line would run
//! - [`judge`]: layers of rules, and what they say

pub mod command_line;
pub mod defaults;
pub mod judge;
pub mod pattern;
pub mod rule;

mod shell;
mod wrappers;

pub use defaults::built_in;
pub use judge::{Judged, Judgement, Layer, Layers, judge};
pub use rule::{Action, InvalidRule, MAX_RULES, Permission, Rule};
