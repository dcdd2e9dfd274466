//! Splits a shell line into its simple commands, using the Bash grammar of tree-sitter.
//!
//! Only syntax that Bash and POSIX shells read the same way is interpreted. For everything else
//! `is_uncertain` is set. If a line has a syntax error, every sequence of its words counts as a
//! command.

mod reader;
mod redirections;
mod syntax;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub(super) use reader::read;
