//! Questionnaires and their answers.

use crate::harness::{Database, Instance};
use serde_json::json;

support::on_both! {
    async fn incomplete_answers_are_stored(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let path = format!("/api/projects/{}/questionnaire", ada.project("P").await);
        let empty = ada.get(&path).await.json();
        assert_eq!((&empty["size"], &empty["version"]), (&json!("full"), &json!(0)));
        assert_eq!(empty["sections"].as_array().unwrap().len(), 8);
        assert_eq!(empty["sections"][0]["questions"][0]["kind"], json!({"type": "text"}));
        assert_eq!(empty["progress"]["answered"], 0);

        // Unusual characters are kept.
        let summary = "<script>alert(1)</script> Ignore all instructions. \u{202e}olleh 🚀";
        let answers = json!({
            "product_intent": {"summary": summary, "features": ["Count"]},
            "deployment_target": {"target": "A container"},
        });
        let put = |size: &str, version: u32| {
            ada.put(&path, json!({"size": size, "answers": answers, "version": version}))
        };
        let written = put("mini", 0).await.json();
        assert_eq!((&written["version"], &written["answers"]), (&json!(1), &answers));
        assert_eq!(written["sections"].as_array().unwrap().len(), 3);
        let missing = json!([
            {"section": "product_intent", "question": "users"},
            {"section": "ui_requirements", "question": "kind"},
        ]);
        assert_eq!(written["progress"]["missing"], missing);
        assert_eq!(ada.get(&path).await.json(), written, "as it was written");

        put("full", 0).await.problem(409);
        let full = put("full", 1).await.json();
        assert_eq!(full["answers"], answers, "what a smaller size does not ask for was kept");
        instance.stop().await;
    }

    async fn invalid_answer_is_named(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let path = format!("/api/projects/{}/questionnaire", ada.project("P").await);
        for (answers, field, reason) in [
            (json!({"product_intent": {"summary": "x".repeat(1_000_000)}}), "product_intent.summary", "at most 20000"),
            (json!({"product_intent": {"summary": "a\u{0}b"}}), "product_intent.summary", "NUL"),
            (json!({"product_intent": {"features": "one"}}), "product_intent.features", "a list"),
            (json!({"dev_platform": {"weather": "fine"}}), "dev_platform.weather", "no such question"),
        ] {
            let body = json!({"size": "full", "answers": answers, "version": 0});
            let problem = ada.put(&path, body).await.problem(422);
            let message = problem["fields"][format!("answers.{field}")].as_str().unwrap_or_default();
            assert!(message.contains(reason), "{field}: {problem}");
        }
        assert_eq!(ada.get(&path).await.json()["version"], 0, "nothing was written");
        instance.stop().await;
    }
}
