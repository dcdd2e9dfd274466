//! How external agents are started. Their working directory is the worktree, and their only way to
//! a model is the gateway.

use domain::executor::Executor;
use llm::{ModelApi, Provider};
use sandbox::SERVICE_ADDRESS;
use serde_json::json;

use super::mcp_server;

/// Denies the tools that need other hosts.
const GEMINI_POLICY: &str = "[[rule]]\ntoolName = [\"google_web_search\", \"web_fetch\"]\n\
    decision = \"deny\"\npriority = 999\n";

/// A coding agent that is a program of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExternalAgent {
    ClaudeCode,
    Codex,
    Opencode,
    GeminiCli,
    /// A shell line of the configuration.
    Custom(String),
}

/// A process to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub argv: Vec<String>,
    pub environment: Vec<(String, String)>,
}

impl ExternalAgent {
    /// `None` for executors that are no program, and for a custom command that is not configured.
    pub fn new(executor: Executor, command: Option<&str>) -> Option<Self> {
        match executor {
            Executor::ClaudeCode => Some(Self::ClaudeCode),
            Executor::Codex => Some(Self::Codex),
            Executor::Opencode => Some(Self::Opencode),
            Executor::GeminiCli => Some(Self::GeminiCli),
            Executor::Custom => command.map(|line| Self::Custom(line.to_owned())),
            Executor::Builtin | Executor::OwnEditor => None,
        }
    }

    pub fn executor(&self) -> Executor {
        match self {
            Self::ClaudeCode => Executor::ClaudeCode,
            Self::Codex => Executor::Codex,
            Self::Opencode => Executor::Opencode,
            Self::GeminiCli => Executor::GeminiCli,
            Self::Custom(_) => Executor::Custom,
        }
    }

    /// The program that has to be installed; `None` for a shell line.
    pub fn program(&self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("claude"),
            Self::Codex => Some("codex"),
            Self::Opencode => Some("opencode"),
            Self::GeminiCli => Some("gemini"),
            Self::Custom(_) => None,
        }
    }

    /// Why the agent cannot use a provider's models.
    pub fn model_obstacle(&self, provider: &dyn Provider) -> Option<String> {
        let (needed, api) = match self {
            Self::ClaudeCode => (ModelApi::Messages, "Anthropic's Messages API"),
            Self::Codex => (ModelApi::Responses, "OpenAI's Responses API"),
            Self::Opencode => (ModelApi::ChatCompletions, "OpenAI's chat completions"),
            Self::GeminiCli => (ModelApi::Gemini { is_streamed: true }, "Google's Gemini API"),
            Self::Custom(_) => {
                let apis = [ModelApi::Messages, ModelApi::ChatCompletions];
                let has_any = apis.into_iter().any(|api| provider.relay(api).is_some());
                return (!has_any).then(|| "the coder's model has no API".to_owned());
            }
        };
        let why = || format!("it needs a model with {api}; choose another model for the coder");
        provider.relay(needed).is_none().then(why)
    }

    /// The process for a task. `token` authenticates it at the gateway; `session` is the one that it
    /// continues.
    pub fn invocation(
        &self,
        task: &str,
        model: &str,
        token: &str,
        session: Option<&str>,
    ) -> Invocation {
        let gateway = format!("http://{SERVICE_ADDRESS}");
        let openai = format!("{gateway}/v1");
        let mcp = format!("{gateway}{}", mcp_server::PATH);
        let mut argv: Vec<String> = match self {
            Self::ClaudeCode => strings(&[
                "claude",
                "--print",
                "--output-format=stream-json",
                "--verbose",
                "--model",
                model,
                // The sandbox is the boundary.
                "--dangerously-skip-permissions",
                "--strict-mcp-config",
                "--mcp-config",
                &claude_mcp_config(&mcp),
                "--disallowed-tools=WebFetch,WebSearch",
            ]),
            Self::Codex => {
                let provider = format!(
                    "model_providers.forgeguard={{name=\"ForgeGuard\",base_url=\"{openai}\",\
                     env_key=\"FORGEGUARD_TOKEN\",wire_api=\"responses\"}}"
                );
                let tools = format!(
                    "mcp_servers.forgeguard={{url=\"{mcp}\",\
                     bearer_token_env_var=\"FORGEGUARD_TOKEN\"}}"
                );
                strings(&[
                    "codex",
                    "exec",
                    "--json",
                    "--skip-git-repo-check",
                    // The sandbox is the boundary.
                    "--dangerously-bypass-approvals-and-sandbox",
                    "--model",
                    model,
                    "--config",
                    "model_provider=forgeguard",
                    "--config",
                    &provider,
                    "--config",
                    &tools,
                ])
            }
            Self::Opencode => {
                let model = format!("forgeguard/{model}");
                strings(&["opencode", "run", "--format=json", "--model", &model])
            }
            Self::GeminiCli => strings(&[
                "gemini",
                "--output-format=stream-json",
                // The sandbox is the boundary.
                "--approval-mode=yolo",
                "--model",
                model,
            ]),
            Self::Custom(line) => strings(&["/bin/sh", "-c", line]),
        };
        match (self, session) {
            (Self::ClaudeCode | Self::GeminiCli, Some(session)) => {
                argv.extend(strings(&["--resume", session]));
            }
            (Self::Codex, Some(session)) => argv.extend(strings(&["resume", session])),
            (Self::Opencode, Some(session)) => argv.extend(strings(&["--session", session])),
            (Self::Custom(_), _) | (_, None) => {}
        }
        match self {
            Self::ClaudeCode | Self::Codex | Self::Opencode => {
                argv.extend(strings(&["--", task]));
            }
            // It reads no task after `--` without a terminal.
            Self::GeminiCli => argv.push(format!("--prompt={task}")),
            Self::Custom(_) => {}
        }
        let mut environment = vec![
            ("ANTHROPIC_BASE_URL", gateway.clone()),
            ("ANTHROPIC_API_KEY", token.to_owned()),
            // Its small requests, such as titles, use the same model, whose price is known.
            ("ANTHROPIC_DEFAULT_HAIKU_MODEL", model.to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
            // Without it, Claude Code does not skip permissions as root.
            ("IS_SANDBOX", "1".to_owned()),
            ("OPENAI_BASE_URL", openai.clone()),
            ("OPENAI_API_KEY", token.to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", gateway),
            ("GEMINI_API_KEY", token.to_owned()),
            ("FORGEGUARD_TOKEN", token.to_owned()),
            ("FORGEGUARD_MCP_URL", mcp.clone()),
            ("FORGEGUARD_MODEL", model.to_owned()),
        ];
        match self {
            Self::Opencode => {
                environment.push((
                    "OPENCODE_CONFIG_CONTENT",
                    opencode_config(model, &openai, &mcp, token),
                ));
            }
            Self::Custom(_) => {
                environment.push(("FORGEGUARD_TASK", task.to_owned()));
                environment.extend(session.map(|id| ("FORGEGUARD_SESSION", id.to_owned())));
            }
            // Otherwise it asks whether the worktree is to be trusted.
            Self::GeminiCli => {
                environment.push(("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()));
            }
            Self::ClaudeCode | Self::Codex => {}
        }
        let environment =
            environment.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Invocation { argv, environment }
    }

    /// Files of the home directory, without which the agent cannot be configured: their paths in it
    /// and their contents.
    pub fn home_files(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::GeminiCli => vec![
                (".gemini/settings.json", gemini_settings()),
                (".gemini/policies/forgeguard.toml", GEMINI_POLICY.to_owned()),
            ],
            Self::ClaudeCode | Self::Codex | Self::Opencode | Self::Custom(_) => Vec::new(),
        }
    }
}

fn strings(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|argument| (*argument).to_owned()).collect()
}

/// Its variables are replaced by Claude Code, so that the token is in no argument.
fn claude_mcp_config(url: &str) -> String {
    let headers = json!({ "Authorization": "Bearer ${FORGEGUARD_TOKEN}" });
    json!({ "mcpServers": { "forgeguard": { "type": "http", "url": url, "headers": headers } } })
        .to_string()
}

/// Its variables are replaced by the Gemini CLI.
fn gemini_settings() -> String {
    let url = format!("http://{SERVICE_ADDRESS}{}", mcp_server::PATH);
    let headers = json!({ "Authorization": "Bearer $FORGEGUARD_TOKEN" });
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
        "privacy": { "usageStatisticsEnabled": false },
        "mcpServers": { "forgeguard": { "httpUrl": url, "headers": headers, "trust": true } },
    });
    settings.to_string()
}

fn opencode_config(model: &str, base_url: &str, mcp: &str, token: &str) -> String {
    let config = json!({
        "provider": { "forgeguard": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "ForgeGuard",
            "options": { "baseURL": base_url, "apiKey": token },
            "models": { model: { "name": model } },
        } },
        "model": format!("forgeguard/{model}"),
        "small_model": format!("forgeguard/{model}"),
        "mcp": { "forgeguard": {
            "type": "remote",
            "url": mcp,
            "headers": { "Authorization": format!("Bearer {token}") },
            "oauth": false,
        } },
        "autoupdate": false,
        "share": "disabled",
    });
    config.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents() -> impl Iterator<Item = ExternalAgent> {
        let all = Executor::ALL.into_iter();
        all.filter_map(|executor| ExternalAgent::new(executor, Some("node agent.js")))
    }

    fn invocation(agent: &ExternalAgent) -> Invocation {
        agent.invocation("--do it", "m-1", "secret", None)
    }

    #[test]
    fn agent_is_that_of_its_executor() {
        for agent in agents() {
            let command = Some("node agent.js");
            assert_eq!(ExternalAgent::new(agent.executor(), command), Some(agent));
        }
        assert_eq!(ExternalAgent::new(Executor::Custom, None), None);
    }

    #[test]
    fn task_is_never_read_as_an_option() {
        for agent in [ExternalAgent::ClaudeCode, ExternalAgent::Codex, ExternalAgent::Opencode] {
            let argv = invocation(&agent).argv;
            assert_eq!(argv[argv.len() - 2..], ["--", "--do it"], "{agent:?}");
            assert_eq!(Some(argv[0].as_str()), agent.program());
        }
        let gemini = invocation(&ExternalAgent::GeminiCli).argv;
        assert_eq!(gemini.last().map(String::as_str), Some("--prompt=--do it"));
        let custom = invocation(&ExternalAgent::Custom("node agent.js".to_owned()));
        assert_eq!(custom.argv, ["/bin/sh", "-c", "node agent.js"]);
        assert!(custom.environment.contains(&("FORGEGUARD_TASK".into(), "--do it".into())));
    }

    #[test]
    fn session_is_continued() {
        for (agent, expected) in [
            (ExternalAgent::ClaudeCode, ["--resume", "ses-1", "--", "go on"]),
            (ExternalAgent::Codex, ["resume", "ses-1", "--", "go on"]),
            (ExternalAgent::Opencode, ["--session", "ses-1", "--", "go on"]),
        ] {
            let argv = agent.invocation("go on", "m-1", "secret", Some("ses-1")).argv;
            assert_eq!(argv[argv.len() - 4..], expected, "{agent:?}");
        }
        let gemini = ExternalAgent::GeminiCli;
        let argv = gemini.invocation("go on", "m-1", "secret", Some("ses-1")).argv;
        assert_eq!(argv[argv.len() - 3..], ["--resume", "ses-1", "--prompt=go on"]);
        let custom = ExternalAgent::Custom("node agent.js".to_owned());
        let environment = custom.invocation("go on", "m-1", "secret", Some("ses-1")).environment;
        assert!(environment.contains(&("FORGEGUARD_SESSION".into(), "ses-1".into())));
    }

    #[test]
    fn agents_reach_models_only_through_the_gateway() {
        for agent in agents() {
            let Invocation { argv, environment } = invocation(&agent);
            let files: Vec<String> = agent.home_files().into_iter().map(|(_, text)| text).collect();
            let values = environment.iter().map(|(_, value)| value).chain(&argv).chain(&files);
            let hosts = values.flat_map(|value| value.split("://").skip(1));
            for host in hosts {
                assert!(host.starts_with("127.0.0.1:3129"), "{agent:?}: {host}");
            }
        }
    }
}
