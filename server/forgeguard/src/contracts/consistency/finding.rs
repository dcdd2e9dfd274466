//! What is found, and where.

use domain::contract::ContractType;
use serde::Serialize;
use utoipa::ToSchema;

/// Something in which two contracts disagree, or that one of them leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ContractFinding)]
pub struct Finding {
    /// Which rule it goes against.
    pub rule: Rule,
    /// Where to look.
    pub at: Place,
    /// The other side, where there is one.
    #[schema(required)]
    pub see: Option<Place>,
    /// What is the matter and what would settle it, in plain words.
    pub text: String,
}

/// A line of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[schema(as = ContractPlace)]
pub struct Place {
    /// Which of the nine.
    pub contract: ContractType,
    /// From 1.
    pub line: usize,
}

/// What contracts must agree in.
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
    /// Layers do not import each other in a circle.
    LayersInOrder,
    /// Phases work inside the layers.
    ScopeInLayers,
    /// Nothing is left to be filled in.
    NoPlaceholder,
}
