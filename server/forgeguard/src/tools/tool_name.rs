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
    DeleteFile,
    MoveFile,
    DiscardFiles,
    GitDiff,
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
    ForgeGetPhaseBrief,
    ForgeGetPhaseWindow,
    ForgeScratchpad,
    ForgeReadNotepad,
    ForgeAskClarification,
    ForgeGetArtifact,
    ForgeStoreArtifact,
    ForgeLoadSkill,
    SubmitPlan,
    FinishStep,
    FinishPhase,
    SignOff,
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
            Self::DeleteFile => "delete_file",
            Self::MoveFile => "move_file",
            Self::DiscardFiles => "discard_files",
            Self::GitDiff => "git_diff",
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
            Self::ForgeGetPhaseBrief => "forge_get_phase_brief",
            Self::ForgeGetPhaseWindow => "forge_get_phase_window",
            Self::ForgeScratchpad => "forge_scratchpad",
            Self::ForgeReadNotepad => "forge_read_notepad",
            Self::ForgeAskClarification => "forge_ask_clarification",
            Self::ForgeGetArtifact => "forge_get_artifact",
            Self::ForgeStoreArtifact => "forge_store_artifact",
            Self::ForgeLoadSkill => "forge_load_skill",
            Self::SubmitPlan => "submit_plan",
            Self::FinishStep => "finish_step",
            Self::FinishPhase => "finish_phase",
            Self::SignOff => "sign_off",
        }
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
