//! What agents may do: rules in layers, and the judgement that follows from them.
//!
//! Rules are policy and not a wall: a script can do what no command line shows. The sandbox is
//! the wall. What cannot be told from a command line is asked about rather than let through.
//!
//! - [`pattern`]: wildcards, and text that nobody knows yet
//! - [`rule`]: a rule and its words
//! - [`defaults`]: the rules that hold where nobody says otherwise
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
pub use rule::{Action, InvalidRule, MOST_RULES, Permission, Rule};
