//! The tools of each role and mode.

use domain::event::{agents::Role, phases::Mode};

use super::{tool::Effect, tool_name::ToolName};

use Role::{Auditor, Coder, Fixer, Scout};

/// Each tool with its roles.
const TABLE: [(ToolName, &[Role]); 23] = [
    (ToolName::ReadFile, &[Scout, Coder, Auditor, Fixer]),
    (ToolName::ListDirectory, &[Scout, Coder, Auditor, Fixer]),
    (ToolName::SearchCode, &[Scout, Coder, Auditor, Fixer]),
    (ToolName::WriteFile, &[Coder, Fixer]),
    (ToolName::EditFile, &[Coder, Fixer]),
    (ToolName::CheckSyntax, &[Coder, Fixer]),
    (ToolName::RunTests, &[Coder, Fixer]),
    (ToolName::RunCommand, &[Coder, Fixer]),
    (ToolName::ForgeGetSummary, &[Scout, Coder, Auditor]),
    (ToolName::ForgeListContracts, &[Scout, Coder, Auditor]),
    (ToolName::ForgeGetContract, &[Scout, Coder, Auditor]),
    (ToolName::ForgeGetProjectContext, &[Scout, Coder, Auditor]),
    (ToolName::ForgeListProjectContracts, &[Scout, Coder, Auditor]),
    (ToolName::ForgeGetProjectContract, &[Scout, Coder, Auditor]),
    (ToolName::ForgeGetBuildContracts, &[Fixer]),
    (ToolName::ForgeGetPhaseWindow, &[Scout, Coder]),
    (ToolName::ForgeScratchpad, &[Scout, Coder, Auditor, Fixer]),
    (ToolName::ForgeReadNotepad, &[Scout, Coder, Auditor]),
    (ToolName::ForgeAskClarification, &[Scout, Coder]),
    (ToolName::ForgeGetArtifact, &[Scout, Coder, Auditor]),
    (ToolName::ForgeStoreArtifact, &[Scout, Coder, Auditor]),
    (ToolName::ForgeLoadSkill, &[Scout, Coder]),
    (ToolName::ForgeSignOff, &[Auditor]),
];

/// Tools that plan mode allows although they write: they do not change the project.
const ALSO_WHILE_PLANNING: [ToolName; 4] = [
    ToolName::ForgeScratchpad,
    ToolName::ForgeStoreArtifact,
    ToolName::ForgeAskClarification,
    ToolName::ForgeSignOff,
];

/// Whether the role has the tool.
pub fn has(role: Role, tool: ToolName) -> bool {
    TABLE.iter().any(|(name, roles)| *name == tool && roles.contains(&role))
}

/// Whether the mode allows the tool.
pub fn allows(mode: Mode, tool: ToolName, effect: Effect) -> bool {
    mode == Mode::Execute || effect == Effect::Read || ALSO_WHILE_PLANNING.contains(&tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::registry::{find, registry};

    #[test]
    fn table_and_registry_contain_the_same_tools() {
        assert_eq!(TABLE.len(), registry().len());
        for (name, roles) in TABLE {
            assert!(
                registry().iter().any(|tool| tool.name() == name) && !roles.is_empty(),
                "{name}"
            );
        }
    }

    #[test]
    fn only_coder_and_fixer_change_files() {
        for tool in registry() {
            for role in Role::ALL.into_iter().filter(|role| has(*role, tool.name())) {
                let changes = matches!(tool.effect(), Effect::Write | Effect::Execute);
                let may_change =
                    matches!(role, Coder | Fixer) || ALSO_WHILE_PLANNING.contains(&tool.name());
                assert!(!changes || may_change, "{} of {}", tool.name(), role.name());
            }
        }
        for tool in [
            ToolName::WriteFile,
            ToolName::EditFile,
            ToolName::CheckSyntax,
            ToolName::RunTests,
            ToolName::RunCommand,
        ] {
            assert!(has(Coder, tool) && has(Fixer, tool), "{tool}");
        }
    }

    #[test]
    fn plan_mode_does_not_change_the_project() {
        let allowed =
            |name: ToolName| allows(Mode::Plan, name, find(name.as_str()).unwrap().effect());
        for name in
            [ToolName::WriteFile, ToolName::EditFile, ToolName::RunTests, ToolName::RunCommand]
        {
            assert!(!allowed(name), "{name}");
        }
        for name in
            [ToolName::ReadFile, ToolName::ForgeGetProjectContract, ToolName::ForgeStoreArtifact]
        {
            assert!(allowed(name), "{name}");
        }
    }
}
