//! All rules, in the order in which a newcomer meets them.

mod crates;
mod dependencies;
mod documents;
mod floors;
mod migrations;
mod rings;
mod shape;
mod web_floors;
mod words;

use crate::{Tree, Violation};

/// A rule and its name, as it stands in messages.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// One or two words with a dash.
    pub name: &'static str,
    /// Finds everything in the tree that breaks it.
    pub check: fn(&Tree) -> Vec<Violation>,
}

/// Every rule there is.
pub const RULES: [Rule; 9] = [
    Rule { name: shape::NAME, check: shape::check },
    Rule { name: crates::NAME, check: crates::check },
    Rule { name: floors::NAME, check: floors::check },
    Rule { name: web_floors::NAME, check: web_floors::check },
    Rule { name: rings::NAME, check: rings::check },
    Rule { name: words::NAME, check: words::check },
    Rule { name: migrations::NAME, check: migrations::check },
    Rule { name: dependencies::NAME, check: dependencies::check },
    Rule { name: documents::NAME, check: documents::check },
];
