//! What a contract is written from.

use std::collections::BTreeMap;

use domain::contract::ContractType;

use crate::contracts::brief::Brief;

/// The answers, and the contracts that the project has.
#[derive(Clone, Debug)]
pub struct Material {
    /// What was answered.
    pub brief: Brief,
    /// The newest version of each contract that is there.
    pub texts: BTreeMap<ContractType, String>,
}
