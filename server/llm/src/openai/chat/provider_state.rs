//! Data that servers require back with an assistant message: reasoning, and signatures of calls.
//!
//! DeepSeek and others reject conversations in which tool calls lack their reasoning; Gemini
//! requires the `thought_signature` of each call.

use serde_json::{Map, Value, json};

/// Key of this API's data in `provider` of [`Message::Assistant`](crate::Message::Assistant).
const PROVIDER_KEY: &str = "openai_chat";

/// Reasoning, with the field name that the server used, and additional fields of calls by id.
#[derive(Debug, Default)]
pub(super) struct ProviderState {
    pub(super) reasoning_name: Option<&'static str>,
    pub(super) reasoning: String,
    pub(super) call_extras: Map<String, Value>,
}

impl ProviderState {
    /// The stored form; `None` if empty.
    pub(super) fn into_value(self) -> Option<Value> {
        let mut state = Map::new();
        if let Some(name) = self.reasoning_name.filter(|_| !self.reasoning.is_empty()) {
            state.insert("message".into(), json!({ name: self.reasoning }));
        }
        if !self.call_extras.is_empty() {
            state.insert("calls".into(), self.call_extras.into());
        }
        (!state.is_empty()).then(|| json!({ PROVIDER_KEY: state }))
    }
}

/// Adds the stored data to a message of the request.
pub(super) fn restore(message: &mut Value, provider: Option<&Value>) {
    let Some(state) = provider.and_then(|provider| provider.get(PROVIDER_KEY)) else { return };
    for (name, value) in state["message"].as_object().into_iter().flatten() {
        message[name] = value.clone();
    }
    for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
        let extra = call["id"].as_str().and_then(|id| state["calls"].get(id)).cloned();
        for (name, value) in extra.as_ref().and_then(Value::as_object).into_iter().flatten() {
            call[name] = value.clone();
        }
    }
}

/// The stored reasoning.
pub(crate) fn reasoning(provider: &Value) -> Vec<String> {
    let message = provider.get(PROVIDER_KEY).and_then(|state| state["message"].as_object());
    let texts = message.into_iter().flat_map(Map::values).filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_and_signatures_are_restored() {
        let extra = json!({"extra_content": {"google": {"thought_signature": "s"}}});
        let state = ProviderState {
            reasoning_name: Some("reasoning_content"),
            reasoning: "hm".into(),
            call_extras: Map::from_iter([("a".to_owned(), extra)]),
        };
        let mut message = json!({"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b"}]});
        restore(&mut message, state.into_value().as_ref());
        assert_eq!(
            message,
            json!({"role": "assistant", "reasoning_content": "hm", "tool_calls": [
                {"id": "a", "extra_content": {"google": {"thought_signature": "s"}}}, {"id": "b"}
            ]})
        );
    }

    #[test]
    fn empty_state_is_not_stored_and_other_providers_are_ignored() {
        assert_eq!(ProviderState::default().into_value(), None);
        let mut message = json!({"role": "assistant"});
        restore(&mut message, Some(&json!({"anthropic": []})));
        restore(&mut message, None);
        assert_eq!(message, json!({"role": "assistant"}));
    }
}
