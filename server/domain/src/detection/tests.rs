//! Small repositories, and the gates that they suggest.

use super::*;

/// Files by path; `name, command, required, network` of what they suggest.
fn suggested(files: &[(&str, &str)]) -> Vec<(String, String, bool, bool)> {
    proposals(files)
        .into_iter()
        .map(|found| (found.gate.name, found.gate.command, found.gate.required, found.gate.network))
        .collect()
}

fn proposals(files: &[(&str, &str)]) -> Vec<ProposedGate> {
    let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let read = |path: &str| {
        files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
    };
    propose(&paths, read)
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[(&str, &str, bool, bool)]) {
    let found = suggested(files);
    let found: Vec<_> = found.iter().map(|(n, c, r, w)| (n.as_str(), c.as_str(), *r, *w)).collect();
    assert_eq!(found, expected);
}

const NPM_CI: &str = "flock package.json sh -c 'test node_modules/.package-lock.json -nt \
    package-lock.json || npm ci --no-audit --no-fund' && ";

#[test]
fn nothing_suggests_nothing() {
    check(&[], &[]);
    check(&[("README.md", "# Hello"), ("src/a.txt", "")], &[]);
}

#[test]
fn rust_by_its_manifest_and_settings() {
    check(&[("Cargo.toml", "[package]\nname = \"a\"\n")], &[("test", "cargo test", true, false)]);
    check(
        &[("Cargo.toml", "[package]\n[dependencies]\nserde = \"1\"\n"), ("rustfmt.toml", "")],
        &[("test", "cargo test", true, true), ("format", "cargo fmt --all --check", false, false)],
    );
    check(
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n[workspace.lints.rust]\n"),
            ("a/Cargo.toml", "[package]\n"),
        ],
        &[
            ("test", "cargo test --workspace", true, true),
            ("lint", "cargo clippy --workspace --all-targets", false, true),
        ],
    );
}

#[test]
fn node_by_its_scripts_and_lock_file() {
    check(
        &[("package.json", r#"{"scripts": {"test": "node --test"}}"#)],
        &[("test", "npm test", true, false)],
    );
    let nothing = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    check(&[("package.json", nothing)], &[]);
    check(&[("package.json", "{ this is no JSON")], &[]);
    let whole = r#"{"scripts": {"test": "vitest", "lint": "eslint .", "typecheck": "tsc"},
        "devDependencies": {"vitest": "4"}}"#;
    let ignored = (".gitignore", "/node_modules/\n");
    let gates = |install: &str, name: &str| {
        [
            ("test", format!("{install}CI=true {name} test"), true),
            ("types", format!("{install}{name} run typecheck"), true),
            ("lint", format!("{install}{name} run lint"), false),
        ]
    };
    for (lock, install, name) in [
        ("package-lock.json", NPM_CI, "npm"),
        ("pnpm-lock.yaml", "flock package.json pnpm install --frozen-lockfile && ", "pnpm"),
        ("yarn.lock", "flock package.json yarn install --frozen-lockfile && ", "yarn"),
        (
            "none",
            "flock package.json npm install --no-audit --no-fund --no-package-lock && ",
            "npm",
        ),
    ] {
        let expected = gates(install, name);
        let expected: Vec<_> =
            expected.iter().map(|(n, c, r)| (*n, c.as_str(), *r, true)).collect();
        check(&[("package.json", whole), (lock, ""), ignored], &expected);
    }
    let found = suggested(&[("package.json", whole), ("package-lock.json", "")]);
    assert_eq!(found[0].1, "CI=true npm test", "what git would commit is not installed");
    assert!(!found[0].3);
}

#[test]
fn node_by_its_types_and_workspaces() {
    let typed = r#"{"devDependencies": {"typescript": "6"}}"#;
    check(
        &[("package.json", typed), ("tsconfig.json", "{}")],
        &[("types", "npx --no-install tsc --noEmit", false, false)],
    );
    check(
        &[
            ("package.json", r#"{"workspaces": ["web"], "packageManager": "npm@11.0.0"}"#),
            ("web/package.json", r#"{"scripts": {"test": "node --test"}}"#),
        ],
        &[("test", "npm test --workspaces --if-present", true, false)],
    );
    let modern =
        r#"{"scripts": {"test": "x"}, "packageManager": "yarn@4.1.0", "dependencies": {"a": "1"}}"#;
    check(
        &[("package.json", modern), ("yarn.lock", ""), (".gitignore", "node_modules")],
        &[("test", "flock package.json yarn install --immutable && yarn test", true, true)],
    );
}

#[test]
fn python_by_its_settings_and_tests() {
    let pytest = ("test", "python3 -m pytest -q", true, false);
    check(&[("pytest.ini", "")], &[pytest]);
    check(&[("pyproject.toml", "[tool.pytest.ini_options]\n")], &[pytest]);
    check(&[("requirements-dev.txt", "pytest==9\n")], &[pytest]);
    check(&[("tests/test_a.py", "def test_a(): ...")], &[pytest]);
    check(
        &[("tests/test_a.py", "import unittest\n")],
        &[("test", "python3 -m unittest discover -s tests -t .", true, false)],
    );
    check(&[("src/a.py", ""), ("lib/test_tools/test_x.py", "")], &[]);
    check(
        &[
            (
                "pyproject.toml",
                "[dependency-groups]\ndev = [\"pytest\"]\n[tool.ruff.lint]\n[tool.mypy]\n",
            ),
            ("uv.lock", ""),
            (".gitignore", ".venv/\n"),
        ],
        &[
            ("test", "uv run python -m pytest -q", true, true),
            ("lint", "uv run ruff check", false, true),
            ("types", "uv run mypy .", false, true),
        ],
    );
}

#[test]
fn the_other_stacks() {
    check(
        &[("go.mod", "module a\nrequire b v1\n")],
        &[("test", "go test ./...", true, true), ("lint", "go vet ./...", false, true)],
    );
    check(&[("pom.xml", "<project/>")], &[("test", "mvn -B -q test", true, true)]);
    check(
        &[("build.gradle.kts", ""), ("gradlew", "")],
        &[("test", "sh ./gradlew --no-daemon test", true, true)],
    );
    check(
        &[("App.sln", ""), ("App/App.csproj", ""), ("App.Tests/App.Tests.csproj", "")],
        &[("test", "dotnet test", true, true)],
    );
    check(&[("App.csproj", "")], &[("build", "dotnet build", true, true)]);
    check(&[("A.sln", ""), ("B.sln", ""), ("A.csproj", "")], &[]);
}

#[test]
fn make_speaks_where_nothing_else_does() {
    let makefile = ".PHONY: test\ncheck test: build\n\tgo test\ntest := 1\n";
    check(&[("Makefile", makefile)], &[("test", "make test", true, false)]);
    check(&[("Makefile", "check:\n\ttrue\n")], &[("test", "make check", true, false)]);
    check(&[("Makefile", "test := 1\nall:\n\ttest:\n#test: no\n")], &[]);
    check(
        &[("Makefile", makefile), ("Cargo.toml", "[package]")],
        &[("test", "cargo test", true, false)],
    );
    check(
        &[("Makefile", makefile), ("server/Cargo.toml", "[package]")],
        &[("test", "make test", true, false)],
    );
}

#[test]
fn folders_right_below_have_gates_of_their_own() {
    let package = r#"{"scripts": {"test": "node --test"}}"#;
    check(
        &[
            ("server/Cargo.toml", "[package]"),
            ("web/package.json", package),
            ("web/app/package.json", package),
            ("node_modules/a/package.json", package),
            (".hidden/package.json", package),
            ("My App/package.json", package),
            ("$(touch x)/package.json", package),
            ("-rf/package.json", package),
        ],
        &[
            ("server-test", "cd server && cargo test", true, false),
            ("web-test", "cd web && npm test", true, false),
        ],
    );
}

#[test]
fn names_differ_and_every_gate_is_valid() {
    let package = r#"{"scripts": {"test": "t", "lint": "l", "types": "y"}}"#;
    let both = [("Cargo.toml", "[package]"), ("package.json", package)];
    check(
        &both,
        &[
            ("test", "cargo test", true, false),
            ("node-test", "npm test", true, false),
            ("types", "npm run types", true, false),
            ("lint", "npm run lint", false, false),
        ],
    );
    let many: Vec<String> =
        (0..30).map(|n| format!("A_Very.Long_Name_Of_A_Folder{n:02}/package.json")).collect();
    let many: Vec<_> = many.iter().map(|path| (path.as_str(), package)).collect();
    let found = proposals(&many);
    assert_eq!(found.len(), MAX_GATES);
    let names: HashSet<_> = found.iter().map(|found| found.gate.name.as_str()).collect();
    assert_eq!(names.len(), MAX_GATES, "{names:?}");
    for proposal in found {
        assert_eq!(proposal.gate.validate(), Ok(()), "{proposal:?}");
        assert!(!proposal.reason.is_empty());
    }
}

#[test]
fn says_what_was_found() {
    let files = [("web/package.json", r#"{"scripts": {"test": "t"}}"#), ("web/pnpm-lock.yaml", "")];
    let reasons: Vec<_> = proposals(&files).into_iter().map(|found| found.reason).collect();
    assert_eq!(reasons, ["web/package.json has a script test; web/pnpm-lock.yaml says pnpm"]);
}

const PLAIN: &str = r#"{"scripts": {"test": "node --test"}}"#;

fn changed(known: &[(&str, &str)], replaceable: &[&str], files: &[(&str, &str)]) -> Vec<String> {
    let gate = |(name, command): &(&str, &str)| GateDefinition {
        name: (*name).to_owned(),
        command: (*command).to_owned(),
        ..proposals(&[("package.json", PLAIN)])[0].gate.clone()
    };
    let known: Vec<GateDefinition> = known.iter().map(gate).collect();
    let is_replaceable = |name: &str| replaceable.contains(&name);
    let changes = changes(&known.iter().collect::<Vec<_>>(), is_replaceable, proposals(files));
    changes.iter().map(|it| format!("{}: {}", it.gate.name, it.gate.command)).collect()
}

#[test]
fn later_detection_adds_what_is_new_and_keeps_what_a_person_has_defined() {
    let node = ("package.json", PLAIN);
    let rust = ("Cargo.toml", "[package]\n");
    assert_eq!(changed(&[], &[], &[node]), ["test: npm test"]);
    assert!(changed(&[("test", "npm test")], &["test"], &[node]).is_empty());
    assert!(changed(&[("test", "make check")], &[], &[node]).is_empty());
    // The name is taken by a command that is still proposed.
    assert_eq!(changed(&[("test", "npm test")], &["test"], &[rust, node]), ["test-2: cargo test"]);
    // Nothing is removed.
    assert!(changed(&[("test", "npm test")], &["test"], &[]).is_empty());
}

#[test]
fn later_detection_replaces_the_command_of_a_gate_that_it_proposed_before() {
    let installs = [
        ("package.json", r#"{"scripts": {"test": "a"}, "devDependencies": {"a": "1"}}"#),
        ("package-lock.json", ""),
        (".gitignore", "node_modules\n"),
    ];
    let command = format!("test: {NPM_CI}npm test");
    assert_eq!(changed(&[("test", "npm test")], &["test"], &installs), [command]);
}
