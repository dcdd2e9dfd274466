//! The names of all tools.

use std::fmt;

/// A tool, in the order of their definitions in requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolName {
    ReadFile,
    ListDirectory,
    SearchCode,
    WriteFile,
    EditFile,
    CheckSyntax,
    RunTests,
    RunCommand,
    ForgeGetSummary,
    ForgeListContracts,
    ForgeGetContract,
    ForgeGetProjectContext,
    ForgeListProjectContracts,
    ForgeGetProjectContract,
    ForgeGetBuildContracts,
    ForgeGetPhaseWindow,
    ForgeScratchpad,
    ForgeReadNotepad,
    ForgeAskClarification,
    ForgeGetArtifact,
    ForgeStoreArtifact,
    ForgeLoadSkill,
    ForgeSignOff,
}

impl ToolName {
    /// As in requests to models, and in journals.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadFile => "read_file",
            Self::ListDirectory => "list_directory",
            Self::SearchCode => "search_code",
            Self::WriteFile => "write_file",
            Self::EditFile => "edit_file",
            Self::CheckSyntax => "check_syntax",
            Self::RunTests => "run_tests",
            Self::RunCommand => "run_command",
            Self::ForgeGetSummary => "forge_get_summary",
            Self::ForgeListContracts => "forge_list_contracts",
            Self::ForgeGetContract => "forge_get_contract",
            Self::ForgeGetProjectContext => "forge_get_project_context",
            Self::ForgeListProjectContracts => "forge_list_project_contracts",
            Self::ForgeGetProjectContract => "forge_get_project_contract",
            Self::ForgeGetBuildContracts => "forge_get_build_contracts",
            Self::ForgeGetPhaseWindow => "forge_get_phase_window",
            Self::ForgeScratchpad => "forge_scratchpad",
            Self::ForgeReadNotepad => "forge_read_notepad",
            Self::ForgeAskClarification => "forge_ask_clarification",
            Self::ForgeGetArtifact => "forge_get_artifact",
            Self::ForgeStoreArtifact => "forge_store_artifact",
            Self::ForgeLoadSkill => "forge_load_skill",
            Self::ForgeSignOff => "forge_sign_off",
        }
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
