//! Checks values against schemas, as far as the documents use them. The crate `jsonschema` would
//! change how `serde_json` reads numbers in all tests.

use serde_json::Value;

/// What is wrong with a value; `at` is its place. `defs` are the document's named schemas.
pub(crate) fn violations(schema: &Value, value: &Value, defs: &Value, at: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        assert!(!defs[name].is_null(), "the schema {name} is missing");
        return violations(&defs[name], value, defs, at);
    }
    let mut found = Vec::new();
    if !has_type(&schema["type"], value) {
        found.push(format!("{at}: {value} is not of the type {}", schema["type"]));
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        found.push(format!("{at}: {value} is none of {}", schema["enum"]));
    }
    let choices = |name: &str| schema[name].as_array().into_iter().flatten();
    for part in choices("allOf") {
        found.extend(violations(part, value, defs, at));
    }
    for name in ["anyOf", "oneOf"] {
        let fits = |choice: &Value| violations(choice, value, defs, at).is_empty();
        if schema[name].is_array() && !choices(name).any(fits) {
            found.push(format!("{at}: {value} fits none of the alternatives"));
        }
    }
    if let Some(items) = value.as_array() {
        for (index, item) in items.iter().enumerate() {
            found.extend(violations(&schema["items"], item, defs, &format!("{at}/{index}")));
        }
    }
    if let Some(fields) = value.as_object() {
        for name in choices("required").filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                found.push(format!("{at}: the field {name} is missing"));
            }
        }
        for (name, field) in fields {
            let of = &schema["properties"][name.as_str()];
            found.extend(violations(of, field, defs, &format!("{at}/{name}")));
        }
    }
    found
}

fn has_type(wanted: &Value, value: &Value) -> bool {
    match wanted {
        Value::Array(types) => types.iter().any(|one| has_type(one, value)),
        Value::String(name) => match name.as_str() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("the type {other} is unknown"),
        },
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_violation_is_found() {
        let defs = json!({ "State": { "type": "string", "enum": ["open", "closed"] } });
        let schema = json!({
            "type": "object",
            "required": ["state"],
            "properties": {
                "state": { "$ref": "#/$defs/State" },
                "labels": { "type": "array", "items": { "type": "string" } },
                "number": { "type": ["integer", "null"] },
                "user": { "anyOf": [{ "type": "object", "required": ["id"] }, { "type": "null" }] },
            },
        });
        let count = |value: Value| violations(&schema, &value, &defs, "").len();
        assert_eq!(count(json!({ "state": "open", "labels": ["a"], "number": null })), 0);
        assert_eq!(count(json!({ "state": "open", "user": { "id": 1 } })), 0);
        for wrong in [
            json!([]),
            json!({}),
            json!({ "state": "merged" }),
            json!({ "state": "open", "labels": ["a", 1] }),
            json!({ "state": "open", "number": "1" }),
            json!({ "state": "open", "user": {} }),
        ] {
            assert_eq!(count(wrong.clone()), 1, "{wrong}");
        }
    }
}
