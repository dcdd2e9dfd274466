//! The tools of each role and mode.

use domain::event::{agents::Role, phases::Mode};

use super::tool::Effect;

use Role::{Auditor, Coder, Fixer, Scout};

/// Each tool with its roles.
const TABLE: [(&str, &[Role]); 22] = [
    ("read_file", &[Scout, Coder, Auditor, Fixer]),
    ("list_directory", &[Scout, Coder, Auditor, Fixer]),
    ("search_code", &[Scout, Coder, Auditor, Fixer]),
    ("write_file", &[Coder, Fixer]),
    ("edit_file", &[Coder, Fixer]),
    ("check_syntax", &[Coder, Fixer]),
    ("run_tests", &[Coder, Fixer]),
    ("run_command", &[Coder, Fixer]),
    ("forge_get_summary", &[Scout, Coder, Auditor]),
    ("forge_list_contracts", &[Scout, Coder, Auditor]),
    ("forge_get_contract", &[Scout, Coder, Auditor]),
    ("forge_get_project_context", &[Scout, Coder, Auditor]),
    ("forge_list_project_contracts", &[Scout, Coder, Auditor]),
    ("forge_get_project_contract", &[Scout, Coder, Auditor]),
    ("forge_get_build_contracts", &[Fixer]),
    ("forge_get_phase_window", &[Scout, Coder]),
    ("forge_scratchpad", &[Scout, Coder, Auditor, Fixer]),
    ("forge_read_notepad", &[Scout, Coder, Auditor]),
    ("forge_ask_clarification", &[Scout, Coder]),
    ("forge_get_artifact", &[Scout, Coder, Auditor]),
    ("forge_store_artifact", &[Scout, Coder, Auditor]),
    ("forge_load_skill", &[Scout, Coder]),
];

/// Tools that plan mode allows although they write: they do not change the project.
const ALSO_WHILE_PLANNING: [&str; 3] =
    ["forge_scratchpad", "forge_store_artifact", "forge_ask_clarification"];

/// Whether the role has the tool.
pub fn has(role: Role, tool: &str) -> bool {
    TABLE.iter().any(|(name, roles)| *name == tool && roles.contains(&role))
}

/// Whether the mode allows the tool.
pub fn allows(mode: Mode, tool: &str, effect: Effect) -> bool {
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
            assert!(find(name).is_some() && !roles.is_empty(), "{name}");
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
        for tool in ["write_file", "edit_file", "check_syntax", "run_tests", "run_command"] {
            assert!(has(Coder, tool) && has(Fixer, tool), "{tool}");
        }
    }

    #[test]
    fn plan_mode_does_not_change_the_project() {
        let allowed = |name: &str| allows(Mode::Plan, name, find(name).unwrap().effect());
        for name in ["write_file", "edit_file", "run_tests", "run_command"] {
            assert!(!allowed(name), "{name}");
        }
        for name in ["read_file", "forge_get_project_contract", "forge_store_artifact"] {
            assert!(allowed(name), "{name}");
        }
    }
}
