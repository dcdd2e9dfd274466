//! What the command line asks for.

use clap::Parser;

/// Measures ForgeGuard and prints a table. Ratios are taken within one run.
#[derive(Clone, Debug, Parser)]
#[command(name = "bench")]
pub struct Options {
    /// Measure only what has this in its name; may be given again
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Smaller numbers, shorter times: a look, not a measurement
    #[arg(long)]
    pub quick: bool,
    /// Exit with 1 when a target is missed
    #[arg(long)]
    pub strict: bool,
}

impl Options {
    /// Whether this part is wanted.
    pub fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.contains(only.as_str()))
    }

    /// One of two amounts.
    pub fn amount<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}
