//! All tools.

use super::{
    check_syntax::CheckSyntax, delete_file::DeleteFile, discard_files::DiscardFiles,
    edit_file::EditFile, finish_phase::FinishPhase, finish_step::FinishStep,
    forge_ask_clarification::ForgeAskClarification, forge_get_artifact::ForgeGetArtifact,
    forge_get_build_contracts::ForgeGetBuildContracts, forge_get_contract::ForgeGetContract,
    forge_get_phase_brief::ForgeGetPhaseBrief, forge_get_phase_window::ForgeGetPhaseWindow,
    forge_get_project_context::ForgeGetProjectContext,
    forge_get_project_contract::ForgeGetProjectContract, forge_get_summary::ForgeGetSummary,
    forge_list_contracts::ForgeListContracts,
    forge_list_project_contracts::ForgeListProjectContracts, forge_load_skill::ForgeLoadSkill,
    forge_read_notepad::ForgeReadNotepad, forge_scratchpad::ForgeScratchpad,
    forge_store_artifact::ForgeStoreArtifact, git_diff::GitDiff, list_directory::ListDirectory,
    move_file::MoveFile, read_file::ReadFile, run_command::RunCommand, run_tests::RunTests,
    search_code::SearchCode, sign_off::SignOffTool, submit_plan::SubmitPlan, tool::Tool,
    write_file::WriteFile,
};

/// All tools, in the order of their definitions in requests.
pub fn registry() -> &'static [&'static dyn Tool] {
    &[
        &ReadFile,
        &ListDirectory,
        &SearchCode,
        &WriteFile,
        &EditFile,
        &DeleteFile,
        &MoveFile,
        &DiscardFiles,
        &GitDiff,
        &CheckSyntax,
        &RunTests,
        &RunCommand,
        &ForgeGetSummary,
        &ForgeListContracts,
        &ForgeGetContract,
        &ForgeGetProjectContext,
        &ForgeListProjectContracts,
        &ForgeGetProjectContract,
        &ForgeGetBuildContracts,
        &ForgeGetPhaseBrief,
        &ForgeGetPhaseWindow,
        &ForgeScratchpad,
        &ForgeReadNotepad,
        &ForgeAskClarification,
        &ForgeGetArtifact,
        &ForgeStoreArtifact,
        &ForgeLoadSkill,
        &SubmitPlan,
        &FinishStep,
        &FinishPhase,
        &SignOffTool,
    ]
}

pub fn find(name: &str) -> Option<&'static dyn Tool> {
    registry().iter().copied().find(|tool| tool.name().as_str() == name)
}
