//! How external agents are started. Their working directory is the worktree, and their only way to
//! a model is the gateway.

use domain::executor::Executor;
use llm::{ModelApi, Provider};
use sandbox::SERVICE_ADDRESS;
use serde_json::json;

use super::mcp_server;

/// An external agent, as configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalAgent {
    pub executor: Executor,
    /// The shell line of a custom command.
    pub command: Option<String>,
}

/// A process to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub argv: Vec<String>,
    pub environment: Vec<(String, String)>,
}

impl ExternalAgent {
    /// The program that has to be installed; `None` for a shell line.
    pub fn program(executor: Executor) -> Option<&'static str> {
        match executor {
            Executor::ClaudeCode => Some("claude"),
            Executor::Codex => Some("codex"),
            Executor::Opencode => Some("opencode"),
            Executor::Builtin | Executor::Custom | Executor::OwnEditor => None,
        }
    }

    /// Why an agent cannot use a provider's models.
    pub fn model_obstacle(executor: Executor, provider: &dyn Provider) -> Option<String> {
        let (needed, api) = match executor {
            Executor::ClaudeCode => (ModelApi::Messages, "Anthropic's Messages API"),
            Executor::Codex => (ModelApi::Responses, "OpenAI's Responses API"),
            Executor::Opencode => (ModelApi::ChatCompletions, "OpenAI's chat completions"),
            Executor::Custom => {
                let apis = [ModelApi::Messages, ModelApi::ChatCompletions];
                let has_any = apis.into_iter().any(|api| provider.relay(api).is_some());
                return (!has_any).then(|| "the coder's model has no API".to_owned());
            }
            Executor::Builtin | Executor::OwnEditor => return None,
        };
        let why = || format!("it needs a model with {api}; choose another model for the coder");
        provider.relay(needed).is_none().then(why)
    }

    /// The process for a task. `token` authenticates it at the gateway.
    pub fn invocation(&self, task: &str, model: &str, token: &str) -> Invocation {
        let gateway = format!("http://{SERVICE_ADDRESS}");
        let openai = format!("{gateway}/v1");
        let mcp = format!("{gateway}{}", mcp_server::PATH);
        let argv: Vec<String> = match self.executor {
            Executor::ClaudeCode => strings(&[
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
                "--",
                task,
            ]),
            Executor::Codex => {
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
                    "--",
                    task,
                ])
            }
            Executor::Opencode => {
                let model = format!("forgeguard/{model}");
                strings(&["opencode", "run", "--format=json", "--model", &model, "--", task])
            }
            Executor::Custom | Executor::Builtin | Executor::OwnEditor => {
                strings(&["/bin/sh", "-c", self.command.as_deref().unwrap_or("exit 127")])
            }
        };
        let mut environment = vec![
            ("ANTHROPIC_BASE_URL", gateway),
            ("ANTHROPIC_API_KEY", token.to_owned()),
            // Its small requests, such as titles, use the same model, whose price is known.
            ("ANTHROPIC_DEFAULT_HAIKU_MODEL", model.to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
            // Without it, Claude Code does not skip permissions as root.
            ("IS_SANDBOX", "1".to_owned()),
            ("OPENAI_BASE_URL", openai.clone()),
            ("OPENAI_API_KEY", token.to_owned()),
            ("FORGEGUARD_TOKEN", token.to_owned()),
            ("FORGEGUARD_MCP_URL", mcp.clone()),
            ("FORGEGUARD_MODEL", model.to_owned()),
        ];
        match self.executor {
            Executor::Opencode => {
                environment.push((
                    "OPENCODE_CONFIG_CONTENT",
                    opencode_config(model, &openai, &mcp, token),
                ));
            }
            Executor::Custom => environment.push(("FORGEGUARD_TASK", task.to_owned())),
            Executor::ClaudeCode | Executor::Codex | Executor::Builtin | Executor::OwnEditor => {}
        }
        let environment =
            environment.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Invocation { argv, environment }
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

    fn invocation(executor: Executor) -> Invocation {
        let command = Some("node agent.js".to_owned());
        ExternalAgent { executor, command }.invocation("--do it", "m-1", "secret")
    }

    #[test]
    fn task_is_never_read_as_an_option() {
        for executor in [Executor::ClaudeCode, Executor::Codex, Executor::Opencode] {
            let argv = invocation(executor).argv;
            assert_eq!(argv[argv.len() - 2..], ["--", "--do it"], "{executor:?}");
            assert_eq!(Some(argv[0].as_str()), ExternalAgent::program(executor));
        }
        let custom = invocation(Executor::Custom);
        assert_eq!(custom.argv, ["/bin/sh", "-c", "node agent.js"]);
        assert!(custom.environment.contains(&("FORGEGUARD_TASK".into(), "--do it".into())));
    }

    #[test]
    fn agents_reach_models_only_through_the_gateway() {
        for executor in Executor::ALL {
            let Invocation { argv, environment } = invocation(executor);
            let values = environment.iter().map(|(_, value)| value).chain(&argv);
            let hosts = values.flat_map(|value| value.split("://").skip(1));
            for host in hosts {
                assert!(host.starts_with("127.0.0.1:3129"), "{executor:?}: {host}");
            }
        }
    }
}
