//! Whether the gates of a project can run on this node.

use std::path::{Path, PathBuf};

use domain::{gate::GateDefinition, gate_programs};
use git::{HostedRepository, Sha};

use super::{error::EngineError, handle::Engine, settings::ProjectSettings};
use crate::store::projects::Project;

/// Something about gates that does not prevent a build from starting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateWarning {
    #[error(
        "the gate {gate} needs {program}, which was not found on this node: install it there, or \
         let the gate's command install it"
    )]
    MissingProgram { gate: String, program: String },
    #[error(
        "no gates are configured, and detection is turned off: only the built-in checks decide \
         about the build"
    )]
    NoGates,
}

impl Engine {
    /// The newest commit of the default branch; `None` if it has none.
    pub(super) async fn default_head(&self, project: &Project) -> Result<Option<Sha>, EngineError> {
        let path = self.paths().hosted(project.id);
        let branch = project.default_branch.clone();
        self.blocking(move || Ok(HostedRepository::open(&path)?.head_of(&branch)?)).await
    }

    /// Looks for the programs of the gates that a build from this commit begins with. Nothing is
    /// executed.
    pub(super) async fn gate_warnings(
        &self,
        project: &Project,
        settings: &ProjectSettings,
        baseline: Option<Sha>,
    ) -> Result<Vec<GateWarning>, EngineError> {
        let (gates, _) = self.gates(project, settings, baseline).await?;
        if gates.is_empty() && !settings.detect_gates {
            return Ok(vec![GateWarning::NoGates]);
        }
        let system = sandbox::SYSTEM_PATH.split(':').map(PathBuf::from);
        let path: Vec<_> = self.parts.toolchains.path.iter().cloned().chain(system).collect();
        self.blocking(move || Ok(missing_programs(&gates, &path))).await
    }
}

fn missing_programs(gates: &[GateDefinition], path: &[PathBuf]) -> Vec<GateWarning> {
    let is_installed = |program: &str| match program.starts_with('/') {
        true => Path::new(program).is_file(),
        false => path.iter().any(|folder| folder.join(program).is_file()),
    };
    let mut missing = Vec::new();
    for GateDefinition { name, command, .. } in gates {
        let programs = gate_programs::programs(command).into_iter();
        missing.extend(
            programs
                .filter(|program| !is_installed(program))
                .map(|program| GateWarning::MissingProgram { gate: name.clone(), program }),
        );
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_are_not_installed_are_named_with_their_gate() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("snake"), "").unwrap();
        let gate = |command: &str| GateDefinition {
            name: "test".to_owned(),
            command: command.to_owned(),
            timeout_s: 60,
            required: true,
            network: false,
            report: None,
            runs_tests: true,
        };
        let path = [folder.path().to_owned()];
        let gates = [gate("cd web && snake test"), gate("viper; ./own; /no/such")];
        let missing = missing_programs(&gates, &path);
        let programs: Vec<_> = missing
            .iter()
            .map(|warning| match warning {
                GateWarning::MissingProgram { program, .. } => program.as_str(),
                GateWarning::NoGates => "none",
            })
            .collect();
        assert_eq!(programs, ["viper", "/no/such"]);
    }
}
