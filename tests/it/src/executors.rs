//! Builds whose coder is an external agent: a program in the sandbox that reaches its model only
//! through the gateway.

use std::{
    env,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant, SystemTime},
};

use domain::{
    contract::ContractType,
    event::{
        EventBody,
        agents::{RunOutcome, Task},
        life::BlockReason,
    },
    executor::Executor,
};
use model_server::Dialect;
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    agent_build::{begin, begin_with, external_runs},
    outages::eventually,
    project_fixture::{ProjectFixture, git},
    scripted_project::commit,
};

#[tokio::test(flavor = "multi_thread")]
async fn external_agent_takes_a_build_to_its_seal() {
    let script = "
      const reply = await ask(process.env.FORGEGUARD_TASK.slice(0, 200));
      if (reply.status !== 200) throw new Error(reply.text);
      writeFiles();
      call('t1', 'Write', Object.values(process.env).sort().join(' '));
      text('=== TASK DONE: 1 ===\\nIt greets.');
      finish('It greets.');";
    let mut build = begin(script, json!({}), |_| "Write the files.").await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    build.assert_key_is_nowhere();
    assert_eq!(build.outcomes(), [RunOutcome::Completed]);
    let (mut tasks, mut executors) = (Vec::new(), Vec::new());
    let (mut replies, mut files, mut external) = (Vec::new(), Vec::new(), None);
    for event in &build.watched.events {
        match &event.body {
            EventBody::BuildAgentStarted(it) => {
                tasks.push(it.task);
                executors.push(it.executor);
                external = (it.executor == Executor::Custom).then_some(it.run_id).or(external);
            }
            EventBody::BuildAgentTurn(it) if Some(it.run_id) == external => {
                replies.push((it.text.as_str(), it.tokens_out > 0, it.cost_usd_micros > 0));
            }
            EventBody::BuildFileChanged(it) => files.push(it.path.as_str()),
            _ => {}
        }
    }
    assert_eq!(tasks, [Task::Plan, Task::Execute, Task::Audit]);
    assert_eq!(executors, [Executor::Builtin, Executor::Custom, Executor::Builtin]);
    assert_eq!(replies, [("Write the files.", true, true)]);
    assert_eq!(files, ["src/greet.js", "test/greet.test.js"]);
    let shown = build.watched.server.get(&format!("/api/builds/{}", build.watched.build)).await;
    assert_eq!(shown["executor"], "custom");
    build.model.finish();
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_fetches_contracts_and_keeps_notes_with_tools_of_its_build() {
    let script = "
      const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
      const { serverInfo } = await rpc('initialize', client);
      const { tools } = await rpc('tools/list', {});
      call('t1', 'List', [serverInfo.name, ...tools.map((tool) => tool.name)].join(' '));
      call('t2', 'Brief', await tool('forge_get_phase_brief', { phase_number: 0 }));
      await tool('forge_scratchpad', { operation: 'write', key: 'greeting', value: 'Hello' });
      call('t3', 'Note', await tool('forge_scratchpad', { operation: 'read', key: 'greeting' }));
      call('t4', 'Denied', [
        await tool('forge_store_artifact', { key: 'a', content: 'b' }),
        await tool('forge_get_project_contract', { contract_type: 'unknown' }),
        await rpc('tools/list', {}, 'another'),
      ].join('\\n'));
      writeFiles();
      text('=== TASK DONE: 1 ===');
      finish('It greets.');";
    let mut build = begin(script, json!({}), |_| "").await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    let list = "forgeguard forge_get_project_contract forge_get_phase_brief forge_scratchpad \
        forge_read_notepad forge_ask_clarification";
    assert_eq!(build.output_of("List"), list);
    let brief = build.output_of("Brief");
    assert!(brief.contains("it greets — test: greets by name"), "{brief}");
    assert!(build.output_of("Note").contains("Hello"));
    let denied = build.output_of("Denied");
    assert!(denied.starts_with("failed: There is no tool `forge_store_artifact`."), "{denied}");
    assert!(denied.contains("\nfailed: ") && denied.ends_with("\n401"), "{denied}");
    let runs = external_runs(&build.watched.events);
    let reads = build.watched.events.iter().filter_map(|event| match &event.body {
        EventBody::BuildContractRead(it) if runs.contains(&it.run_id) => Some(it.contract),
        _ => None,
    });
    // In the brief, and with the tool.
    assert_eq!(reads.filter(|contract| *contract == ContractType::Phases).count(), 2);
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_reaches_the_gemini_api_that_is_beside_chat_completions() {
    let script = "
      const gemini = async (call, more, key = process.env.GEMINI_API_KEY) => {
        const contents = [{ role: 'user', parts: [{ text: 'Greet' }] }];
        const response = await fetch(process.env.GOOGLE_GEMINI_BASE_URL + '/v1beta/models/' + call, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
          body: JSON.stringify({ contents, ...more }),
        });
        return { status: response.status, text: await response.text() };
      };
      const model = process.env.FORGEGUARD_MODEL;
      const tools = [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }];
      const streamed = await gemini(model + ':streamGenerateContent?alt=sse', { tools });
      const whole = await gemini(model + ':generateContent');
      call('t1', 'Types', [streamed.text.startsWith('data: {'), whole.text.startsWith('{')].join());
      const others = [
        await gemini('m-2:generateContent'),
        await gemini(model + ':countTokens'),
        await gemini(model + ':generateContent', {}, 'another'),
        await gemini(model + ':generateContent', {
          contents: [{ role: 'user', parts: [{ fileData: { fileUri: 'https://example.com/' } }] }],
        }),
      ];
      call('t2', 'Statuses', [streamed, whole, ...others].map(({ status }) => status).join());
      call('t3', 'Error', JSON.parse(others[0].text).error.message);
      writeFiles();
      text('=== TASK DONE: 1 ===');
      finish('It greets.');";
    let mut build = begin_with(Dialect::Gemini, script, json!({}), |_| "Hello you").await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    build.assert_key_is_nowhere();
    assert_eq!(build.output_of("Types"), "true,true");
    assert_eq!(build.output_of("Statuses"), "200,200,400,404,401,400");
    assert!(build.output_of("Error").contains("the model m-2 is not available"));
    let runs = external_runs(&build.watched.events);
    let replies = build.watched.events.iter().filter_map(|event| match &event.body {
        EventBody::BuildAgentTurn(it) if runs.contains(&it.run_id) => {
            Some((it.text.as_str(), it.tokens_in, it.tokens_out, it.cost_usd_micros))
        }
        _ => None,
    });
    let reply = ("Hello you", 100, 20, 140);
    assert_eq!(replies.collect::<Vec<_>>(), [reply, reply]);
    build.model.finish();
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_that_only_claims_success_does_not_complete_its_run() {
    let script = "finish('All tests pass.'); process.exitCode = 0;";
    let mut build = begin(script, json!({}), |_| "").await;
    let blocked = build.watched.run_until_blocked().await;
    assert_eq!(blocked.reason, BlockReason::Retries, "{blocked:?}");
    let outcomes = build.outcomes();
    let Some(RunOutcome::Failed { message, .. }) = outcomes.last() else {
        panic!("{outcomes:?}");
    };
    assert!(message.contains("without having changed a file"), "{message}");
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn escapes_have_no_effect_and_are_recorded() {
    let script = r#"
      const shell = (line) => {
        const options = { encoding: 'utf8', timeout: 20000 };
        const { status, stdout, stderr } = spawnSync('sh', ['-c', line], options);
        return (line + ' -> ' + status + ' ' + stdout + stderr).trim();
      };
      if (process.env.FORGEGUARD_TASK.includes('Gate scope failed')) {
        fs.rmSync('docs', { recursive: true });
        return finish('Removed the file outside the scope.');
      }
      const get = (url) => fetch(url, { signal: AbortSignal.timeout(5000) }).then(
        (response) => url + ' -> ' + response.status,
        (error) => url + ' -> no connection ' + error.cause?.code);
      const gateway = process.env.ANTHROPIC_BASE_URL;
      call('net', 'Network', [
        await get('http://1.1.1.1/'), await get('http://127.0.0.1:80/'),
        await get('https://example.org/'), await get(gateway + '/v1/files'),
      ].join('\n'));
      const forged = await ask('hi', { model: 'm-2' });
      const stolen = await fetch(gateway + '/v1/messages', { method: 'POST', body: '{}' });
      call('gw', 'Gateway', forged.status + ' ' + forged.text + ' ' + stolen.status);
      call('git', 'Git', [
        shell('git push origin HEAD:main'), shell('git commit --allow-empty -m x'),
        shell('echo moved > "$(git rev-parse --git-dir)/x"'),
      ].join('\n'));
      call('keys', 'Keys', shell('cat /proc/[0-9]*/environ; env; cat /proc/[0-9]*/cmdline'));
      writeFiles();
      fs.mkdirSync('docs');
      fs.writeFileSync('docs/notes.md', 'outside');
      text('=== TASK DONE: 1 ===');
      finish('It greets.');"#;
    let mut build = begin(script, json!({}), |_| "hi").await;
    let hosted = build.watched.server.data().join(format!("repos/{}.git", build.watched.project));
    let main = git(&hosted, &["rev-parse", "main"]);
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    build.assert_key_is_nowhere();
    assert_eq!(git(&hosted, &["rev-parse", "main"]), main);
    let network = build.output_of("Network");
    assert_eq!(network.matches("-> no connection").count(), 3, "{network}");
    assert!(network.ends_with("/v1/files -> 404"), "{network}");
    let gateway = build.output_of("Gateway");
    assert!(gateway.starts_with("400 "), "{gateway}");
    assert!(gateway.contains("the model m-2 is not available"), "{gateway}");
    assert!(gateway.ends_with(" 401"), "{gateway}");
    let commands = build.output_of("Git");
    assert!(!commands.contains("-> 0"), "{commands}");
    let is_rejected = build.watched.events.iter().any(|event| match &event.body {
        EventBody::BuildGateFinished(it) => {
            it.gate == "scope" && it.output.contains("docs/notes.md")
        }
        _ => false,
    });
    assert!(is_rejected, "the file outside the scope is found");
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_build_leaves_no_process_of_its_agent() {
    let script = r#"
      process.on('SIGINT', () => {});
      process.on('SIGTERM', () => {});
      spawnSync('sh', ['-c', '(setsid sh -c "(setsid sleep 1000 &); sleep 1000" > /dev/null 2>&1 &)']);
      call('fork', 'Fork', 'forked');
      setInterval(() => {}, 1000);"#;
    let mut build = begin(script, json!({}), |_| "").await;
    build.run_until_called("Fork").await;
    assert!(!build.watched.processes().is_empty());
    let start = Instant::now();
    let cancel = format!("/api/builds/{}/cancel", build.watched.build);
    build.watched.server.post(&cancel, json!({ "reason": "enough" })).await;
    eventually(async || build.watched.processes().is_empty()).await;
    // Within seconds, on a busy machine too.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    build.watched.run_to_the_end().await;
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn request_beyond_the_budget_is_rejected_and_blocks_the_build() {
    let script = "
      const reply = await ask('x'.repeat(400000));
      call('big', 'Answer', reply.status + ' ' + reply.text);
      setInterval(() => {}, 1000);";
    let mut build = begin(script, json!({ "tokens": 100_000 }), |_| "no").await;
    let blocked = build.watched.run_until_blocked().await;
    assert_eq!(blocked.reason, BlockReason::Tokens, "{blocked:?}");
    let asked = build.model.requests().iter().filter(|seen| seen.system().is_empty()).count();
    assert_eq!(asked, 0, "nothing was passed on");
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_of_installed_agents_are_listed_also_after_an_update() {
    let home = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
    let programs = home.path().join(".nvm/versions/node/v22/bin");
    fs::create_dir_all(&programs).expect("a folder");
    let program = programs.join("claude");
    let install = |version: &str| {
        let script = format!("#!/bin/sh\necho '{version} (Claude Code)'\n");
        fs::write(&program, script).expect("a program");
        fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("its mode");
    };
    install("2.1.44");
    let path = format!("{}:{}", programs.display(), env::var("PATH").expect("a PATH"));
    let fixture = ProjectFixture::with(Dialect::Anthropic, "", &[("PATH", &path)], None).await;
    let ready = format!("/api/projects/{}/build-readiness", fixture.project);
    let version = async || {
        let executors = fixture.server.get(&ready).await["executors"].clone();
        let mut all = executors.as_array().expect("a list").clone().into_iter();
        all.find(|it| it["executor"] == "claude_code").expect("it is listed")["version"].clone()
    };
    assert_eq!(version().await, "2.1.44");
    install("2.2.0");
    let later = SystemTime::now() + Duration::from_secs(60);
    // Closed at once: a program that is open for writing cannot be started.
    let opened = fs::File::options().write(true).open(&program);
    opened.and_then(|file| file.set_modified(later)).expect("its time");
    assert_eq!(version().await, "2.2.0");
    fixture.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn build_with_an_executor_that_cannot_be_used_is_not_started() {
    let fixture = ProjectFixture::new(Dialect::OpenAi, "").await;
    commit(&fixture, &[("README.md", "Greetings\n".to_owned())]);
    let phases = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- a.js\n\
        **Exit criteria:**\n- it greets — test: greets by name\n";
    fixture.set("contracts/phases", json!({ "content": phases })).await;
    let here = format!("/api/projects/{}", fixture.project);
    let ready = fixture.server.get(&format!("{here}/build-readiness?executor=custom")).await;
    let obstacles = ready["obstacles"].as_array().expect("a list");
    let found = obstacles.iter().find(|it| it["kind"] == "executor").expect("an obstacle");
    let message = found["message"].as_str().expect("a text");
    assert!(message.contains("FORGEGUARD_EXECUTOR_COMMAND"), "{message}");
    let executors = ready["executors"].as_array().expect("a list");
    let of = |name: &str| executors.iter().find(|it| it["executor"] == name).expect("it is listed");
    assert_eq!(of("builtin")["obstacle"], Value::Null);
    assert!(of("claude_code")["obstacle"].is_string());
    let start = json!({ "executor": "custom", "budgets": { "usd_micros": "unlimited" } });
    let builds = format!("{here}/builds");
    let refused = fixture.server.request(Method::POST, &builds, Some(start)).await.problem(409);
    assert!(refused["detail"].as_str().expect("a text").contains("Custom command"), "{refused}");
    fixture.server.stop().await;
}
