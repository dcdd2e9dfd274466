//! The reasoning of a reply, as far as its provider has shown it.

use crate::{anthropic, message::Message, openai};

/// Reads it from the state that the message keeps for its provider; `None` if nothing was shown.
pub fn reasoning(message: &Message) -> Option<String> {
    let Message::Assistant { provider: Some(state), .. } = message else { return None };
    let texts = [
        anthropic::reasoning(state),
        openai::chat_reasoning(state),
        openai::responses_reasoning(state),
    ];
    let text = texts.concat().join("\n\n");
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn reasoning_of_every_provider_is_shown() {
        let shown = |provider: Value| {
            let provider = Some(provider);
            reasoning(&Message::Assistant { text: String::new(), tool_calls: vec![], provider })
        };
        let thinking = |text: &str| json!({"type": "thinking", "thinking": text, "signature": "s"});
        let call = json!({"type": "tool_use", "id": "t"});
        assert_eq!(
            shown(json!({"anthropic": [thinking("a"), call, thinking("b")]})).as_deref(),
            Some("a\n\nb")
        );
        let hidden = json!({"type": "redacted_thinking", "data": "x"});
        assert_eq!(shown(json!({"anthropic": [hidden]})), None);
        for field in ["reasoning_content", "reasoning"] {
            let state = json!({"openai_chat": {"message": {field: "hm"}}});
            assert_eq!(shown(state).as_deref(), Some("hm"));
        }
        let summary = json!([{"type": "summary_text", "text": "a"}]);
        let content = json!([{"type": "reasoning_text", "text": "b"}]);
        let item = json!({"type": "reasoning", "summary": summary, "content": content});
        let items = json!([item, {"type": "message"}]);
        assert_eq!(shown(json!({"openai_responses": items})).as_deref(), Some("a\n\nb"));
        assert_eq!(shown(json!({"other": "x"})), None);
        assert_eq!(reasoning(&Message::user("x")), None);
    }
}
