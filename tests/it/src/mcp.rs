//! The MCP server at `/mcp`, over plain HTTP as clients of both eras use it.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    harness::{Database, Instance, send, text},
    mcp_client::{ACCEPT, Client, key, message, request},
};

const STACK: &str = "# Stack\n\nPython 3.13\n";

support::on_both! {
    async fn mcp_client_adds_items_to_a_backlog_once(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("Rope shop").await;
        let bound = json!({"name": "tracker", "scopes": ["build"], "project_id": project});
        let client = Client::open(&instance, &key(&ada, bound).await.1).await;
        client.data("forge_set_session", json!({"project_id": project})).await;
        let wanted = json!({"title": "Due dates", "external_id": "TRACK-7"});
        let added = client.data("forge_add_backlog_item", wanted.clone()).await;
        assert_eq!((&added["number"], &added["state"]), (&json!(1), &json!("queued")));
        assert_eq!(client.data("forge_add_backlog_item", wanted).await, added);
        client.data("forge_add_backlog_item", json!({"title": "Fines", "depends_on": [added["item_id"]]})).await;
        let all = client.data("forge_list_backlog", json!({})).await;
        assert_eq!(all["items"][1]["blocked_by"], json!([added["item_id"]]));
        let one = client.data("forge_list_backlog", json!({"external_id": "TRACK-7"})).await;
        assert_eq!(one["items"], json!([added]));
        let tools = client.tools().await;
        assert!(tools.iter().all(|tool| !tool.contains("claim")), "{tools:?}");

        let reads = key(&ada, json!({"name": "reader", "scopes": ["read"], "project_id": project})).await.1;
        let reader = Client::open(&instance, &reads).await;
        let mine = json!({"title": "Mine", "project_id": project});
        let refused = reader.rejection("forge_add_backlog_item", mine).await;
        assert!(refused.contains("build"), "{refused}");
        instance.stop().await;
    }

    async fn mcp_client_reads_what_rest_returns(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("Rope shop").await;
        ada.put(&format!("/api/projects/{project}/contracts/stack"), json!({"content": STACK})).await.json();
        let build = instance.queue_build(&project, &ada.id).await.to_string();
        let client = Client::open(&instance, &key(&ada, json!({"name": "editor"})).await.1).await;

        let listed = client.data("forge_list_projects", json!({})).await;
        assert_eq!(listed["items"][0]["project_id"], project);
        let missing = client.rejection("forge_list_project_contracts", json!({})).await;
        assert!(missing.contains("forge_set_session"), "{missing}");
        // Named in the call, then set for the session.
        let here = json!({"project_id": project});
        let named = client.data("forge_list_project_contracts", here.clone()).await;
        assert_eq!(named["items"][0]["contract_type"], "stack");
        client.data("forge_set_session", here).await;
        let contract = client.data("forge_get_project_contract", json!({"contract_type": "stack"})).await;
        assert!(contract["text"].as_str().unwrap().contains("Python 3.13"), "{contract}");
        assert_eq!((&contract["version"], &contract["source"]), (&json!(1), &json!("project")));
        let pinned = client.data("forge_get_build_contracts", json!({"build_id": build})).await;
        assert_eq!(pinned["items"][0]["source"], "snapshot");
        let rest = ada.get(&format!("/api/mcp/build/{build}/contracts")).await.json();
        assert_eq!((&rest["batch"], &rest["contracts"][0]["content"]), (&pinned["batch"], &json!(STACK)));
        let context = ada.get(&format!("/api/mcp/context/{project}")).await.json();
        assert_eq!((&context["build_count"], &context["contracts"][0]["size_chars"]), (&json!(1), &json!(STACK.len())));
        let one = ada.get(&format!("/api/mcp/context/{project}/stack")).await.json();
        assert_eq!(one["content"], STACK);
        ada.get(&format!("/api/mcp/context/{project}/ui")).await.problem(404);

        client.data("forge_store_artifact", json!({"key": "a", "content": "of the project"})).await;
        assert_eq!(client.data("forge_get_artifact", json!({"key": "a"})).await["text"], "of the project");
        let uri = format!("forgeguard://projects/{project}/contracts/stack");
        let resources = client.request("resources/list", json!({})).await;
        assert_eq!(resources["result"]["resources"][0]["uri"], uri);
        let read = client.request("resources/read", json!({"uri": uri})).await;
        assert_eq!(read["result"]["contents"][0]["text"], STACK);
        let prompt = json!({"name": "review_build", "arguments": {"build_id": build}});
        let prompt = client.request("prompts/get", prompt).await;
        assert!(prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap().contains(&build));
        instance.stop().await;
    }

    async fn mcp_client_follows_and_controls_a_build(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let build = instance.queue_build(&project, &ada.id).await;
        let client = Client::open(&instance, &key(&ada, json!({"name": "editor"})).await.1).await;
        let named = build.to_string();
        let first = client.data("forge_watch_build", json!({"build_id": named})).await;
        assert_eq!(first["events"][0]["type"], "build_queued");
        let after = first["next_seq"].clone();
        let waiting = client.data("forge_watch_build", json!({"build_id": named, "after_seq": after, "wait_s": 50}));
        let (seen, ()) = tokio::join!(waiting, instance.log(build, ["hello".to_owned()]));
        assert_eq!(seen["events"][0]["payload"]["message"], "hello");
        client.data("forge_cancel_build", json!({"build_id": named, "reason": "enough"})).await;
        let status = client.data("forge_get_build", json!({"build_id": named})).await;
        assert_eq!(status["status"], "abandoned");
        let end = client.data("forge_watch_build", json!({"build_id": named, "wait_s": 50})).await;
        assert_eq!(end["is_finished"], true, "{end}");
        instance.stop().await;
    }

    async fn mcp_tools_outside_the_scopes_of_a_key_are_neither_listed_nor_called(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let build = instance.queue_build(&project, &ada.id).await.to_string();
        let reads = key(&ada, json!({"name": "reads", "scopes": ["read"]})).await.1;
        let reader = Client::open(&instance, &reads).await;
        let tools = reader.tools().await;
        assert!(tools.contains(&"forge_get_build".to_owned()));
        for tool in ["forge_cancel_build", "forge_start_build", "forge_update_contract"] {
            assert!(!tools.contains(&tool.to_owned()), "{tool}");
        }
        let refused = reader.rejection("forge_cancel_build", json!({"build_id": build})).await;
        assert!(refused.contains("`build`"), "{refused}");
        instance.bearer(&ada.id, &reads).post(&format!("/api/builds/{build}/pause"), json!({})).await.problem(403);

        // A key of one project knows no other.
        let other = ada.project("Other").await;
        let bound = key(&ada, json!({"name": "bound", "project": project})).await.1;
        let bound_client = Client::open(&instance, &bound).await;
        let listed = bound_client.data("forge_list_projects", json!({})).await;
        assert_eq!(listed["items"].as_array().unwrap().len(), 1);
        bound_client.rejection("forge_get_project_context", json!({"project_id": other})).await;
        instance.bearer(&ada.id, &bound).get(&format!("/api/projects/{other}")).await.problem(404);
        instance.bearer(&ada.id, &bound).get("/api/projects").await.problem(403);
        instance.stop().await;
    }

    async fn mcp_answers_for_foreign_projects_as_for_missing_ones(database: Database) {
        let instance = Instance::start(&database).await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let project = ada.project("Secret").await;
        let build = instance.queue_build(&project, &ada.id).await.to_string();
        let client = Client::open(&instance, &key(&eve, json!({"name": "k"})).await.1).await;
        let missing = "00000000-0000-7000-8000-000000000000";
        for tool in ["forge_get_project_context", "forge_list_builds", "forge_set_session"] {
            let foreign = client.rejection(tool, json!({"project_id": project})).await;
            assert_eq!(foreign, client.rejection(tool, json!({"project_id": missing})).await, "{tool}");
        }
        for tool in ["forge_get_build", "forge_watch_build", "forge_cancel_build", "forge_get_build_report"] {
            let foreign = client.rejection(tool, json!({"build_id": build})).await;
            assert_eq!(foreign, client.rejection(tool, json!({"build_id": missing})).await, "{tool}");
        }
        let mut errors = Vec::new();
        for id in [project.as_str(), missing] {
            let request = json!({"uri": format!("forgeguard://projects/{id}/contracts/stack")});
            let mut error = client.request("resources/read", request.clone()).await["error"].take();
            assert_eq!(error["data"].take(), request);
            errors.push(error);
        }
        assert!(errors[0].is_object());
        assert_eq!(errors[0], errors[1]);
        instance.stop().await;
    }

    async fn mcp_session_ends_with_its_key_and_belongs_to_it(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let (id, secret) = key(&ada, json!({"name": "one"})).await;
        let mut client = Client::open(&instance, &secret).await;
        client.tools().await;
        let own = client.key.clone();
        client.key = key(&ada, json!({"name": "two"})).await.1;
        send(client.post(&request("tools/list", json!({})))).await.problem(404);
        client.key = own;
        let build = instance.queue_build(&ada.project("P").await, &ada.id).await.to_string();
        let params = json!({"name": "forge_watch_build", "arguments": {"build_id": build, "after_seq": 1, "wait_s": 50}});
        let waiting = client.post(&request("tools/call", params)).send().await.expect("a stream");
        assert_eq!(ada.delete(&format!("/api/forge-keys/{id}")).await.status, 204);
        // The stream ends although the call would wait longer than this client.
        let _ = waiting.text().await;
        let refused = send(client.post(&request("tools/list", json!({})))).await;
        let challenge = refused.headers["www-authenticate"].to_str().unwrap().to_owned();
        assert!(challenge.contains("/.well-known/oauth-protected-resource/mcp"), "{challenge}");
        refused.problem(401);
        instance.stop().await;
    }

    async fn mcp_client_ends_its_session(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let secret = key(&ada, json!({"name": "one"})).await.1;
        let client = Client::open(&instance, &secret).await;
        client.tools().await;
        // The SDK for Python reports a failure for anything but 200 and 204.
        assert_eq!(client.end().await, StatusCode::NO_CONTENT);
        send(client.post(&request("tools/list", json!({})))).await.problem(404);
        instance.stop().await;
    }

    async fn mcp_rejects_frames_and_origins_that_it_does_not_accept(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let client = Client::open(&instance, &key(&ada, json!({"name": "k"})).await.1).await;
        let foreign = client.post(&request("tools/list", json!({}))).header("origin", "http://evil.example");
        send(foreign).await.problem(403);
        let large = json!({"name": "forge_list_projects", "arguments": {"after": "x".repeat(2_000_000)}});
        send(client.post(&request("tools/call", large))).await.problem(413);
        for body in ["{", "[]", "{\"jsonrpc\":\"2.0\",\"id\":1}", "nonsense"] {
            let sent = client.post(&json!({})).body(body);
            assert!(send(sent).await.status.is_client_error(), "{body}");
        }
        let none = instance.client().request(Method::POST, &client.url).header("accept", ACCEPT);
        send(none.json(&request("tools/list", json!({})))).await.problem(401);
        // Neither a session's token nor its cookie is accepted.
        send(ada.request(Method::POST, "/mcp").json(&request("tools/list", json!({})))).await.problem(401);
        assert!(!client.tools().await.is_empty(), "the session continues");
        let metadata = instance.client().get(format!("{}/.well-known/oauth-protected-resource", instance.url));
        assert!(text(&send(metadata).await.json()["resource"]).ends_with("/mcp"));
        instance.stop().await;
    }

    async fn mcp_serves_stateless_requests_and_parallel_sessions(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let secret = key(&ada, json!({"name": "k"})).await.1;
        let stateless = |name: &str, arguments: Value| {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            let params = json!({"name": name, "arguments": arguments, "_meta": meta});
            instance.client().post(format!("{}/mcp", instance.url)).bearer_auth(&secret)
                .header("accept", ACCEPT).header("mcp-protocol-version", "2026-07-28")
                .header("mcp-method", "tools/call").header("mcp-name", name)
                .json(&request("tools/call", params))
        };
        let answer = send(stateless("forge_get_project_context", json!({"project_id": project}))).await;
        assert!(answer.headers.get("mcp-session-id").is_none());
        assert_eq!(message(&answer.text)["result"]["structuredContent"]["project"]["id"], project);
        let refused = send(stateless("forge_set_session", json!({"project_id": project}))).await;
        assert_eq!(message(&refused.text)["result"]["isError"], true, "{}", refused.text);

        let opening = (0..200).map(|_| Client::open(&instance, &secret));
        let open = futures::future::join_all(opening).await;
        let answers = futures::future::join_all(open.iter().map(|it| it.data("forge_list_projects", json!({})))).await;
        assert!(answers.iter().all(|answer| answer["items"][0]["project_id"] == project));
        instance.stop().await;
    }
}
