//! The nine contract types, their order and their formats.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{ContractId, UserId};

/// One of a project's nine contracts, in the order in which they are written.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ContractType {
    /// Principles for all later decisions.
    Manifesto,
    /// What the product does, for whom, and what is out of scope.
    Blueprint,
    /// Languages, frameworks and versions.
    Stack,
    /// Entities and their fields.
    Schema,
    /// The API: every endpoint with its shapes.
    Physics,
    /// Layers, and what may import what.
    Boundaries,
    /// Screens and how they behave.
    Ui,
    /// The work, in numbered phases.
    Phases,
    /// Further instructions for the agents.
    BuilderDirective,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContractFormat {
    Markdown,
    /// YAML 1.2.
    Yaml,
    Json,
}

/// Where the text came from that an agent read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContractSource {
    /// The contracts that the build pinned.
    Snapshot,
    /// The project's current version.
    Project,
    /// The neutral example, because the project has no such contract.
    Template,
}

/// The origin of a contract version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VersionSource {
    Generated,
    /// A template, filled from the questionnaire without a model.
    Draft,
    /// Written or changed by a user.
    Edited,
    Imported,
    /// Part of the bundled demo.
    Demo,
}

/// A contract version as pinned by a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PinnedContract {
    pub id: ContractId,
    #[serde(rename = "type")]
    pub kind: ContractType,
    pub version: u32,
    pub format: ContractFormat,
    pub source: VersionSource,
    /// `None` unless a user wrote it.
    pub author_id: Option<UserId>,
    pub created_at: DateTime<Utc>,
    /// SHA-256 of the content, in hex.
    pub sha256: String,
}

/// How a gap in a contract starts; it ends with `]`.
pub const GAP: &str = "[TODO:";

/// The number of gaps that must be filled in or removed.
pub fn gap_count(text: &str) -> usize {
    text.matches(GAP).count()
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no contract type `{0}`; the nine are {list}", list = ContractType::names().join(", "))]
pub struct UnknownContractType(pub String);

impl ContractType {
    /// In the order in which they are written.
    pub const ALL: [Self; 9] = [
        Self::Manifesto,
        Self::Blueprint,
        Self::Stack,
        Self::Schema,
        Self::Physics,
        Self::Boundaries,
        Self::Ui,
        Self::Phases,
        Self::BuilderDirective,
    ];

    /// The name used in routes, tables and tools.
    pub fn name(self) -> &'static str {
        match self {
            Self::Manifesto => "manifesto",
            Self::Blueprint => "blueprint",
            Self::Stack => "stack",
            Self::Schema => "schema",
            Self::Physics => "physics",
            Self::Boundaries => "boundaries",
            Self::Ui => "ui",
            Self::Phases => "phases",
            Self::BuilderDirective => "builder_directive",
        }
    }

    /// In the order in which they are written.
    pub fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|kind| kind.name()).collect()
    }

    /// The required format of this contract.
    pub fn format(self) -> ContractFormat {
        match self {
            Self::Physics => ContractFormat::Yaml,
            Self::Boundaries => ContractFormat::Json,
            _ => ContractFormat::Markdown,
        }
    }

    /// The file name in exports and bundled examples.
    pub fn file_name(self) -> String {
        let extension = match self.format() {
            ContractFormat::Markdown => "md",
            ContractFormat::Yaml => "yaml",
            ContractFormat::Json => "json",
        };
        format!("{}.{extension}", self.name())
    }
}

impl fmt::Display for ContractType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ContractType {
    type Err = UnknownContractType;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| UnknownContractType(text.chars().take(60).collect()))
    }
}
