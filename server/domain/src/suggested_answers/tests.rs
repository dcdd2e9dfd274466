//! Small repositories, and the answers that they suggest.

use proptest::prelude::*;

use super::*;
use crate::questionnaire::{Answer, Answers, Kind};

fn files(files: &[(&str, &str)]) -> Vec<RepositoryFile> {
    let file = |(path, text): &(&str, &str)| RepositoryFile {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    };
    files.iter().map(file).collect()
}

/// `question: answer (path:line)` of each suggestion.
fn suggested(repository: &[(&str, &str)]) -> Vec<String> {
    let paths: Vec<String> = repository.iter().map(|(path, _)| (*path).to_owned()).collect();
    suggest(&files(repository), &paths)
        .iter()
        .map(|it| format!("{}: {} ({}:{})", it.question, it.answer, it.path, it.line))
        .collect()
}

#[test]
fn nothing_suggests_nothing() {
    assert_eq!(suggested(&[]), [""; 0]);
    assert_eq!(suggested(&[("README.md", "# Hello\n"), ("package.json", "no JSON")]), [""; 0]);
}

#[test]
fn javascript_by_its_manifest_workflow_and_services() {
    let manifest = r#"{
  "name": "tally",
  "description": "Counts votes",
  "engines": { "node": ">=20" },
  "scripts": { "test": "node --test" },
  "dependencies": {
    "express": "^4.18.2",
    "pg": "8"
  }
}"#;
    let workflow = "jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test -- --verbose\n";
    let compose = "services:\n  cache:\n    image: redis:7\n";
    assert_eq!(
        suggested(&[
            ("package.json", manifest),
            (".github/workflows/ci.yml", workflow),
            ("docker-compose.yml", compose),
            ("Dockerfile", "# app\nFROM node:20\n"),
        ]),
        [
            "summary: Counts votes (package.json:3)",
            "language: JavaScript (package.json:6)",
            "frameworks: Node.js 20 or newer (package.json:4)",
            "frameworks: Express 4.18.2 (package.json:7)",
            "storage: PostgreSQL (package.json:8)",
            "style: HTTP with JSON (package.json:7)",
            "target: A container (Dockerfile:2)",
            "system: Linux (.github/workflows/ci.yml:3)",
            "test_command: npm test -- --verbose (.github/workflows/ci.yml:5)",
        ]
    );
}

#[test]
fn typescript_by_its_dependency_and_lock_file() {
    let manifest = "{\"scripts\": {\"test\": \"vitest\"},\n\"devDependencies\": {\n\"typescript\": \"5\",\n\"react-dom\": \"19\"}}";
    assert_eq!(
        suggested(&[("package.json", manifest), ("pnpm-lock.yaml", "")]),
        [
            "language: TypeScript (package.json:3)",
            "kind: A web page (package.json:4)",
            "test_command: pnpm test (package.json:1)",
        ]
    );
}

#[test]
fn rust_service_takes_precedence_over_the_manifest_of_its_tools() {
    let cargo = "[workspace]\n[workspace.package]\nrust-version = \"1.85\"\n[workspace.dependencies]\naxum = \"0.8\"\n\
        sqlx = { version = \"0.9\", features = [\"sqlite\", \"postgres\"] }\nclap = \"4\"\n";
    let readme = "# Tally\n\nTally counts the votes of a club.\n";
    assert_eq!(
        suggested(&[
            ("package.json", "{\"name\": \"tools\", \"scripts\": {\"test\": \"x\"}}"),
            ("Cargo.toml", cargo),
            ("README.md", readme),
        ]),
        [
            "summary: Tally counts the votes of a club. (README.md:3)",
            "language: Rust (Cargo.toml:1)",
            "frameworks: Rust 1.85 (Cargo.toml:3)",
            "frameworks: axum 0.8 (Cargo.toml:5)",
            "frameworks: SQLx 0.9 (Cargo.toml:6)",
            "frameworks: clap 4 (Cargo.toml:7)",
            "storage: PostgreSQL (Cargo.toml:6)",
            "style: HTTP with JSON (Cargo.toml:5)",
            "test_command: cargo test --workspace (Cargo.toml:1)",
        ]
    );
}

#[test]
fn python_by_project_table_poetry_and_requirements() {
    let project = "[project]\nrequires-python = \">=3.12\"\ndescription = \"Counts\"\ndependencies = [\n  \"fastapi>=0.115\",\n  \"psycopg[binary]\",\n]\n\
        [dependency-groups]\ndev = [\"pytest>=8\"]\n";
    assert_eq!(
        suggested(&[("pyproject.toml", project)]),
        [
            "summary: Counts (pyproject.toml:3)",
            "language: Python (pyproject.toml:1)",
            "frameworks: Python 3.12 or newer (pyproject.toml:2)",
            "frameworks: FastAPI 0.115 or newer (pyproject.toml:5)",
            "frameworks: pytest 8 or newer (pyproject.toml:9)",
            "storage: PostgreSQL (pyproject.toml:6)",
            "style: HTTP with JSON (pyproject.toml:5)",
            "test_command: pytest (pyproject.toml:9)",
        ]
    );
    let poetry =
        "[tool.poetry]\n[tool.poetry.dependencies]\npython = \"^3.11\"\nDjango = \"^5.1\"\n";
    assert_eq!(
        suggested(&[("pyproject.toml", poetry), ("requirements.txt", "-r base.txt\npymongo\n")]),
        [
            "language: Python (pyproject.toml:1)",
            "frameworks: Python 3.11 (pyproject.toml:3)",
            "frameworks: Django 5.1 (pyproject.toml:4)",
            "storage: MongoDB (requirements.txt:2)",
            "kind: A web page (pyproject.toml:4)",
        ]
    );
    assert_eq!(suggested(&[("pyproject.toml", "[tool.ruff]\nline-length = 99\n")]), [""; 0]);
}

#[test]
fn other_languages_by_their_manifests() {
    let go = "module example.org/tally\n\ngo 1.24\n\nrequire (\n\tgithub.com/spf13/cobra v1.9.1\n\tgithub.com/lib/pq v1.10.9 // indirect\n)\n";
    assert_eq!(
        suggested(&[("go.mod", go), ("Makefile", "all:\ntest: all\n")]),
        [
            "language: Go (go.mod:1)",
            "frameworks: Go 1.24 (go.mod:3)",
            "frameworks: Cobra 1.9.1 (go.mod:6)",
            "style: Command line (go.mod:6)",
            "test_command: make test (Makefile:2)",
        ]
    );
    let gemfile = "ruby \"3.3.0\"\ngem \"rails\", \"~> 7.1\"\ngem 'sqlite3'\ngem 'rspec-rails'\n";
    assert_eq!(
        suggested(&[("Gemfile", gemfile)]),
        [
            "language: Ruby (Gemfile:2)",
            "frameworks: Ruby 3.3.0 (Gemfile:1)",
            "frameworks: Rails 7.1 (Gemfile:2)",
            "frameworks: RSpec (Gemfile:4)",
            "storage: SQLite (Gemfile:3)",
            "kind: A web page (Gemfile:2)",
            "test_command: bundle exec rspec (Gemfile:4)",
        ]
    );
    let pom = "<project>\n<java.version>21</java.version>\n<artifactId>spring-boot-starter-web</artifactId>\n<artifactId>mysql-connector-j</artifactId>\n";
    assert_eq!(
        suggested(&[("pom.xml", pom)]),
        [
            "language: Java (pom.xml:1)",
            "frameworks: Java 21 (pom.xml:2)",
            "frameworks: Spring Boot (pom.xml:3)",
            "storage: MySQL (pom.xml:4)",
            "style: HTTP with JSON (pom.xml:3)",
            "test_command: mvn test (pom.xml:1)",
        ]
    );
    let gradle = "plugins {\n  kotlin(\"jvm\") version \"2.0\"\n}\nimplementation(\"io.ktor:ktor-server-core:3.0.1\")\n";
    assert_eq!(
        suggested(&[("build.gradle.kts", gradle), ("gradlew", "")]),
        [
            "language: Kotlin (build.gradle.kts:2)",
            "frameworks: Ktor 3.0.1 (build.gradle.kts:4)",
            "style: HTTP with JSON (build.gradle.kts:4)",
            "test_command: ./gradlew test (build.gradle.kts:2)",
        ]
    );
    let composer = "{\"require\": {\n\"php\": \"^8.3\",\n\"slim/slim\": \"^4\"},\n\"require-dev\": {\n\"phpunit/phpunit\": \"^11\"}}";
    assert_eq!(
        suggested(&[("composer.json", composer)]),
        [
            "language: PHP (composer.json:2)",
            "frameworks: PHP 8.3 (composer.json:2)",
            "frameworks: Slim 4 (composer.json:3)",
            "frameworks: PHPUnit 11 (composer.json:5)",
            "style: HTTP with JSON (composer.json:3)",
            "test_command: vendor/bin/phpunit (composer.json:5)",
        ]
    );
    let csproj = "<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n<TargetFramework>net9.0</TargetFramework>\n<PackageReference Include=\"Npgsql\" Version=\"9.0\" />\n";
    assert_eq!(
        suggested(&[("src/App/App.csproj", csproj)]),
        [
            "language: C# (src/App/App.csproj:1)",
            "frameworks: .NET 9.0 (src/App/App.csproj:2)",
            "frameworks: ASP.NET Core (src/App/App.csproj:1)",
            "storage: PostgreSQL (src/App/App.csproj:3)",
            "style: HTTP with JSON (src/App/App.csproj:1)",
        ]
    );
}

/// Lines of manifests, in any order.
fn fragment() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "{\"name\": \"a\", \"scripts\": {\"test\": \"x\"}, \"dependencies\": {\"express\": \"^4\", \"pg\": \"8\"}}",
        "{",
        "\"dependencies\": {",
        "\"express\": \"^4.1\"",
        "}",
        "[package]",
        "[project]",
        "[dependencies.sqlx]",
        "[dependencies]",
        "axum = \"0.8\"",
        "sqlx = { version = \"0.9\", features = [",
        "\"postgres\", \"é",
        "]",
        "dependencies = [",
        "\"flask>=3\",",
        "x = \"\"\"",
        "Flask==3.0",
        "module a",
        "require github.com/lib/pq v1.2",
        "gem \"rails\", '~> 7",
        "<project><artifactId>postgresql</artifactId>",
        "plugins { java }",
        "- run: npm test",
        "  working-directory: a",
        "runs-on: ubuntu-latest",
        "image: postgres:17",
        "FROM x",
        "test: all",
        "# Title",
        "A sentence of the README that is long enough.",
        "> quoted",
        "- item",
        "```",
        "",
    ])
    .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(prop_oneof![6 => fragment(), 1 => any::<String>()], 0..12);
    (lines, prop::sample::select(vec!["\n", "\r\n"])).prop_map(|(lines, end)| lines.join(end))
}

fn path() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "package.json",
        "web/package.json",
        "Cargo.toml",
        "pyproject.toml",
        "requirements.txt",
        "Pipfile",
        "go.mod",
        "Gemfile",
        "pom.xml",
        "build.gradle",
        "composer.json",
        "App.csproj",
        "compose.yaml",
        "Dockerfile",
        "Makefile",
        "README.md",
        ".gitlab-ci.yml",
        ".github/workflows/a.yml",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn suggestions_are_valid_answers_with_existing_lines(
        repository in prop::collection::btree_map(path(), text(), 0..6),
    ) {
        let files: Vec<_> = repository
            .iter()
            .map(|(path, text)| RepositoryFile { path: path.clone(), text: text.clone() })
            .collect();
        let paths: Vec<_> = repository.keys().cloned().collect();
        for found in suggest(&files, &paths) {
            let line = repository[&found.path].lines().nth(found.line as usize - 1);
            prop_assert!(line.is_some_and(|line| line.trim().starts_with(&found.excerpt)), "{found:?}");
            let excerpt = found.excerpt.to_lowercase();
            let words: &[&str] = match found.answer.as_str() {
                "PostgreSQL" => &["pg", "pq", "postgres"],
                "Linux" => &["ubuntu"],
                "A container" => &["from"],
                "HTTP with JSON" => &["express", "axum", "flask", "web", "slim"],
                "Rust" => &["package", "workspace"],
                "Go" => &["module"],
                answer if answer.starts_with("Express") => &["express"],
                answer if answer.starts_with("Rails") => &["rails"],
                _ => &[""],
            };
            prop_assert!(words.iter().any(|word| excerpt.contains(word)), "{found:?}");

            let questions = found.section.section().questions;
            let question = questions.iter().find(|it| it.id == found.question).unwrap();
            let answer = match question.kind {
                Kind::List => Answer::Items(vec![found.answer]),
                _ => Answer::Text(found.answer),
            };
            let mut answers = Answers::default();
            answers.set(found.section, found.question, answer);
            prop_assert_eq!(answers.validate(), []);
        }
    }
}
