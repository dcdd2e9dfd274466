//! Why a gate failed, where that is not the code's fault: a program is not installed, or memory or
//! disk ran out.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Lines of the end of the output that are searched for a shell's message.
const MAX_LINES: usize = 2_000;

/// What a command can run out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    Memory,
    Disk,
}

impl Resource {
    /// The name shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Disk => "disk space",
        }
    }
}

/// The program that a failed command needs and that is not installed. `None` if there is none, or if
/// it is a file of the project, such as `./gradlew`.
pub fn missing_program(command: &str, exit_code: Option<i32>, output: &str) -> Option<String> {
    let is_shells = matches!(exit_code, Some(126 | 127));
    let lines = || output.lines().rev().take(MAX_LINES).map(str::trim);
    let program = match is_shells || lines().any(reports_missing_program) {
        true => lines().find_map(named_by_shell).or_else(|| {
            let first = is_shells.then(|| first_word(command)).flatten();
            first.filter(|word| !matches!(*word, "sh" | "bash" | "env" | "make"))
        }),
        false => lines().find_map(|line| named_by_launcher(command, line)),
    }?;
    let is_projects = program.contains('/') && !program.starts_with('/');
    (!is_projects).then(|| program.to_owned())
}

/// What a failed command ran out of, according to its exit code and output.
pub fn exhausted_resource(exit_code: Option<i32>, output: &str) -> Option<Resource> {
    const DISK: [&str; 4] =
        ["No space left on device", "Disk quota exceeded", "ENOSPC:", "database or disk is full"];
    const MEMORY: [&str; 8] = [
        "Cannot allocate memory",
        "JavaScript heap out of memory",
        "java.lang.OutOfMemoryError",
        "runtime: out of memory",
        "LLVM ERROR: out of memory",
        "virtual memory exhausted",
        "std::bad_alloc",
        "ENOMEM:",
    ];
    let found = output.lines().find_map(|line| {
        let has = |texts: &[&str]| texts.iter().any(|text| line.contains(text));
        // pytest puts `E` before the lines of an error.
        let error = line.trim_start().trim_start_matches("E ").trim_start();
        let is_python = error.strip_prefix("MemoryError").is_some_and(|rest| {
            let rest = rest.trim_end();
            rest.is_empty() || rest.starts_with(':')
        });
        let is_rust = line.starts_with("memory allocation of ") && line.ends_with(" bytes failed");
        if has(&DISK) {
            return Some(Resource::Disk);
        }
        (is_python || is_rust || has(&MEMORY)).then_some(Resource::Memory)
    });
    // The kernel kills processes with signal 9 when memory runs out.
    found.or_else(|| (exit_code == Some(137)).then_some(Resource::Memory))
}

/// `make` and package managers report the exit code of a command that they ran.
fn reports_missing_program(line: &str) -> bool {
    const PREFIXES: [&str; 4] = ["Error ", "exit code ", "exit status ", "error code "];
    PREFIXES
        .iter()
        .any(|prefix| ["126", "127"].iter().any(|code| line.ends_with(&format!("{prefix}{code}"))))
}

/// The program in a message such as `sh: 1: pytest: not found`.
fn named_by_shell(line: &str) -> Option<&str> {
    const ENDINGS: [&str; 4] = [
        ": not found",
        ": command not found",
        ": Permission denied",
        ": No such file or directory",
    ];
    let message = ENDINGS.iter().find_map(|ending| line.strip_suffix(ending))?;
    let (prefix, name) = message.rsplit_once(": ")?;
    let speaker = prefix.split(':').next().unwrap_or_default();
    let speaker = speaker.rsplit('/').next().unwrap_or_default();
    let is_shells = matches!(speaker, "sh" | "bash" | "dash" | "ash" | "env" | "make")
        || speaker.starts_with("make[");
    let name = name.trim_matches(['\'', '"', '`', '‘', '’']);
    (is_shells && is_program(name)).then_some(name)
}

/// A missing subcommand of cargo, or a missing module that Python was to run.
fn named_by_launcher<'a>(command: &str, line: &'a str) -> Option<&'a str> {
    if let Some((_, name)) = line.split_once("No module named ") {
        let name = name.trim_matches(['\'', '"']);
        return command.contains(&format!("-m {name}")).then_some(name);
    }
    let name = line.strip_prefix("error: no such command: `")?.trim_end_matches('`');
    command.contains(&format!("cargo {name}")).then_some(name)
}

/// The first word of a command that is no assignment.
fn first_word(command: &str) -> Option<&str> {
    let is_assignment = |word: &&str| word.contains('=');
    command.split_whitespace().find(|word| !is_assignment(word)).filter(|word| is_program(word))
}

fn is_program(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._+-/".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_program_is_named_by_the_shells_message() {
        for (command, code, output, expected) in [
            ("pytest -q", 127, "/bin/sh: 1: pytest: not found\n", Some("pytest")),
            ("pytest -q", 127, "/bin/sh: line 1: pytest: command not found", Some("pytest")),
            ("npm test", 127, "> vitest\n\nsh: 1: vitest: not found\n", Some("vitest")),
            (
                "make",
                2,
                "make: cargo: No such file or directory\nmake: *** [Makefile:2: test] Error 127",
                Some("cargo"),
            ),
            (
                "make",
                2,
                "/bin/sh: 1: go: not found\nmake: *** [Makefile:2: test] Error 127",
                Some("go"),
            ),
            ("./run", 127, "/usr/bin/env: ‘node’: No such file or directory", Some("node")),
            ("/opt/x/run", 126, "/bin/sh: 1: /opt/x/run: Permission denied", Some("/opt/x/run")),
            ("CI=1 phpunit 2> /dev/null", 127, "", Some("phpunit")),
            ("python3 -m pytest", 1, "/usr/bin/python3: No module named pytest", Some("pytest")),
            ("cargo nextest run", 101, "error: no such command: `nextest`\n", Some("nextest")),
            // Files of the project.
            ("./gradlew test", 127, "/bin/sh: 1: ./gradlew: not found", None),
            ("scripts/test", 126, "/bin/sh: 1: scripts/test: Permission denied", None),
            // Other failures.
            ("sh -c 'exit 127'", 127, "", None),
            ("npm test", 254, "npm error enoent Could not read package.json: ENOENT", None),
            ("cargo test", 101, "error: could not find `Cargo.toml` in `/x`", None),
            ("pytest", 5, "no tests ran in 0.01s", None),
            ("pytest", 1, "E   ModuleNotFoundError: No module named 'shop'", None),
            ("node --test", 1, "route /users: not found", None),
        ] {
            let found = missing_program(command, Some(code), output);
            assert_eq!(found.as_deref(), expected, "{command}: {output}");
        }
    }

    #[test]
    fn exhausted_resource_is_told_apart_from_a_failed_test() {
        use Resource::{Disk, Memory};
        for (code, output, expected) in [
            (1, "Traceback\n  x = [0] * n\nMemoryError\n", Some(Memory)),
            (1, "E       MemoryError: too large", Some(Memory)),
            (1, "fork: Cannot allocate memory", Some(Memory)),
            (134, "FATAL ERROR: Reached heap limit - JavaScript heap out of memory", Some(Memory)),
            (101, "memory allocation of 99999999999 bytes failed", Some(Memory)),
            (137, "Killed", Some(Memory)),
            (1, "cp: error writing 'a': No space left on device", Some(Disk)),
            (1, "Error: ENOSPC: no space left on device, write", Some(Disk)),
            (1, "assert MemoryErrorHandler is None", None),
            (1, "expected MemoryError, got ValueError", None),
            (1, "1 test failed", None),
        ] {
            assert_eq!(exhausted_resource(Some(code), output), expected, "{output}");
        }
    }
}
