//! Specs of projects: what a new version changes.

use domain::{
    contract::{ContractType, VersionSource},
    ids::UserId,
    spec::ParsedSpec,
    validation::ValidationError,
};

use super::{error::EngineError, settings::ProjectSettings};
use crate::{
    contracts::from_spec::{self, GATE},
    store::{
        self, Conn,
        contracts::{self, NewContract},
        projects::{self, Project},
        specs::{self, Spec},
    },
};

/// What a new version of a spec has changed.
pub struct AppliedSpec {
    pub spec: Spec,
    /// Contracts with a new version.
    pub contracts: Vec<ContractType>,
    /// The command of the gate that it requires.
    pub test_command: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The project's settings do not permit the gate of the test command.
    #[error(transparent)]
    Settings(ValidationError),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<store::Error> for SpecError {
    fn from(error: store::Error) -> Self {
        Self::Engine(error.into())
    }
}

/// Stores a valid spec as the next version, and writes the contracts, the gate and the red check that
/// follow from it.
pub async fn apply(
    tx: &mut Conn,
    project: &Project,
    author: UserId,
    parsed: &ParsedSpec,
    text: &str,
) -> Result<AppliedSpec, SpecError> {
    let now = store::now();
    let spec = specs::insert(tx, project.id, text, author, now).await?;
    let derived = from_spec::contracts(&parsed.spec, text);
    let current = contracts::list_current(tx, project.id).await?;
    let mut written = Vec::new();
    for (kind, content) in derived.texts() {
        if current.iter().any(|it| it.kind == kind && it.content == content) {
            continue;
        }
        let contract = NewContract {
            id: store::new_id(),
            project_id: project.id,
            kind,
            format: kind.format(),
            content,
            source: VersionSource::Imported,
            author_id: Some(author),
            created_at: now,
        };
        contracts::insert(tx, &contract).await?;
        written.push(kind);
    }
    let mut settings = ProjectSettings::read(&project.settings).map_err(EngineError::from)?;
    let before = settings.clone();
    settings.gates.retain(|gate| gate.name != GATE);
    settings.gates.extend(derived.gate.clone());
    settings.red_check |= derived.needs_red_check;
    if settings != before {
        settings.validate().map_err(SpecError::Settings)?;
        projects::set_settings(tx, project.id, &settings.text(), now).await?;
    }
    let test_command = derived.gate.map(|gate| gate.command);
    Ok(AppliedSpec { spec, contracts: written, test_command })
}
