//! Python: pytest or unittest, by settings and by the tests themselves.

use super::folder::{Draft, Folder, Kind};

/// Files that say what a project needs; one that names pytest settles the question.
const NEEDS: [&str; 7] = [
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "Pipfile",
    "requirements.txt",
    "requirements-dev.txt",
];

/// How commands reach the project's own environment.
struct Runner {
    before: &'static str,
    python: &'static str,
    network: bool,
    by: Option<&'static str>,
}

/// Tests; lints and types where the project has settings for them.
pub fn drafts(folder: &Folder<'_>) -> Vec<Draft> {
    let runner = runner(folder);
    let draft = |kind, command: String, required, what: String| {
        let by =
            runner.by.map_or(String::new(), |file| format!("; {} is there", folder.path(file)));
        let (network, reason) = (runner.network, format!("{what}{by}"));
        Draft { kind, command, required, network, reason }
    };
    let mut drafts = Vec::new();
    if let Some((module, what)) = tests(folder) {
        let command = format!("{} -m {module}", runner.python);
        drafts.push(draft(Kind::Test, command, true, what));
    }
    for (kind, files, table, line) in [
        (Kind::Lint, ["ruff.toml", ".ruff.toml"], "[tool.ruff", "ruff check"),
        (Kind::Types, ["mypy.ini", ".mypy.ini"], "[tool.mypy", "mypy ."),
    ] {
        let named = folder.first(&files).map(|file| format!("{} is there", folder.path(file)));
        let in_project = folder.text("pyproject.toml").contains(table);
        let path = folder.path("pyproject.toml");
        let named = named.or_else(|| in_project.then(|| format!("{path} has {table}]")));
        let command = format!("{}{line}", runner.before);
        drafts.extend(named.map(|what| draft(kind, command, false, what)));
    }
    drafts
}

/// Test runners look below by themselves.
pub fn takes_in_below(folder: &Folder<'_>) -> bool {
    tests(folder).is_some()
}

/// What runs the tests, and what says so.
fn tests(folder: &Folder<'_>) -> Option<(&'static str, String)> {
    const PYTEST: &str = "pytest -q";
    if let Some(file) = folder.first(&["pytest.ini", "conftest.py"]) {
        return Some((PYTEST, format!("{} is there", folder.path(file))));
    }
    let is_test = |file: &&str| {
        let name = file.strip_prefix("tests/").or(file.strip_prefix("test/")).unwrap_or(file);
        let name = name.rsplit('/').next().unwrap_or(name);
        let in_place = *file == name || file.starts_with("tests/") || file.starts_with("test/");
        in_place && name.starts_with("test_") && name.ends_with(".py")
    };
    let test = folder.files().find(is_test);
    let names_pytest = |file: &&str| folder.text(file).contains("pytest");
    match (NEEDS.into_iter().find(names_pytest), test) {
        (Some(file), _) => Some((PYTEST, format!("{} names pytest", folder.path(file)))),
        (None, Some(test)) if folder.text(test).contains("unittest") => {
            // Without `-s` it would look for packages only.
            let module = match test.split_once('/') {
                Some(("tests", _)) => "unittest discover -s tests -t .",
                Some(_) => "unittest discover -s test -t .",
                None => "unittest discover",
            };
            Some((module, format!("{} uses unittest", folder.path(test))))
        }
        (None, Some(test)) => Some((PYTEST, format!("{} is there", folder.path(test)))),
        (None, None) => None,
    }
}

fn runner(folder: &Folder<'_>) -> Runner {
    let environment = folder.ignores(".venv");
    if folder.has("uv.lock") && environment {
        let (before, python) = ("uv run ", "uv run python");
        return Runner { before, python, network: true, by: Some("uv.lock") };
    }
    if folder.has("poetry.lock") {
        // It keeps its environments outside the project unless told otherwise.
        let before = "poetry install -q && poetry run ";
        let python = "poetry install -q && poetry run python";
        return Runner { before, python, network: true, by: Some("poetry.lock") };
    }
    Runner { before: "", python: "python3", network: false, by: None }
}
