//! Builds whose coder is an external agent: a program in the sandbox that reaches its model only
//! through the gateway.

use std::{
    env,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
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
use model_server::{Dialect, KEY, ModelServer, Turn};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    outages::eventually,
    project_fixture::{ProjectFixture, git},
    scripted_project::{CODE, TEST, commit, turn_of},
    watched_build::WatchedBuild,
};

/// Makes an agent run `node agent.js`, without retries.
const SETTINGS: &str = "executor_command = \"node agent.js\"\n\
    [waits]\ntransient = []\ncode_error = []\ntest_failure = []\nresource = []\nunknown = []\n";

/// What every agent begins with: `ask` calls its model, and `say` prints a line as Claude Code does.
const PRELUDE: &str = r#"
const fs = require('node:fs');
const { spawnSync } = require('node:child_process');
const say = (line) => console.log(JSON.stringify(line));
const call = (id, name, output) => {
  say({ type: 'assistant', message: { content: [{ type: 'tool_use', id, name, input: {} }] } });
  const content = [{ type: 'tool_result', tool_use_id: id, content: output }];
  say({ type: 'user', message: { content } });
};
const text = (text) => say({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
const finish = (result) => say({ type: 'result', subtype: 'success', is_error: false, result });
const ask = async (text, more) => {
  const content = [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': process.env.ANTHROPIC_API_KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({
      model: process.env.FORGEGUARD_MODEL, max_tokens: 100, stream: true,
      messages: [{ role: 'user', content }], ...more,
    }),
  });
  return { status: response.status, text: await response.text() };
};
const rpc = async (method, params, token = process.env.FORGEGUARD_TOKEN) => {
  const response = await fetch(process.env.FORGEGUARD_MCP_URL, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: 'Bearer ' + token,
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.ok ? (await response.json()).result : response.status;
};
const tool = async (name, input) => {
  const { content, isError } = await rpc('tools/call', { name, arguments: input });
  return (isError ? 'failed: ' : '') + content[0].text;
};
const writeFiles = () => {
  fs.mkdirSync('src', { recursive: true });
  fs.mkdirSync('test', { recursive: true });
  fs.writeFileSync('src/greet.js', CODE);
  fs.writeFileSync('test/greet.test.js', TEST);
};
"#;

struct AgentBuild {
    watched: WatchedBuild,
    model: ModelServer,
}

/// Starts a build whose coder is this script, with these limits. `reply` is the model's answer to
/// it, by the number of its requests so far.
async fn begin(
    script: &str,
    limits: Value,
    reply: impl Fn(usize) -> &'static str + Send + 'static,
) -> AgentBuild {
    let fixture = ProjectFixture::new(Dialect::Anthropic, SETTINGS).await;
    let sources = format!("const CODE = {};\nconst TEST = {};\n", json!(CODE), json!(TEST));
    let agent = format!("{sources}{PRELUDE}\n(async () => {{\n{script}\n}})();\n");
    commit(&fixture, &[("agent.js", agent)]);
    let phases = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- src/greet.js\n\
        **Scope:** `src/**`, `test/**`\n\
        **Exit criteria:**\n- it greets — test: greets by name\n";
    fixture.set("contracts/phases", json!({ "content": phases })).await;
    let gate = json!({
        "name": "test", "command": "node --test test/", "timeout_s": 60, "required": true,
        "network": false, "report": null
    });
    let settings = json!({
        "gates": [gate], "clarification_timeout_s": null, "executor": "custom", "budgets": limits,
    });
    fixture.set("settings", settings).await;
    let requests = AtomicUsize::new(0);
    fixture.model.play(move |seen| match seen.system().is_empty() {
        true => Turn::says(reply(requests.fetch_add(1, Ordering::Relaxed))),
        false => turn_of(seen, &[], "true", "src/greet.js"),
    });
    let watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    AgentBuild { watched, model: fixture.model }
}

impl AgentBuild {
    /// How the agent's runs ended.
    fn outcomes(&self) -> Vec<RunOutcome> {
        let started = self.watched.events.iter().filter_map(|event| match &event.body {
            EventBody::BuildAgentStarted(it) if !it.executor.is_builtin() => Some(it.run_id),
            _ => None,
        });
        let runs: Vec<_> = started.collect();
        let ended = self.watched.events.iter().filter_map(|event| match &event.body {
            EventBody::BuildAgentFinished(it) if runs.contains(&it.run_id) => Some(&it.outcome),
            _ => None,
        });
        ended.cloned().collect()
    }

    /// The recorded result of the agent's last call of a tool.
    fn output_of(&self, tool: &str) -> String {
        let mut outputs = self.watched.events.iter().filter_map(|event| match &event.body {
            EventBody::BuildToolCallFinished(it) if it.tool == tool => Some(it.output.clone()),
            _ => None,
        });
        outputs
            .next_back()
            .unwrap_or_else(|| panic!("no call of {tool}: {:#?}", self.watched.events))
    }

    /// Runs until the agent has reported a call of this tool.
    async fn run_until_called(&mut self, tool: &str) {
        let called = self.watched.run_until(|_, event| match &event.body {
            EventBody::BuildToolCallFinished(it) => it.tool == tool,
            _ => false,
        });
        assert!(called.await.is_some(), "the agent calls {tool}");
    }

    /// Runs until the agent has asked a question.
    async fn run_until_asked(&mut self) {
        let asked = self
            .watched
            .run_until(|_, event| matches!(event.body, EventBody::BuildClarificationRequest(_)));
        assert!(asked.await.is_some(), "the agent asks");
    }

    fn assert_key_is_nowhere(&self) {
        for event in &self.watched.events {
            let text = serde_json::to_string(event).expect("JSON");
            assert!(!text.contains(KEY), "{text}");
        }
    }
}

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
    let mut events = build.watched.events.iter();
    let run = events.find_map(|event| match &event.body {
        EventBody::BuildAgentStarted(it) if !it.executor.is_builtin() => Some(it.run_id),
        _ => None,
    });
    let reads = build.watched.events.iter().filter_map(|event| match &event.body {
        EventBody::BuildContractRead(it) if Some(it.run_id) == run => Some(it.contract),
        _ => None,
    });
    // In the brief, and with the tool.
    assert_eq!(reads.filter(|contract| *contract == ContractType::Phases).count(), 2);
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
async fn phase_continues_with_a_new_process_after_the_worker_was_killed() {
    let script = "
      const reply = await ask('What now?');
      if (reply.text.includes('wait')) {
        call('w', 'Wait', 'waiting');
        setInterval(() => {}, 1000);
        return;
      }
      writeFiles();
      text('=== TASK DONE: 1 ===');
      finish('It greets.');";
    let reply = |asked| if asked == 0 { "Please wait." } else { "Write." };
    let mut build = begin(script, json!({}), reply).await;
    build.run_until_called("Wait").await;
    build.watched.kill_and_restart().await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    assert_eq!(build.outcomes(), [RunOutcome::Completed]);
    build.watched.server.stop().await;
}

/// Asks the user. `WatchedBuild` answers.
const ASK: &str = "
      const asked = { question: 'How long is a loan?', options: ['Two weeks', 'Four weeks'] };
      const asking = tool('forge_ask_clarification', asked);";

#[tokio::test(flavor = "multi_thread")]
async fn agent_asks_the_user() {
    let script = format!(
        "{ASK}
      call('a', 'Answer', await asking);
      call('b', 'Again', await tool('forge_ask_clarification', {{ question: 'How long is a loan' }}));
      writeFiles();
      text('=== TASK DONE: 1 ===');
      finish('It greets.');"
    );
    let mut build = begin(&script, json!({}), |_| "").await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    assert_eq!(build.output_of("Answer"), "The user answered: Two weeks");
    assert_eq!(build.output_of("Again"), "The user has answered that already: Two weeks");
    assert_eq!(build.outcomes(), [RunOutcome::Completed]);
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_that_ended_before_the_answer_is_started_again_with_it() {
    let script = format!(
        "const task = process.env.FORGEGUARD_TASK;
      if (task.includes('How long is a loan? — Two weeks')) {{
        writeFiles();
        text('=== TASK DONE: 1 ===');
        return finish('It greets.');
      }}
      {ASK}
      asking.catch(() => undefined);
      while (!(await ask('May I go?')).text.includes('leave')) {{}}
      process.exit(0);"
    );
    let may_go = Arc::new(AtomicBool::new(false));
    let reply = {
        let may_go = may_go.clone();
        move |_| if may_go.load(Ordering::Relaxed) { "leave" } else { "stay" }
    };
    let mut build = begin(&script, json!({}), reply).await;
    build.run_until_asked().await;
    may_go.store(true, Ordering::Relaxed);
    eventually(async || build.watched.processes().is_empty()).await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    assert_eq!(build.outcomes(), [RunOutcome::Completed]);
    build.watched.server.stop().await;
}

/// Takes the 40 seconds that a call waits.
#[tokio::test(flavor = "multi_thread")]
async fn soak_agent_whose_user_answers_late_is_told_to_end() {
    let script = format!(
        "const task = process.env.FORGEGUARD_TASK;
      if (task.includes('You asked: How long is a loan?')) {{
        call('t', 'Task', task);
        writeFiles();
        text('=== TASK DONE: 1 ===');
        return finish('It greets.');
      }}
      {ASK}
      call('a', 'Answer', await asking);
      setInterval(() => {{}}, 1000);"
    );
    let mut build = begin(&script, json!({}), |_| "").await;
    build.run_until_asked().await;
    eventually(async || build.watched.processes().is_empty()).await;
    build.watched.skip_question().await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    assert!(build.output_of("Answer").contains("End your turn now"));
    assert!(build.output_of("Task").contains("The user leaves the decision to you"));
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_agent_continues_its_session() {
    let script = "
      const task = process.env.FORGEGUARD_TASK;
      const log = process.env.HOME + '/session';
      if (!process.env.FORGEGUARD_SESSION) {
        fs.writeFileSync(log, task);
        say({ type: 'system', subtype: 'init', session_id: 'ses-1' });
        call('b', 'Begun', 'begun');
        setInterval(() => {}, 1000);
        return;
      }
      const first = fs.readFileSync(log, 'utf8').split('\\n')[0];
      call('c', 'Continued', [process.env.FORGEGUARD_SESSION, first, task].join('\\n'));
      writeFiles();
      text('=== TASK DONE: 1 ===');
      finish('It greets.');";
    let mut build = begin(script, json!({}), |_| "").await;
    build.run_until_called("Begun").await;
    let say = format!("/api/builds/{}/interject", build.watched.build);
    build.watched.server.post(&say, json!({ "text": "Greet politely." })).await;
    build.watched.kill_and_restart().await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    assert_eq!(build.outcomes(), [RunOutcome::Completed]);
    let output = build.output_of("Continued");
    let expected = "ses-1\nYou are the coder of a build that ForgeGuard runs.";
    assert!(output.starts_with(expected), "{output}");
    assert!(output.contains("\nYour process was interrupted"), "{output}");
    assert!(output.contains("Greet politely."), "{output}");
    let homes = build.watched.server.data().join("nodes/only/agents");
    assert_eq!(fs::read_dir(&homes).expect("a folder").count(), 0, "it is removed with its run");
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
