//! The output of external agents, line by line. Pure. Unknown lines and fields are ignored, because
//! the formats change often.

mod claude_code;
mod codex;
mod gemini_cli;
mod item;
mod opencode;

use serde_json::Value;

use super::program::ExternalAgent;
pub use item::StreamItem;

/// Parses a line of output. Lines that are not JSON are texts.
pub fn parse_line(agent: &ExternalAgent, line: &str) -> Vec<StreamItem> {
    let line = line.trim_end();
    if line.trim().is_empty() {
        return Vec::new();
    }
    let value = match serde_json::from_str::<Value>(line) {
        Ok(value) if value.is_object() => value,
        // Warnings on standard error, or an agent without a protocol.
        _ if matches!(agent, ExternalAgent::Custom(_)) => {
            return vec![StreamItem::Text(line.to_owned())];
        }
        _ => return Vec::new(),
    };
    match agent {
        ExternalAgent::Codex => codex::items(&value),
        ExternalAgent::Opencode => opencode::items(&value),
        ExternalAgent::GeminiCli => gemini_cli::items(&value),
        ExternalAgent::ClaudeCode | ExternalAgent::Custom(_) => claude_code::items(&value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_and_broken_lines_are_ignored() {
        let agents = [
            ExternalAgent::ClaudeCode,
            ExternalAgent::Codex,
            ExternalAgent::Opencode,
            ExternalAgent::GeminiCli,
        ];
        for agent in agents {
            for line in ["", "  ", "WARN: no PATH", "{\"type\":", "[1]", "{}", "{\"type\":\"new\"}"]
            {
                assert_eq!(parse_line(&agent, line), [], "{agent:?} {line}");
            }
        }
    }

    #[test]
    fn custom_command_may_print_plain_text_or_the_stream_of_claude_code() {
        let custom = ExternalAgent::Custom("agent".to_owned());
        let plain = parse_line(&custom, "=== TASK DONE: 1 ===");
        assert_eq!(plain, [StreamItem::Text("=== TASK DONE: 1 ===".into())]);
        let result = json!({"type": "result", "is_error": false, "result": "Done."});
        let items = parse_line(&custom, &result.to_string());
        assert_eq!(items, [StreamItem::Finished("Done.".into())]);
    }
}
