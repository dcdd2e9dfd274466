//! Inconsistencies between contracts.

use domain::contract::ContractType;
use serde::Serialize;
use utoipa::ToSchema;

/// An inconsistency between two contracts, or something that one of them leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ContractFinding)]
pub struct Finding {
    /// The rule that is violated.
    pub rule: Rule,
    pub at: Place,
    /// The related place in another contract.
    #[schema(required)]
    pub see: Option<Place>,
    /// What is wrong and how to resolve it.
    pub text: String,
}

/// A line of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[schema(as = ContractPlace)]
pub struct Place {
    pub contract: ContractType,
    /// From 1.
    pub line: usize,
}

/// A rule of the consistency check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ConsistencyRule)]
pub enum Rule {
    /// What the API takes and gives is in the schema.
    EntityInSchema,
    /// What is called is in the API.
    CallInPhysics,
    /// Every endpoint has a phase that builds it.
    EndpointInPhases,
    /// Every screen has a phase that builds it.
    ScreenInPhases,
    /// Layers and what they import are in the stack.
    LayerInStack,
    /// Layers do not import each other in a cycle.
    LayersInOrder,
    /// Phases work inside the layers.
    ScopeInLayers,
    /// Nothing is left to be filled in.
    NoPlaceholder,
    /// Requirements have an id of their own, a priority and a source.
    RequirementForm,
    /// Ids of requirements in the phases are defined in the blueprint.
    RequirementDefined,
    /// Each `must` requirement is covered by a phase and proven by a criterion.
    RequirementProven,
}

impl Rule {
    /// Whether a finding prevents a build.
    pub fn is_blocking(self) -> bool {
        matches!(self, Self::RequirementForm | Self::RequirementDefined | Self::RequirementProven)
    }
}
