//! The nine contracts as the rules look at them.

use domain::contract::{ContractFormat, ContractType};

use crate::{
    contract_set::ContractSet,
    contracts::{
        boundaries::{self, Boundaries},
        outline::{Block, outline},
        physics::{self, Physics},
    },
};

/// The nine, read as far as they can be read.
pub(super) struct Reading<'a> {
    pub set: &'a ContractSet,
    pub physics: Option<Physics>,
    pub boundaries: Option<Boundaries>,
    pub outlines: Vec<(ContractType, Vec<Block>)>,
}

impl<'a> Reading<'a> {
    pub fn of(set: &'a ContractSet) -> Self {
        let text = |kind| set.get(kind).content.as_str();
        let markdown = |kind: &ContractType| kind.format() == ContractFormat::Markdown;
        let outlines = ContractType::ALL.into_iter().filter(markdown);
        Self {
            set,
            physics: physics::read(text(ContractType::Physics)).ok(),
            boundaries: boundaries::read(text(ContractType::Boundaries)).ok(),
            outlines: outlines.map(|kind| (kind, outline(text(kind)))).collect(),
        }
    }

    /// A contract's text.
    pub fn text(&self, kind: ContractType) -> &'a str {
        &self.set.get(kind).content
    }

    /// The parts of a Markdown contract; none of another.
    pub fn outline(&self, kind: ContractType) -> &[Block] {
        let found = self.outlines.iter().find(|(of, _)| *of == kind);
        found.map_or(&[], |(_, blocks)| blocks)
    }
}
