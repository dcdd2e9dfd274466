//! Validation of requests to the Gemini API.

use serde_json::Value;

use crate::{
    faults::{Faults, list, text},
    seen::Seen,
};

/// All faults. `key` is the expected key.
pub(crate) fn check(seen: &Seen, key: Option<&str>) -> Vec<String> {
    let mut faults = Faults::default();
    let json = &seen.json;
    faults.unless(seen.header("x-goog-api-key") == key, "not the key was sent");
    let limit = json["generationConfig"]["maxOutputTokens"].as_u64();
    faults.unless(limit.is_some_and(|limit| limit > 0), "the reply is not limited");
    for tool in list(&json["tools"]) {
        let kinds: Vec<_> = tool.as_object().into_iter().flat_map(|tool| tool.keys()).collect();
        faults.unless(kinds == ["functionDeclarations"], format!("a tool is {kinds:?}"));
    }
    let contents = seen.messages();
    faults.unless(!contents.is_empty(), "there are no contents");
    let has_parts = |content: &Value| !list(&content["parts"]).is_empty();
    faults.unless(contents.iter().all(has_parts), "a content has no parts");
    let last = contents.last().map_or("", |content| text(&content["role"]));
    faults.unless(last == "user", "the last content is not the user's");
    faults.0
}
