//! Answers to the questionnaire that are suggested by the repository of a project.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    harness::{Database, Instance, text},
    project_fixture::{git, push, write},
};

/// `section.question: answer (path:line)` of each suggestion.
fn summaries(found: &Value) -> Vec<String> {
    let items = found["items"].as_array().unwrap().iter();
    let place = |it: &Value| format!("{}:{}", text(&it["path"]), it["line"]);
    items
        .map(|it| {
            let question = format!("{}.{}", text(&it["section"]), text(&it["question"]));
            format!("{question}: {} ({})", text(&it["answer"]), place(it))
        })
        .collect()
}

support::on_both! {
    async fn answers_are_suggested_with_their_lines_and_not_saved(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("Tally").await;
        let form = format!("/api/projects/{project}/questionnaire");
        let path = format!("{form}/suggestions");
        let empty = ada.get(&path).await.json();
        assert_eq!((&empty["branch"], &empty["items"]), (&json!("main"), &json!([])));

        let folder = TempDir::new().unwrap();
        write(folder.path(), "README.md", "# Tally\n\nTally counts the votes of a club.\n");
        let manifest = "{\n  \"name\": \"tally\",\n  \"scripts\": { \"test\": \"node --test\" },\n  \
            \"dependencies\": {\n    \"express\": \"^4.18.2\"\n  }\n}\n";
        write(folder.path(), "package.json", manifest);
        write(folder.path(), "compose.yaml", "services:\n  db:\n    image: postgres:17\n");
        let workflow = "jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n";
        write(folder.path(), ".github/workflows/ci.yml", workflow);
        push(&instance, &ada, &project, folder.path()).await;

        let found = ada.get(&path).await.json();
        assert_eq!(text(&found["sha"]), git(folder.path(), &["rev-parse", "HEAD"]));
        assert_eq!(
            summaries(&found),
            [
                "product_intent.summary: Tally counts the votes of a club. (README.md:3)",
                "tech_stack.language: JavaScript (package.json:4)",
                "tech_stack.frameworks: Express 4.18.2 (package.json:5)",
                "database_schema.storage: PostgreSQL (compose.yaml:3)",
                "api_endpoints.style: HTTP with JSON (package.json:5)",
                "dev_platform.system: Linux (.github/workflows/ci.yml:3)",
                "dev_platform.test_command: npm test (.github/workflows/ci.yml:5)",
            ]
        );
        assert_eq!(found["items"][2]["excerpt"], "\"express\": \"^4.18.2\"");
        assert_eq!(ada.get(&form).await.json()["version"], 0, "nothing is saved");

        let eve = instance.user("eve@example.org").await;
        eve.get(&path).await.problem(404);
        instance.stop().await;
    }

    async fn links_and_large_files_suggest_nothing(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("Tally").await;
        let folder = TempDir::new().unwrap();
        write(folder.path(), "go.mod", format!("module tally\n{}", "// x\n".repeat(100_000)));
        write(folder.path(), "hidden/data", "{\"name\": \"tally\"}");
        symlink("hidden/data", folder.path().join("package.json")).unwrap();
        write(folder.path(), "README.md", b"\xff\xfe\n\nA sentence that is long enough \xff\xfe.\n");
        for number in 0..100 {
            write(folder.path(), &format!("crates/{number}/Cargo.toml"), "[package]\n");
        }
        push(&instance, &ada, &project, folder.path()).await;

        let path = format!("/api/projects/{project}/questionnaire/suggestions");
        assert_eq!(
            summaries(&ada.get(&path).await.json()),
            [
                "product_intent.summary: A sentence that is long enough \u{fffd}\u{fffd}. (README.md:3)",
                "tech_stack.language: Rust (crates/0/Cargo.toml:1)",
            ]
        );
        instance.stop().await;
    }
}
