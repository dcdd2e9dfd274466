//! The programs that the command of a gate starts.

use crate::permission::{command_line, pattern::HOLE};

/// Words that shells run themselves.
const BUILT_IN: [&str; 16] = [
    ".", ":", "[", "cd", "echo", "eval", "exec", "exit", "export", "false", "printf", "set",
    "test", "true", "ulimit", "unset",
];

/// Each program once, in the order of the line. Files of the project, such as `./gradlew`, and what
/// is known only while the line runs are left out.
pub fn programs(command: &str) -> Vec<String> {
    let mut programs: Vec<String> = Vec::new();
    for part in command_line::parts(command) {
        let Some(name) = part.split_whitespace().next() else { continue };
        let program = with_path(command, name);
        let is_projects = program.contains('/') && !program.starts_with('/');
        let is_plain = !program.contains([HOLE, '=', '$', '\'']);
        let is_known = BUILT_IN.contains(&name) || programs.iter().any(|it| it == program);
        if is_plain && !is_projects && !is_known {
            programs.push(program.to_owned());
        }
    }
    programs
}

/// The program as the line writes it: the commands of a line begin with names only.
fn with_path<'a>(command: &'a str, name: &'a str) -> &'a str {
    let mut words = command.split(|c: char| c.is_whitespace() || "'\"();&|".contains(c));
    let is_path = |word: &&str| word.rsplit_once('/').is_some_and(|(_, last)| last == name);
    words.find(is_path).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_a_line_are_found_once() {
        for (line, expected) in [
            ("cargo test --locked", vec!["cargo"]),
            ("cd web && npm ci && npm test", vec!["npm"]),
            ("./gradlew test", vec![]),
            ("/opt/bin/check .", vec!["/opt/bin/check"]),
            ("echo begun; ruff check . | tee log", vec!["ruff", "tee"]),
            ("$RUNNER test", vec![]),
        ] {
            assert_eq!(programs(line), expected, "{line}");
        }
    }
}
