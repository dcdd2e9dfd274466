//! How a criterion of a spec is proven: by a command or test that it names, otherwise by review.

use std::sync::LazyLock;

use regex::Regex;

use super::items::label;
use crate::criterion::{ExitCriterion, ProofType};

/// First words of commands that end and whose exit code says whether something is right.
const PROGRAMS: &[&str] = &[
    "ant",
    "bash",
    "bats",
    "bazel",
    "biome",
    "black",
    "bun",
    "bundle",
    "cabal",
    "cargo",
    "cmake",
    "composer",
    "ctest",
    "dart",
    "deno",
    "diff",
    "dotnet",
    "elixir",
    "eslint",
    "flake8",
    "flutter",
    "git",
    "go",
    "golangci-lint",
    "gradle",
    "grep",
    "hatch",
    "jest",
    "just",
    "lein",
    "make",
    "markdownlint",
    "meson",
    "mix",
    "mocha",
    "mvn",
    "mypy",
    "ninja",
    "node",
    "nox",
    "npm",
    "npx",
    "nx",
    "pdm",
    "perl",
    "phpunit",
    "php",
    "pip",
    "pnpm",
    "poetry",
    "prettier",
    "prove",
    "pyright",
    "pytest",
    "python",
    "python3",
    "rake",
    "rspec",
    "rubocop",
    "ruby",
    "ruff",
    "rustc",
    "sbt",
    "sh",
    "shellcheck",
    "stack",
    "stylelint",
    "swift",
    "swiftlint",
    "task",
    "terraform",
    "test",
    "tox",
    "tsc",
    "turbo",
    "unittest",
    "uv",
    "vitest",
    "yarn",
    "zig",
    "./gradlew",
    "./mvnw",
];

/// Commands that run until they are stopped.
const SERVERS: &[&str] =
    &["start", "serve", "dev", "watch", "--watch", "run dev", "run start", "run serve", "server"];

/// The proof that a criterion declares or names. `details` are the items and code below it.
pub(super) fn of(text: &str, details: &[Detail]) -> ProofType {
    let declared = label(text).map_or_else(|| text.to_owned(), |(_, rest)| rest);
    match ExitCriterion::parse(&declared).map(|criterion| criterion.proof) {
        Ok(ProofType::Test { names }) if names.iter().any(|name| is_file(name)) => {}
        Ok(ProofType::Review) | Err(_) => {}
        Ok(declared) => return declared,
    }
    if let Some(proof) = named_tests(text).or_else(|| command(text)) {
        return proof;
    }
    for detail in details {
        let found = match detail {
            Detail::Text(text) => named_tests(text).or_else(|| labelled_command(text)),
            Detail::Shell(code) => single_command(code),
        };
        if let Some(proof) = found {
            return proof;
        }
    }
    ProofType::Review
}

/// What stands below a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Text(String),
    /// A code block in a shell's language.
    Shell(String),
}

/// Tests: `test: name` is read elsewhere; here code after the word, and code that only a test can be.
fn named_tests(text: &str) -> Option<ProofType> {
    static AFTER_WORD: LazyLock<Regex> = LazyLock::new(|| {
        let word = r"(?:unit |integration |e2e |regression )?tests?|teste?n?|pruebas?|тесты?";
        Regex::new(&format!(
            r"(?i)(?:^|[^\w-])(?:{word})\**\s*(?:named|called)?\s*[:：]?\**\s*((?:`[^`\n]+`(?:\s*(?:,|and|und|et|y|&)\s*)?)+)"
        ))
        .expect("it is a literal")
    });
    let mut names: Vec<String> = Vec::new();
    for found in AFTER_WORD.captures_iter(text) {
        names.extend(codes(&found[1]).filter(|code| is_test_name(code)).map(str::to_owned));
    }
    if names.is_empty() {
        names.extend(codes(text).filter(|code| is_certain_test_name(code)).map(str::to_owned));
    }
    names.dedup();
    (!names.is_empty()).then_some(ProofType::Test { names })
}

fn is_test_name(code: &str) -> bool {
    !is_command(code) && !is_file(code) && code.len() <= 200 && !code.contains(['$', '*', '|', '&'])
}

/// A file is reported by no runner as a test.
fn is_file(code: &str) -> bool {
    static FILE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^[\w@./\\-]*\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|rb|php|cs|swift|dart|exs?|md|json|ya?ml|sh)(?::\d+)*$|/$",
        ).expect("it is a literal")
    });
    FILE.is_match(code)
}

/// `test_a`, also below files and modules; a function in a module of tests; a type `TestA`.
fn is_certain_test_name(code: &str) -> bool {
    let is_name = |part: &str, marks: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || marks.contains(c))
    };
    let parts: Vec<&str> = code.split("::").collect();
    let Some((name, around)) = parts.split_last() else { return false };
    let is_tests = |module: Option<&&str>| matches!(module, Some(&"test" | &"tests"));
    let is_in_tests = is_tests(around.first()) || is_tests(around.last());
    let is_type = around.is_empty()
        && name.strip_prefix("Test").is_some_and(|it| it.starts_with(|c: char| c.is_uppercase()));
    match name.strip_prefix("test_") {
        Some(rest) if is_name(rest, "_") => around.iter().all(|part| is_name(part, "_./-")),
        _ => (is_in_tests || is_type) && parts.iter().all(|part| is_name(part, "_")),
    }
}

/// A command that is all of the text, or of which the text says that it succeeds.
fn command(text: &str) -> Option<ProofType> {
    let mut commands = codes(text).filter(|code| is_command(code));
    if let Some(found) = commands.next() {
        let around = text.replace('`', " ").replace(found, " ");
        let is_alone = !around.chars().any(char::is_alphanumeric);
        let is_joined = text.contains(" — ");
        let is_proof = (is_alone || is_joined || says_success(&around)) && !says_failure(&around);
        return (is_proof && commands.next().is_none()).then(|| of_command(found));
    }
    labelled_command(text).or_else(|| unmarked_command(text))
}

/// `Command: npm test`, with or without backticks.
fn labelled_command(text: &str) -> Option<ProofType> {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^\W*(?:command|run|verify|verified by|verification|check|befehl|commande|comando)\**\s*[:：]\**\s*(.+)$",
        )
        .expect("it is a literal")
    });
    let value = LABEL.captures(text)?.get(1)?.as_str();
    let found = codes(value).next().unwrap_or(value).trim().trim_end_matches('.');
    is_command(found).then(|| of_command(found))
}

/// `npm test passes`, without backticks.
fn unmarked_command(text: &str) -> Option<ProofType> {
    static UNMARKED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^([0-9A-Za-z_./:@=-]+(?: [0-9A-Za-z_./:@=-]+){1,6}?) (?:passes|succeeds|exits (?:with )?(?:code )?0)\b")
            .expect("it is a literal")
    });
    let found = UNMARKED.captures(text)?;
    let is_proof = is_command(&found[1]) && !found[1].starts_with("test ");
    is_proof.then(|| of_command(&found[1]))
}

/// The command of a code block with one line, not counting comments.
fn single_command(code: &str) -> Option<ProofType> {
    let mut lines = commands(code);
    let only = lines.next().filter(|_| lines.next().is_none())?;
    is_command(only).then(|| of_command(only))
}

/// The commands of a code block, without prompts and comments.
pub(super) fn commands(code: &str) -> impl Iterator<Item = &str> {
    let lines = code.lines().map(|line| {
        let line = line.trim();
        line.strip_prefix("$ ").or_else(|| line.strip_prefix("% ")).unwrap_or(line)
    });
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn of_command(command: &str) -> ProofType {
    ProofType::Command { command: command.to_owned() }
}

/// Whether the code is the call of a program that ends by itself.
pub(super) fn is_command(code: &str) -> bool {
    let code = code.trim();
    let mut words = code.split_whitespace();
    // `CI=1 npm test`
    let first = words.find(|word| !word.contains('=') || word.starts_with('-'));
    let Some(first) = first else { return false };
    let is_script = first.starts_with("./") && first.len() > 2
        || [".sh", ".py"].iter().any(|end| first.ends_with(end)) && first.contains('/');
    let has_arguments = words.next().is_some();
    let is_program = PROGRAMS.contains(&first)
        && (has_arguments
            || [
                "make", "pytest", "tox", "tsc", "vitest", "jest", "rspec", "just", "rake", "ctest",
                "phpunit", "mocha",
            ]
            .contains(&first));
    let is_server = SERVERS
        .iter()
        .any(|word| code.ends_with(&format!(" {word}")) || code.contains(&format!(" {word} ")));
    (is_program || is_script) && !is_server && code.len() <= 500 && !code.contains(['\n', '<'])
}

fn says_success(text: &str) -> bool {
    const WORDS: [&str; 37] = [
        "pass",
        "passes",
        "passing",
        "passed",
        "succeed",
        "succeeds",
        "success",
        "successful",
        "successfully",
        "green",
        "clean",
        "cleanly",
        "compiles",
        "builds",
        "works",
        "completes",
        "ok",
        "erfolgreich",
        "fehlerfrei",
        "grün",
        "besteht",
        "bestehen",
        "durch",
        "réussit",
        "réussissent",
        "passe",
        "passent",
        "pasa",
        "pasan",
        "éxito",
        "passa",
        "passam",
        "sucesso",
        "проходит",
        "проходят",
        "успешно",
        "slaagt",
    ];
    const PHRASES: [&str; 16] = [
        "exits 0",
        "exit 0",
        "exit code 0",
        "exits with 0",
        "exits with code 0",
        "code 0",
        "no errors",
        "no error",
        "no warnings",
        "without errors",
        "without error",
        "without warnings",
        "zero errors",
        "sin errores",
        "通过",
        "成功",
    ];
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
        || PHRASES.iter().any(|phrase| lower.contains(phrase))
}

fn says_failure(text: &str) -> bool {
    const PHRASES: [&str; 8] = [
        "fails",
        "fail ",
        "non-zero",
        "nonzero",
        "exits 1",
        "exit code 1",
        "exit 1",
        "schlägt fehl",
    ];
    let lower = text.to_lowercase();
    PHRASES.iter().any(|phrase| lower.contains(phrase))
}

/// What is between backticks.
pub(super) fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|code| !code.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(names: &[&str]) -> ProofType {
        ProofType::Test { names: names.iter().map(|name| (*name).to_owned()).collect() }
    }

    #[test]
    fn commands_and_tests_are_recognised() {
        for (text, proof) in [
            ("`cargo test` passes", of_command("cargo test")),
            ("npm test passes all auth integration tests", of_command("npm test")),
            ("`npx tsc --noEmit` reports no errors", of_command("npx tsc --noEmit")),
            ("`make lint`", of_command("make lint")),
            ("AC-1 — sorted — `go test ./...`", of_command("go test ./...")),
            ("Command: `./scripts/check.sh`", of_command("./scripts/check.sh")),
            ("the size is small — command: npm run size", of_command("npm run size")),
            ("`make test` läuft erfolgreich durch", of_command("make test")),
            ("the list is sorted — test: sorts_by_name", test(&["sorts_by_name"])),
            ("Test: `sorts by name`", test(&["sorts by name"])),
            ("covered by tests `a_b` and `c_d`", test(&["a_b", "c_d"])),
            ("`test_sorted` passes", test(&["test_sorted"])),
            ("`tests/test_a.py::test_b` is green", test(&["tests/test_a.py::test_b"])),
        ] {
            assert_eq!(of(text, &[]), proof, "{text}");
        }
    }

    #[test]
    fn names_that_only_a_test_has_are_recognised() {
        for name in [
            "test_sorted",
            "test_größe",
            "tests/test_a.py::test_b",
            "a::test_b",
            "a::tests::sorts",
            "tests::sorting::sorts",
            "test::sorts",
            "TestSorting",
        ] {
            assert!(is_certain_test_name(name), "{name}");
        }
        let others =
            ["test_", "a b::test_c", "a::sorts", "tests", "Test", "Testing", "a::TestB", ""];
        for name in others {
            assert!(!is_certain_test_name(name), "{name}");
        }
    }

    #[test]
    fn other_texts_are_reviewed() {
        for text in [
            "`npm run dev` starts the server successfully",
            "`cargo test` fails without the change",
            "`curl -X POST http://localhost/x` returns 200",
            "the file `src/a.rs` compiles",
            "Run `make build` and then `make test`; both pass",
            "Test: `auth.test.ts:45`",
            "the page is fast",
            "test data passes through",
        ] {
            assert_eq!(of(text, &[]), ProofType::Review, "{text}");
        }
    }

    #[test]
    fn details_below_a_criterion_prove_it() {
        let shell = |code: &str| of("it works", &[Detail::Shell(code.to_owned())]);
        assert_eq!(shell("# all\n$ npm test\n"), of_command("npm test"));
        assert_eq!(shell("npm ci\nnpm test\n"), ProofType::Review);
        let text = |text: &str| of("it works", &[Detail::Text(text.to_owned())]);
        assert_eq!(text("Command: `npx tsc`"), of_command("npx tsc"));
        assert_eq!(text("Test: `charges_four`"), test(&["charges_four"]));
    }
}
