//! Contracts: versions, comparisons, export and import, inconsistencies.

use std::io::{Cursor, Read};

use serde_json::{Value, json};
use zip::ZipArchive;

use crate::harness::{Database, Instance, Person, send, with_model};

const ONE: &str = "# Stack\n\nPython 3.13\n";
const TWO: &str = "# Stack\n\nPython 3.14\n";

async fn project(person: &Person) -> String {
    format!("/api/projects/{}", person.project("P").await)
}

support::on_both! {
    async fn each_edit_creates_a_version(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let stack = format!("{}/contracts/stack", project(&ada).await);
        let put = |content: &str, version: Value| {
            ada.put(&stack, json!({"content": content, "version": version}))
        };
        assert_eq!(put(ONE, json!(0)).await.json()["version"], 1);
        let lost = put("# Stack\n\nGo\n", json!(0)).await.problem(409);
        assert!(lost["detail"].as_str().unwrap().contains("was changed since you read it"), "{lost}");
        assert_eq!(put(TWO, json!(1)).await.json()["version"], 2);
        assert_eq!(put(ONE, Value::Null).await.json()["version"], 3, "whatever is there");

        let page = ada.get(&format!("{stack}/versions?limit=2")).await.json();
        let versions: Vec<&Value> =
            page["items"].as_array().unwrap().iter().map(|item| &item["version"]).collect();
        assert_eq!(versions, [3, 2]);
        let newest = &page["items"][0];
        assert_eq!((&newest["source"], &newest["length"]), (&json!("edited"), &json!(ONE.len())));
        assert!(newest["author"].is_string(), "{newest}");
        let next = format!("{stack}/versions?after={}", page["next"].as_str().unwrap());
        assert_eq!(ada.get(&next).await.json()["items"][0]["version"], 1);
        assert_eq!(ada.get(&format!("{stack}/versions/2")).await.json()["content"], TWO);
        ada.get(&format!("{stack}/versions/9")).await.problem(404);

        let diff = ada.get(&format!("{stack}/diff?from=1&to=2")).await.json();
        let lines = diff["hunks"][0]["lines"].as_array().unwrap();
        let kinds: Vec<&str> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["context", "context", "delete", "insert"], "{diff}");
        let whole = ada.get(&format!("{stack}/diff?from=0&to=2")).await.json();
        assert_eq!(whole["hunks"][0]["lines"].as_array().unwrap().len(), 3);
        ada.get(&format!("{stack}/diff?from=1&to=9")).await.problem(404);
        instance.stop().await;
    }

    async fn build_keeps_the_contract_versions_it_started_with(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let here = project(&ada).await;
        let phases = "## Phase 0 — All\n\n**Deliverables:**\n- x\n\n**Exit criteria:** x exists\n";
        for (kind, content) in [("stack", ONE), ("stack", TWO), ("phases", phases)] {
            ada.put(&format!("{here}/contracts/{kind}"), json!({"content": content})).await.json();
        }
        let snapshots = format!("{here}/contracts/snapshots");
        assert_eq!(ada.get(&snapshots).await.json()["items"], json!([]));
        let build = ada.post(&format!("{here}/builds"), json!({ "budgets": { "usd_micros": "unlimited" } })).await.json();
        ada.put(&format!("{here}/contracts/stack"), json!({"content": ONE})).await.json();
        let found = ada.get(&snapshots).await.json();
        let bound = json!([{"type": "stack", "version": 2}, {"type": "phases", "version": 1}]);
        assert_eq!((&found["items"][0]["build_id"], &found["items"][0]["contracts"]), (&build["id"], &bound));
        instance.stop().await;
    }

    async fn exported_contracts_can_be_imported(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let here = project(&ada).await;
        ada.get(&format!("{here}/contracts.zip")).await.problem(409);
        let physics = "endpoints:\n  - name: a\n    call: tool a\n";
        let import = json!({"contracts": {"stack": ONE, "physics": physics}});
        let summaries = ada.post(&format!("{here}/contracts"), import).await.json();
        assert_eq!(summaries["items"].as_array().unwrap().len(), 9);
        let source = ada.get(&format!("{here}/contracts/stack/versions")).await.json();
        assert_eq!(source["items"][0]["source"], "imported");

        let request = ada.request(reqwest::Method::GET, &format!("{here}/contracts.zip"));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], "application/zip");
        let mut zip = ZipArchive::new(Cursor::new(answer.bytes().await.unwrap())).unwrap();
        let names: Vec<String> = zip.file_names().map(|name| name.unwrap().into()).collect();
        assert_eq!(names, ["contracts/stack.md", "contracts/physics.yaml"]);
        let mut text = |name: &str| {
            let mut text = String::new();
            zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
            text
        };
        assert_eq!(text("contracts/physics.yaml"), physics);
        let (stack, physics) = (text("contracts/stack.md"), text("contracts/physics.yaml"));
        let again = json!({"contracts": {"stack": stack, "physics": physics}});
        ada.post(&format!("{here}/contracts"), again).await.json();
        for kind in ["stack", "physics"] {
            let contract = ada.get(&format!("{here}/contracts/{kind}")).await.json();
            assert_eq!(contract["version"], 1, "an unchanged text is no new version");
        }

        let bad = json!({"contracts": {"stack": TWO, "physics": "endpoints: []", "boundaries": "{"}});
        let problem = ada.post(&format!("{here}/contracts"), bad).await.problem(422);
        for field in ["contracts.physics", "contracts.boundaries"] {
            assert!(problem["fields"][field].as_str().unwrap().contains("line 1"), "{problem}");
        }
        assert_eq!(ada.get(&format!("{here}/contracts/stack")).await.json()["version"], 1);
        instance.stop().await;
    }

    async fn much_shorter_text_needs_confirmation(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let here = format!("{}/contracts", project(&ada).await);
        let stack = format!("{here}/stack");
        let long = format!("{ONE}{}", "One more reason. ".repeat(20));
        ada.put(&stack, json!({"content": long})).await.json();
        let confirm = "urn:forgeguard:problem:confirmation_required";
        let problem = ada.put(&stack, json!({"content": ONE})).await.problem(409);
        assert_eq!(problem["type"], confirm);
        let import = |confirm: bool| json!({"contracts": {"stack": ONE, "ui": ONE}, "confirm": confirm});
        let problem = ada.post(&here, import(false)).await.problem(409);
        assert_eq!(problem["type"], confirm);
        assert!(problem["detail"].as_str().unwrap().contains(": stack."), "{problem}");
        assert_eq!(ada.get(&stack).await.json()["version"], 1, "nothing was saved");
        ada.post(&here, import(true)).await.json();
        assert_eq!(ada.get(&stack).await.json()["version"], 2);
        ada.put(&stack, json!({"content": long})).await.json();
        let shortened = json!({"content": ONE, "confirm": true});
        assert_eq!(ada.put(&stack, shortened).await.json()["version"], 4);
        instance.stop().await;
    }

    async fn inconsistencies_between_contracts_are_found(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let here = project(&ada).await;
        let findings = format!("{here}/contracts/findings");
        let found = ada.get(&findings).await.json();
        assert_eq!(found["items"].as_array().unwrap().len(), 9, "nothing is written yet");

        let physics = "endpoints:\n  - name: list_invoices\n    method: GET\n    path: /invoices\n    \
            returns: [Invoice]\n";
        send(ada.request(reqwest::Method::PUT, &format!("{here}/contracts/physics"))
            .json(&json!({"content": physics}))).await.json();
        let found = ada.get(&findings).await.json();
        let expected = json!({
            "rule": "entity_in_schema",
            "at": {"contract": "physics", "line": 2},
            "see": {"contract": "schema", "line": 1},
        });
        let items = found["items"].as_array().unwrap();
        let fits = |item: &&Value| {
            ["rule", "at", "see"].iter().all(|key| item[key] == expected[key])
                && item["text"].as_str().unwrap().contains("`Invoice`")
        };
        assert_eq!(items.iter().filter(fits).count(), 1, "{found:#}");
        instance.stop().await;
    }
}
