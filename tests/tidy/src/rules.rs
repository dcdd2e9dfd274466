//! The list of rules.

mod crates;
mod dependencies;
mod documents;
mod import_cycles;
mod layers;
mod migrations;
mod restricted_calls;
mod shape;
mod styles;
mod web_layers;
mod wording;
mod worktrees;

use crate::{Tree, Violation};

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name shown in messages, in kebab case.
    pub name: &'static str,
    /// Finds all violations in the tree.
    pub check: fn(&Tree) -> Vec<Violation>,
}

pub const RULES: [Rule; 12] = [
    Rule { name: shape::NAME, check: shape::check },
    Rule { name: crates::NAME, check: crates::check },
    Rule { name: layers::NAME, check: layers::check },
    Rule { name: web_layers::NAME, check: web_layers::check },
    Rule { name: styles::NAME, check: styles::check },
    Rule { name: import_cycles::NAME, check: import_cycles::check },
    Rule { name: restricted_calls::NAME, check: restricted_calls::check },
    Rule { name: wording::NAME, check: wording::check },
    Rule { name: worktrees::NAME, check: worktrees::check },
    Rule { name: migrations::NAME, check: migrations::check },
    Rule { name: dependencies::NAME, check: dependencies::check },
    Rule { name: documents::NAME, check: documents::check },
];
