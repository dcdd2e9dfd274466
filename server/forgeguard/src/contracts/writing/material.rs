//! The inputs of a contract.

use std::collections::BTreeMap;

use domain::contract::ContractType;

use crate::contracts::{brief::Brief, consistency::Finding};

#[derive(Clone, Debug)]
pub struct Material {
    pub brief: Brief,
    /// The newest version of each contract that exists.
    pub texts: BTreeMap<ContractType, String>,
    /// The changes that a user requested.
    pub note: Option<String>,
    /// The findings of the consistency check.
    pub findings: Vec<Finding>,
}

impl Material {
    /// Material without contracts.
    pub fn of(brief: Brief) -> Self {
        Self { brief, texts: BTreeMap::new(), note: None, findings: Vec::new() }
    }

    /// Whether the contract exists already.
    pub fn is_revision(&self, kind: ContractType) -> bool {
        self.texts.contains_key(&kind)
    }
}
