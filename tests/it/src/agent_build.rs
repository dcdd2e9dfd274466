//! A build whose coder is a script, run as an external agent.

use std::sync::atomic::{AtomicUsize, Ordering};

use domain::{
    event::{Event, EventBody, agents::RunOutcome},
    ids::RunId,
};
use model_server::{Dialect, KEY, ModelServer, Turn};
use serde_json::{Value, json};

use crate::{
    project_fixture::ProjectFixture,
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

pub struct AgentBuild {
    pub watched: WatchedBuild,
    pub model: ModelServer,
}

/// Starts a build whose coder is this script, with these limits. `reply` is the model's answer to
/// it, by the number of its requests so far.
pub async fn begin(
    script: &str,
    limits: Value,
    reply: impl Fn(usize) -> &'static str + Send + 'static,
) -> AgentBuild {
    begin_with(Dialect::Anthropic, script, limits, reply).await
}

/// The same with a model of another API.
pub async fn begin_with(
    dialect: Dialect,
    script: &str,
    limits: Value,
    reply: impl Fn(usize) -> &'static str + Send + 'static,
) -> AgentBuild {
    let fixture = ProjectFixture::new(dialect, SETTINGS).await;
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
    pub fn outcomes(&self) -> Vec<RunOutcome> {
        external_outcomes(&self.watched.events)
    }

    /// The recorded result of the agent's last call of a tool.
    pub fn output_of(&self, tool: &str) -> String {
        let mut outputs = self.watched.events.iter().filter_map(|event| match &event.body {
            EventBody::BuildToolCallFinished(it) if it.tool == tool => Some(it.output.clone()),
            _ => None,
        });
        outputs
            .next_back()
            .unwrap_or_else(|| panic!("no call of {tool}: {:#?}", self.watched.events))
    }

    /// Runs until the agent has reported a call of this tool.
    pub async fn run_until_called(&mut self, tool: &str) {
        let called = self.watched.run_until(|_, event| match &event.body {
            EventBody::BuildToolCallFinished(it) => it.tool == tool,
            _ => false,
        });
        assert!(called.await.is_some(), "the agent calls {tool}");
    }

    /// Runs until the agent has asked a question.
    pub async fn run_until_asked(&mut self) {
        let asked = self
            .watched
            .run_until(|_, event| matches!(event.body, EventBody::BuildClarificationRequest(_)));
        assert!(asked.await.is_some(), "the agent asks");
    }

    pub fn assert_key_is_nowhere(&self) {
        for event in &self.watched.events {
            let text = serde_json::to_string(event).expect("JSON");
            assert!(!text.contains(KEY), "{text}");
        }
    }
}

/// How the runs of external agents ended.
pub fn external_outcomes(events: &[Event]) -> Vec<RunOutcome> {
    let runs = external_runs(events);
    let ended = events.iter().filter_map(|event| match &event.body {
        EventBody::BuildAgentFinished(it) if runs.contains(&it.run_id) => Some(&it.outcome),
        _ => None,
    });
    ended.cloned().collect()
}

/// The runs of external agents.
pub fn external_runs(events: &[Event]) -> Vec<RunId> {
    let started = events.iter().filter_map(|event| match &event.body {
        EventBody::BuildAgentStarted(it) if !it.executor.is_builtin() => Some(it.run_id),
        _ => None,
    });
    started.collect()
}
