//! The smallest value that satisfies a schema.

use serde_json::{Map, Value, json};

/// Objects without required fields are filled this deep.
const MAX_DEPTH: usize = 3;

/// `defs` are the document's named schemas.
pub(crate) fn sample(schema: &Value, defs: &Value, depth: usize) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        return sample(&defs[name], defs, depth);
    }
    if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let is_null = |choice: &&Value| choice["type"] == "null";
            let chosen = choices.iter().find(is_null).or(choices.first());
            return chosen.map_or(Value::Null, |chosen| sample(chosen, defs, depth));
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut whole = Map::new();
        for part in parts {
            if let Value::Object(fields) = sample(part, defs, depth) {
                whole.extend(fields);
            }
        }
        return Value::Object(whole);
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        Value::String(one) => vec![one.as_str()],
        _ => Vec::new(),
    };
    match types.as_slice() {
        types if types.contains(&"null") => Value::Null,
        ["string"] => match schema["format"].as_str() {
            Some("date-time") => json!("2026-01-01T00:00:00Z"),
            Some("uri") => json!("https://forge.example/"),
            _ => json!("text"),
        },
        ["integer" | "number"] => json!(1),
        ["boolean"] => json!(false),
        ["array"] => json!([]),
        _ => object(schema, defs, depth),
    }
}

fn object(schema: &Value, defs: &Value, depth: usize) -> Value {
    let Some(properties) = schema["properties"].as_object() else { return json!({}) };
    let required = schema["required"].as_array();
    let is_wanted = |name: &str| match required {
        Some(required) => required.iter().any(|wanted| wanted == name),
        None => depth < MAX_DEPTH,
    };
    let wanted = properties.iter().filter(|(name, _)| is_wanted(name));
    wanted.map(|(name, of)| (name.clone(), sample(of, defs, depth + 1))).collect()
}
