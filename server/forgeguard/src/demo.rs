//! The bundled demo: a small real project with its contracts, and the scenario that builds it.

use domain::{
    contract::{ContractType, VersionSource},
    event::life::Origin,
    gate::GateDefinition,
    ids::{ProjectId, UserId},
};
use llm::{InvalidScenario, Scenario};
use rust_embed::RustEmbed;

use crate::{
    engine::{Engine, EngineError, ProjectSettings},
    store::{
        self,
        contracts::{self, NewContract},
        projects::{self, NewProject},
    },
};

#[derive(RustEmbed)]
#[folder = "../../static/demo"]
struct Demo;

const PROJECT: &str = "project/";
const BRANCH: &str = "main";

/// The offline model's replies in the demo build.
pub fn scenario() -> Result<Scenario, InvalidScenario> {
    Scenario::load(&text("scenario.json"))
}

/// Creates the demo project for a user: a repository with one commit, nine contracts, one gate. The
/// build is started by its owner.
pub async fn create(engine: &Engine, owner: UserId) -> Result<ProjectId, EngineError> {
    let now = store::now();
    let settings = ProjectSettings { gates: vec![gate()], ..ProjectSettings::default() };
    let project = NewProject {
        id: store::new_id(),
        owner_id: owner,
        name: "Shelf".to_owned(),
        description: "A command-line tool that remembers who has which of your books. ForgeGuard \
            brings it along so that you can watch a build from start to seal."
            .to_owned(),
        origin: Origin::Demo,
        default_branch: BRANCH.to_owned(),
        settings: settings.text(),
        created_at: now,
    };
    engine.create_repository(project.id, BRANCH, files()).await?;
    let mut tx = engine.db().write().await?;
    projects::insert(&mut tx, &project).await?;
    for kind in ContractType::ALL {
        let contract = NewContract {
            id: store::new_id(),
            project_id: project.id,
            kind,
            format: kind.format(),
            content: &text(&format!("contracts/{}", kind.file_name())),
            source: VersionSource::Demo,
            author_id: None,
            created_at: now,
        };
        contracts::insert(&mut tx, &contract).await?;
    }
    tx.commit().await?;
    Ok(project.id)
}

fn gate() -> GateDefinition {
    GateDefinition {
        name: "test".to_owned(),
        command: "node --test".to_owned(),
        timeout_s: 120,
        required: true,
        network: false,
        report: None,
        runs_tests: true,
    }
}

/// The project's files by their path in the repository.
fn files() -> Vec<(String, Vec<u8>)> {
    let file = |name: &str| {
        let path = name.strip_prefix(PROJECT)?.to_owned();
        Some((path, Demo::get(name)?.data.into_owned()))
    };
    Demo::iter().filter_map(|name| file(&name)).collect()
}

fn text(name: &str) -> String {
    let file = Demo::get(name).map(|file| file.data.into_owned()).unwrap_or_default();
    String::from_utf8(file).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        contract_set::{ContractSet, ContractText},
        contracts::{consistency, templates::template},
    };
    use domain::contract::ContractSource;

    #[test]
    fn contracts_are_consistent() {
        let own = |kind: ContractType| ContractText {
            kind,
            version: 1,
            source: ContractSource::Project,
            content: text(&format!("contracts/{}", kind.file_name())),
            updated_at: None,
        };
        let texts = ContractType::ALL.map(own).to_vec();
        assert_eq!(consistency::check(&ContractSet::complete(texts, template)), []);
    }

    #[test]
    fn all_files_are_embedded() {
        assert!(scenario().is_ok());
        assert!(files().iter().any(|(path, bytes)| path == "package.json" && !bytes.is_empty()));
        for kind in ContractType::ALL {
            let content = text(&format!("contracts/{}", kind.file_name()));
            assert_eq!(crate::contracts::validate(kind, &content), Ok(()), "{kind}");
        }
        let settings = ProjectSettings { gates: vec![gate()], ..ProjectSettings::default() };
        assert_eq!(settings.validate(), Ok(()));
    }
}
