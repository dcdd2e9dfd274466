//! Commands and runners of CI workflows, read line by line: the syntax differs, but every command
//! has a line of its own.

use super::{file::RepositoryFile, manifest::Located};

/// The beginnings of commands that run tests, as whole words.
const TEST_COMMANDS: [&str; 46] = [
    "npm test",
    "npm run test",
    "npm t",
    "pnpm test",
    "pnpm run test",
    "pnpm -r test",
    "yarn test",
    "yarn run test",
    "bun test",
    "bun run test",
    "deno test",
    "npx vitest",
    "npx jest",
    "node --test",
    "cargo test",
    "cargo nextest run",
    "go test",
    "gotestsum",
    "pytest",
    "python -m pytest",
    "python3 -m pytest",
    "python -m unittest",
    "python3 -m unittest",
    "python manage.py test",
    "uv run pytest",
    "poetry run pytest",
    "pipenv run pytest",
    "hatch test",
    "tox",
    "nox",
    "mvn test",
    "mvn verify",
    "./mvnw test",
    "./mvnw verify",
    "./gradlew test",
    "./gradlew check",
    "bundle exec rspec",
    "bin/rails test",
    "composer test",
    "dotnet test",
    "bundle exec rake test",
    "vendor/bin/phpunit",
    "make test",
    "make check",
    "just test",
    "task test",
];

/// The first command that runs tests in the root directory and needs no variable.
pub fn test_command(file: &RepositoryFile) -> Option<Located<String>> {
    let lines: Vec<_> = file.lines().collect();
    let mut steps = lines.chunk_by(|_, (_, next)| !next.trim_start().starts_with("- "));
    steps.find_map(|step| {
        let is_in_folder = step.iter().any(|(_, line)| line.contains("working-directory:"));
        let mut commands = step.iter().map(|(number, line)| (*number, command(line)));
        let found = commands.find(|(_, command)| !is_in_folder && is_test_command(command));
        found.map(|(number, command)| Located::new(command.to_owned(), number))
    })
}

/// The system of all runners, and the first line that names it; `None` if they differ or depend on a
/// variable.
pub fn system(file: &RepositoryFile) -> Option<Located<&'static str>> {
    let runners = file.lines().filter_map(|(number, line)| {
        let runner =
            line.trim().strip_prefix("runs-on:")?.trim().trim_matches(['"', '\'', '[', ']']);
        let known = [("ubuntu", "Linux"), ("macos", "macOS"), ("windows", "Windows")];
        let system = known.into_iter().find(|(name, _)| runner.starts_with(name));
        Some((system.map(|(_, system)| system), number))
    });
    let runners: Vec<_> = runners.collect();
    let (system, line) = *runners.first()?;
    let is_unanimous = runners.iter().all(|(other, _)| *other == system);
    system.filter(|_| is_unanimous).map(|system| Located::new(system, line))
}

/// The command on a line: of a `run` key, of an item of a script, or of a block.
fn command(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix("- ").unwrap_or(line).trim_start();
    let line = line.strip_prefix("run:").unwrap_or(line).trim();
    let unquoted = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    unquoted.unwrap_or(line)
}

fn is_test_command(command: &str) -> bool {
    let is_complete = !command.contains('$') && !command.ends_with('\\');
    let starts_with = |known: &&str| {
        let rest = command.strip_prefix(*known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    is_complete && TEST_COMMANDS.iter().any(starts_with)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workflow(text: &str) -> RepositoryFile {
        RepositoryFile { path: ".github/workflows/ci.yml".into(), text: text.into() }
    }

    #[test]
    fn test_command_is_the_first_that_runs_at_the_root() {
        for (text, expected) in [
            ("    steps:\n      - run: npm ci\n      - run: npm test\n", Some(("npm test", 3))),
            (
                "- name: Test\n  run: |\n    set -e\n    cargo test --all\n",
                Some(("cargo test --all", 4)),
            ),
            ("test:\n  script:\n    - pytest -q\n", Some(("pytest -q", 3))),
            (
                "- run: npm test\n  working-directory: web\n- run: go test ./...\n",
                Some(("go test ./...", 3)),
            ),
            ("- run: npm test -- --shard=${{ matrix.shard }}\n", None),
            ("- run: npm tests\n- run: echo npm test\n", None),
        ] {
            let found = test_command(&workflow(text));
            let found = found.as_ref().map(|found| (found.value.as_str(), found.line));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn system_is_the_one_that_all_runners_have() {
        for (text, expected) in [
            ("runs-on: ubuntu-latest\nruns-on: ubuntu-24.04\n", Some(("Linux", 1))),
            ("\n  runs-on: [windows-latest]\n", Some(("Windows", 2))),
            ("runs-on: ubuntu-latest\nruns-on: macos-14\n", None),
            ("runs-on: ubuntu-latest\nruns-on: ${{ matrix.os }}\n", None),
            ("on: push\n", None),
        ] {
            let found = system(&workflow(text)).map(|found| (found.value, found.line));
            assert_eq!(found, expected, "{text}");
        }
    }
}
