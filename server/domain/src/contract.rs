//! The nine contract types, their order and their formats.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One of the nine documents of a project, in the order in which they are written.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ContractType {
    /// Principles that every later decision answers to.
    Manifesto,
    /// What the product does, for whom, and what it does not.
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
    /// The work, cut into numbered phases.
    Phases,
    /// What the builder must know beyond the other eight.
    BuilderDirective,
}

/// How the content of a contract is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContractFormat {
    /// CommonMark.
    Markdown,
    /// YAML 1.2.
    Yaml,
    /// JSON.
    Json,
}

/// Where a contract text that somebody read came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContractSource {
    /// The frozen set that the build pinned.
    Snapshot,
    /// The project's current version.
    Project,
    /// The neutral example: the project has no such contract.
    Template,
}

/// How one version of a contract came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VersionSource {
    /// A model wrote it.
    Generated,
    /// A template, filled from the questionnaire without a model.
    Draft,
    /// A person wrote or changed it.
    Edited,
    /// It was made elsewhere.
    Imported,
    /// It belongs to the bundled demo.
    Demo,
}

/// The text is none of the nine contract types.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no contract type `{0}`; the nine are {list}", list = ContractType::names().join(", "))]
pub struct UnknownContractType(pub String);

impl ContractType {
    /// All nine, in order.
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

    /// The names of all nine, in order.
    pub fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|kind| kind.name()).collect()
    }

    /// The one format that this contract is written in.
    pub fn format(self) -> ContractFormat {
        match self {
            Self::Physics => ContractFormat::Yaml,
            Self::Boundaries => ContractFormat::Json,
            _ => ContractFormat::Markdown,
        }
    }

    /// The usual file name, for exports and bundled examples.
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
