//! Settings of test runners, and the scripts in which tests are run.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::test_setup::test_script;

/// How a file takes part in running tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Options of a test runner: which tests run, and what counts as a failure.
    Settings,
    /// It has commands, possibly beside options.
    Commands,
    /// Programs and modules are found under its path before the real ones.
    Shadow,
}

pub(super) fn role(path: &str) -> Option<Role> {
    static SETTINGS: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[
            r"^\.?pytest\.(?:ini|toml)$|^(?:pyproject\.toml|setup\.cfg|conftest\.py|\.coveragerc)$",
            r"^(?:jest|vitest|vite|playwright|cypress|karma|ava|wdio|web-test-runner)[\w.-]*\.(?:[cm]?[jt]s|json)$",
            r"^\.(?:mocharc|taprc|c8rc|nycrc)(?:\.\w+)?$|^\.npmrc$|^bunfig\.toml$|^deno\.jsonc?$",
            r"^(?:Cargo|nextest)\.toml$|^config\.toml$",
            r"^(?:pom\.xml|testng[\w-]*\.xml|junit-platform\.properties|surefire\.properties)$",
            r"^phpunit(?:\.dist)?\.xml(?:\.dist)?$|^\.rspec$|\.runsettings$",
        ])
    });
    static COMMANDS: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[
            r"^(?:package\.json|composer\.json|tox\.ini|noxfile\.py|tasks\.py)$",
            r"^(?:GNUm|M|m)akefile(?:\.\w+)?$|\.mk$|^[Jj]ustfile$|^Taskfile\.ya?ml$|^Rakefile$",
            r"\.(?:sh|bash|zsh|fish|ps1|bat|cmd|gradle|kts)$|^(?:gradlew|mvnw|build|run|test|check)$",
        ])
    });
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if is_shadow(path) {
        return Some(Role::Shadow);
    }
    if folders.split('/').any(|it| matches!(it, "fixtures" | "__fixtures__" | "testdata")) {
        return None;
    }
    if COMMANDS.is_match(name) || is_script(path) {
        return Some(Role::Commands);
    }
    SETTINGS.is_match(name).then_some(Role::Settings)
}

/// A file in a folder of scripts that has no extension.
fn is_script(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    !name.contains('.') && folders.split('/').any(|it| matches!(it, "bin" | "scripts" | "script"))
}

/// As `pytest.py` is found before the installed module, and `node_modules/.bin/jest` before a global
/// one.
fn is_shadow(path: &str) -> bool {
    static MODULE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:src/)?(?:pytest|_pytest|unittest|nose2|xdist|sitecustomize|usercustomize)(?:\.py$|/)",
        )
    });
    path.split('/').any(|folder| folder == "node_modules") || MODULE.is_match(path)
}

/// Whether a line leaves out tests, or makes their failure count as success.
pub(super) fn loosens(role: Role, path: &str, line: &str, section: &str) -> bool {
    if is_comment(line) {
        return false;
    }
    match role {
        Role::Shadow => true,
        Role::Settings => is_loose_option(path, line, section),
        Role::Commands => {
            (runs_tests(line) && (has_selection(line) || is_forced(line)))
                || is_fake_script(line)
                || is_loose_option(path, line, section)
        }
    }
}

/// Whether a line runs tests.
pub(super) fn runs_tests(line: &str) -> bool {
    static RUNNER: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?x)
            \b(?: pytest | py\.test | unittest | nose2 | tox | nox | jest | vitest | mocha | karma
                | gotestsum | ctest | rspec | phpunit | pest | bats | busted | prove )\b
            | \bnode\s(?:.*\s)?--test\b
            | \b(?: deno | bun | dotnet | swift | mix | flutter | dart | go | make | rake | playwright
                | cypress | cargo(?:\s\S+)? )\s+ (?: test | nextest | check )\b
            | \b(?: npm | yarn | pnpm | bun )\s+ (?: run\s+ )? (?: t | test[\w:-]* )(?:\s|$|\W)
            | \bmvnw?\b.*\b(?: test | verify | install | package )\b
            | \bgradlew?\b.*\b(?: test | check | build )\b",
        )
    });
    !is_comment(line) && RUNNER.is_match(line)
}

/// Options that select tests, or list them instead of running them.
fn has_selection(line: &str) -> bool {
    static SELECTION: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[
            r#"(?:^|[\s"'=\[,])(?:-k|--ignore(?:-glob)?|--deselect|--co|--collect-only|--lf|--last-failed|--grep|-g|-t|--fgrep|--invert|--testNamePattern|--test-name-pattern|--test-skip-pattern|--testPathIgnorePatterns|--testPathPattern|--exclude|--exclude-task|--filter|--skip|--no-run|--list|--dry-run|--passWithNoTests|--pass-with-no-tests|--test-only|--only|-run|-E)(?:[\s="',\]]|$)"#,
            r#"\b(?:pytest|py\.test)\b.*\s-m[\s=]|["']-m["']|^\s*-m\s|addopts\s*=.*\s-m\s"#,
            r"-D(?:test|it\.test|skipTests|skipITs|maven\.test\.(?:skip|failure\.ignore))\b",
            r"(?:^|\s)-x\s+test\b|(?:^|\s)--continue\b",
        ])
    });
    SELECTION.is_match(line)
}

/// Whether the line succeeds whatever its commands return.
fn is_forced(line: &str) -> bool {
    static FORCED: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[
            r#"\|\|\s*(?:true|:|exit\s+0|/(?:usr/)?bin/true|echo\b|printf\b|cd\b)"#,
            r#"[;&]\s*(?:true|:|exit\s+0|echo\b[^|;&]*|printf\b[^|;&]*)["',]*\s*$"#,
            // A recipe whose result make ignores, and a pipe, which has the result of its last command.
            r"^\t[@+ ]*-|\|\s*(?:cat|tee|tail|head|grep|sed|awk)\b",
        ])
    });
    FORCED.is_match(line)
}

/// A script of `package.json` that only prints or succeeds.
fn is_fake_script(line: &str) -> bool {
    static FAKE: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^(?:true|:|exit\s+0|(?:echo|printf|cat)\b.*|node\s+(?:-e|-p|--eval|--print)\b.*)$")
    });
    let is_fake = |command: &str| FAKE.is_match(command) && !command.ends_with("exit 1");
    test_script(line).is_some_and(|(_, command)| is_fake(&command) || is_forced(&command))
}

fn is_loose_option(path: &str, line: &str, section: &str) -> bool {
    static PYTHON: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[
            r"^\s*(?:collect_ignore(?:_glob)?|norecursedirs)\s*=",
            r"\bpytest_(?:collection_modifyitems|ignore_collect|collect_file|deselected|itemcollected|pycollect_makeitem|runtest_\w+|pyfunc_call|sessionfinish|report_teststatus|exception_interact)\b",
            r"\b(?:session\.)?exitstatus\s*=[^=]|\boutcome\s*=[^=]",
            r"^\s*xfail_strict\s*=\s*[Ff]alse",
        ])
    });
    static SELECTED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^\s*(?:testpaths|python_files|python_functions|python_classes)\s*[=:]\s*(?P<value>.*)$",
        )
    });
    static SCRIPT: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[
            r#"["']?\b(?:testPathIgnorePatterns|modulePathIgnorePatterns|testNamePattern|passWithNoTests|grep|fgrep|grepInvert|invert|testIgnore|exclude|excludeSpecPattern|dangerouslyIgnoreUnhandledErrors)["']?\s*:\s*[^\s,]"#,
            r"^\s*(?:script-shell|node-options|ignore-scripts)\s*=",
        ])
    });
    static INCLUDED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"["']?\b(?:testMatch|testRegex|spec|include|specPattern|testDir|roots)["']?\s*:\s*(?P<value>.*)$"#,
        )
    });
    static RUST: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[r"^\s*(?:auto)?tests?\s*=\s*false\b", r"^\s*(?:default-filter|runner)\s*="])
    });
    static JVM: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[
            r"<(?:skipTests|skipITs|maven\.test\.skip|testFailureIgnore)>\s*true",
            r"<(?:excludedGroups|groups)>|<exclude>[^<]*(?:[Tt]est|IT\b)",
            r"\b(?:ignoreFailures|failOnNoMatchingTests|failOnNoDiscoveredTests)\b\s*(?:=|\.set\()?\s*(?:true|false)",
            r"\bexcludeTestsMatching\b|\bexcludeTags\b|\bexcludes?\b.*[Tt]est|[Tt]est.*\benabled\s*=\s*false",
        ])
    });
    static DISABLED: LazyLock<Regex> =
        LazyLock::new(|| regex(r"<skip>\s*true|^\s*enabled\s*=\s*false"));
    let name = path.rsplit('/').next().unwrap_or(path);
    let selects = |pattern: &Regex| {
        pattern.captures(line).is_some_and(|found| !is_usual_selection(&found["value"]))
    };
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("json" | "jsonc" | "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "yml" | "yaml") => {
            SCRIPT.is_match(line) || selects(&INCLUDED)
        }
        Some("npmrc") => SCRIPT.is_match(line),
        Some("xml" | "gradle" | "kts" | "properties" | "runsettings") => {
            let is_off = DISABLED.is_match(line) && is_about_tests(section);
            JVM.is_match(line) || is_off
        }
        Some("toml") if matches!(name, "Cargo.toml" | "nextest.toml" | "config.toml") => {
            // A benchmark brings its own program, a test must not.
            let is_own_program = line.trim_start().starts_with("harness") && line.contains("false");
            RUST.is_match(line) || (is_own_program && !section.contains("bench"))
        }
        Some("ini" | "cfg" | "toml" | "py" | "coveragerc") => {
            PYTHON.is_match(line)
                || selects(&SELECTED)
                || (name != "conftest.py" && has_selection(line))
        }
        _ => name.starts_with(".mocharc") && (SCRIPT.is_match(line) || selects(&INCLUDED)),
    }
}

/// What begins a section of a file, whose lines depend on it.
pub(super) fn is_section(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('[') || line.ends_with('{') || line.contains("<artifactId>")
}

/// Of a section of Maven or Gradle; an unknown one counts.
fn is_about_tests(section: &str) -> bool {
    let section = section.to_lowercase();
    let words = ["surefire", "failsafe", "test", "check"];
    section.is_empty() || words.iter().any(|word| section.contains(word))
}

/// Folders and patterns in which tests are by convention, and which leave out none of them.
fn is_usual_selection(value: &str) -> bool {
    let words = value.split(['"', '\'', ',', '[', ']', ' ', '\t', '{', '}', '(', ')', '\\']);
    let is_usual = |word: &str| {
        let word = word.trim_start_matches("./").trim_end_matches('/');
        let is_folder =
            matches!(word, "." | "test" | "tests" | "spec" | "src" | "__tests__" | "e2e");
        let is_open = word.split('/').any(|part| part.starts_with('*'))
            || matches!(word, "test_*.py" | "test_*" | "Test*" | "Test");
        is_folder || is_open
    };
    words.filter(|word| !word.is_empty()).all(is_usual)
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    (line.starts_with('#') && !line.starts_with("#!"))
        || line.starts_with("//")
        || line.starts_with(';')
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("it is a literal")
}

fn set(patterns: &[&str]) -> RegexSet {
    RegexSet::new(patterns).expect("they are literals")
}
