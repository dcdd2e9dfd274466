//! The tools of each role and mode.

use domain::event::{agents::Role, phases::Mode};

use super::{tool::Effect, tool_name::ToolName};

use Role::{Auditor, Coder, Fixer, Scout};

/// Each tool with its roles. Tools without a role are for other agents, which are given the registry.
const TABLE: [(ToolName, &[Role]); 31] = [
    (ToolName::ReadFile, &[Scout, Coder, Auditor, Fixer]),
    (ToolName::ListDirectory, &[Scout, Coder, Auditor, Fixer]),
    (ToolName::SearchCode, &[Scout, Coder, Auditor, Fixer]),
    (ToolName::WriteFile, &[Coder, Fixer]),
    (ToolName::EditFile, &[Coder, Fixer]),
    (ToolName::DeleteFile, &[Coder, Fixer]),
    (ToolName::MoveFile, &[Coder, Fixer]),
    (ToolName::DiscardFiles, &[Coder, Fixer]),
    (ToolName::GitDiff, &[Coder, Auditor, Fixer]),
    (ToolName::CheckSyntax, &[Coder, Fixer]),
    (ToolName::RunTests, &[Coder, Auditor, Fixer]),
    (ToolName::RunCommand, &[Coder, Auditor, Fixer]),
    (ToolName::ForgeGetSummary, &[]),
    (ToolName::ForgeListContracts, &[]),
    (ToolName::ForgeGetContract, &[]),
    (ToolName::ForgeGetProjectContext, &[]),
    (ToolName::ForgeListProjectContracts, &[]),
    (ToolName::ForgeGetProjectContract, &[Scout, Coder, Auditor]),
    (ToolName::ForgeGetBuildContracts, &[Fixer]),
    (ToolName::ForgeGetPhaseBrief, &[Scout, Coder, Auditor, Fixer]),
    (ToolName::ForgeGetPhaseWindow, &[]),
    (ToolName::ForgeScratchpad, &[Scout, Coder, Auditor, Fixer]),
    (ToolName::ForgeReadNotepad, &[Scout, Coder, Auditor]),
    (ToolName::ForgeAskClarification, &[Scout, Coder]),
    (ToolName::ForgeGetArtifact, &[]),
    (ToolName::ForgeStoreArtifact, &[]),
    (ToolName::ForgeLoadSkill, &[Scout, Coder]),
    (ToolName::SubmitPlan, &[Coder]),
    (ToolName::FinishStep, &[Coder]),
    (ToolName::FinishPhase, &[Coder, Fixer]),
    (ToolName::SignOff, &[Auditor]),
];

/// Tools that plan mode allows although they write: they do not change the project.
const ALSO_WHILE_PLANNING: [ToolName; 5] = [
    ToolName::ForgeScratchpad,
    ToolName::ForgeStoreArtifact,
    ToolName::ForgeAskClarification,
    ToolName::SubmitPlan,
    ToolName::SignOff,
];

/// Whether the role has the tool.
pub fn has(role: Role, tool: ToolName) -> bool {
    TABLE.iter().any(|(name, roles)| *name == tool && roles.contains(&role))
}

/// Whether the mode allows the role the tool. An auditor runs commands in a copy of the files.
pub fn allows(role: Role, mode: Mode, tool: ToolName, effect: Effect) -> bool {
    mode == Mode::Execute
        || effect == Effect::Read
        || (role == Auditor && effect == Effect::Execute)
        || ALSO_WHILE_PLANNING.contains(&tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::registry::{find, registry};

    #[test]
    fn table_and_registry_contain_the_same_tools() {
        assert_eq!(TABLE.len(), registry().len());
        for (name, _) in TABLE {
            assert!(registry().iter().any(|tool| tool.name() == name), "{name}");
        }
    }

    #[test]
    fn only_coder_and_fixer_change_files() {
        for tool in registry() {
            for role in Role::ALL.into_iter().filter(|role| has(*role, tool.name())) {
                let changes = matches!(tool.effect(), Effect::Write | Effect::Execute);
                let runs_in_copy = role == Auditor && tool.effect() == Effect::Execute;
                let may_change = matches!(role, Coder | Fixer)
                    || runs_in_copy
                    || ALSO_WHILE_PLANNING.contains(&tool.name());
                assert!(!changes || may_change, "{} of {}", tool.name(), role.name());
            }
        }
        for tool in [
            ToolName::WriteFile,
            ToolName::EditFile,
            ToolName::DeleteFile,
            ToolName::MoveFile,
            ToolName::DiscardFiles,
            ToolName::GitDiff,
            ToolName::CheckSyntax,
            ToolName::RunTests,
            ToolName::RunCommand,
        ] {
            assert!(has(Coder, tool) && has(Fixer, tool), "{tool}");
        }
    }

    #[test]
    fn plan_mode_does_not_change_the_project() {
        let allowed = |role: Role, name: ToolName| {
            allows(role, Mode::Plan, name, find(name.as_str()).unwrap().effect())
        };
        for role in Role::ALL {
            for name in [ToolName::WriteFile, ToolName::EditFile] {
                assert!(!allowed(role, name), "{name}");
            }
            for name in [ToolName::RunTests, ToolName::RunCommand] {
                assert_eq!(allowed(role, name), role == Auditor, "{name}");
            }
            for name in [
                ToolName::ReadFile,
                ToolName::ForgeGetProjectContract,
                ToolName::ForgeStoreArtifact,
            ] {
                assert!(allowed(role, name), "{name}");
            }
        }
    }
}
