//! What a contract is written from.

use std::collections::BTreeMap;

use domain::contract::ContractType;

use crate::contracts::{brief::Brief, consistency::Finding};

#[derive(Clone, Debug)]
pub struct Material {
    pub brief: Brief,
    /// The newest version of each contract that exists.
    pub texts: BTreeMap<ContractType, String>,
    /// What a user wants to be changed.
    pub note: Option<String>,
    /// What the consistency check found in the existing contracts.
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
