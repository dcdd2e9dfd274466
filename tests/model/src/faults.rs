//! Faults of a request, collected during validation.

use serde_json::Value;

/// Faults in the order of detection.
#[derive(Debug, Default)]
pub(crate) struct Faults(pub(crate) Vec<String>);

impl Faults {
    /// Adds `fault` unless `holds`.
    pub(crate) fn unless(&mut self, holds: bool, fault: impl Into<String>) {
        if !holds {
            self.0.push(fault.into());
        }
    }

    /// Checks name, description and schema, as all APIs require.
    pub(crate) fn check_tool(&mut self, name: &Value, description: &Value, schema: &Value) {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let text = name.as_str().unwrap_or_default();
        let is_name = (1..=64).contains(&text.len()) && text.chars().all(plain);
        self.unless(is_name, format!("a tool is named {name}"));
        let says = description.as_str().is_some_and(|text| !text.trim().is_empty());
        self.unless(says, format!("the tool {name} has no description"));
        let is_object = schema.is_object() && schema["type"] == "object";
        self.unless(is_object, format!("the schema of the tool {name} is not of an object"));
    }

    /// Checks that each name occurs once.
    pub(crate) fn check_once<'a>(&mut self, what: &str, names: impl Iterator<Item = &'a str>) {
        let mut seen = Vec::new();
        for name in names {
            self.unless(!seen.contains(&name), format!("{what} `{name}` occurs twice"));
            seen.push(name);
        }
    }

    /// Checks that results correspond exactly to the preceding calls.
    pub(crate) fn check_answered(&mut self, at: usize, calls: &[&str], results: &[&str]) {
        for call in calls {
            let has_result = results.contains(call);
            self.unless(has_result, format!("messages.{at}: the call `{call}` has no result"));
        }
        for result in results {
            let has_call = calls.contains(result);
            self.unless(has_call, format!("messages.{at}: the result `{result}` has no call"));
        }
        self.check_once("the result", results.iter().copied());
    }
}

/// A list; empty if missing.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text; empty if missing.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
