//! All tools.

use super::{
    check_syntax::CheckSyntax, edit_file::EditFile, forge_ask_clarification::ForgeAskClarification,
    forge_get_phase_window::ForgeGetPhaseWindow,
    forge_get_project_contract::ForgeGetProjectContract, forge_scratchpad::ForgeScratchpad,
    list_directory::ListDirectory, read_file::ReadFile, run_command::RunCommand,
    run_tests::RunTests, search_code::SearchCode, tool::Tool, write_file::WriteFile,
};

/// All of them, in the order in which models are told of them.
pub fn registry() -> &'static [&'static dyn Tool] {
    &[
        &ReadFile,
        &ListDirectory,
        &SearchCode,
        &WriteFile,
        &EditFile,
        &CheckSyntax,
        &RunTests,
        &RunCommand,
        &ForgeGetProjectContract,
        &ForgeGetPhaseWindow,
        &ForgeScratchpad,
        &ForgeAskClarification,
    ]
}

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static dyn Tool> {
    registry().iter().copied().find(|tool| tool.name() == name)
}
