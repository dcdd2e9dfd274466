//! The input of a tool: one struct defines both its parser and its JSON Schema.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::error::ToolError;

/// Providers return arguments as text if they are not a JSON object.
const UNREADABLE: &str = "The arguments are not a valid JSON object, so nothing was done. Send the \
    call again with valid JSON.";

/// The input of a tool without parameters.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Parses the input; the error names the field.
pub fn read<T: DeserializeOwned>(input: Value) -> Result<T, ToolError> {
    let input = match input {
        Value::String(text) => object_in(&text)?,
        input => input,
    };
    serde_path_to_error::deserialize(input).map_err(|error| {
        let path = error.path().to_string();
        let reason = error.into_inner();
        ToolError::for_model(match path.as_str() {
            "." => format!("Invalid input: {reason}."),
            _ => format!("Invalid input: `{path}`: {reason}."),
        })
    })
}

/// The object in arguments that arrived as text: some models encode them twice.
fn object_in(text: &str) -> Result<Value, ToolError> {
    let object: Option<Map<String, Value>> = serde_json::from_str(text).ok();
    object.map(Value::Object).ok_or_else(|| ToolError::for_model(UNREADABLE))
}

/// The JSON Schema of `T`, without parts that are useless to a model.
pub fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        strip(object);
    }
    schema
}

/// Unknown fields are still rejected, with their names.
fn strip(schema: &mut Map<String, Value>) {
    schema.retain(|key, value| {
        let is_noise = matches!(
            key.as_str(),
            "title" | "format" | "default" | "additionalProperties" | "minimum"
        );
        !is_noise || value.is_object()
    });
    // An optional field is left out, so that `null` need not be offered.
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".into(), only);
        }
    }
    let nested =
        ["properties", "items"].into_iter().filter_map(|key| Some((key, schema.get(key)?)));
    let nested: Vec<&str> = nested.filter(|(_, value)| value.is_object()).map(|(k, _)| k).collect();
    for key in nested {
        let Some(Value::Object(inner)) = schema.get_mut(key) else { continue };
        if key == "items" {
            strip(inner);
        } else {
            inner.values_mut().filter_map(Value::as_object_mut).for_each(strip);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Params {
        /// Where.
        path: String,
        /// How many.
        limit: Option<u32>,
        /// Names.
        #[serde(default)]
        names: Vec<String>,
    }

    #[test]
    fn error_of_input_names_the_field() {
        for (input, expected) in [
            (json!({"limit": 1}), "`path`"),
            (json!({"path": 3}), "`path`"),
            (json!({"path": "a", "limit": -1}), "`limit`"),
            (json!({"path": "a", "names": ["b", 1]}), "`names[1]`"),
            (json!({"path": "a", "paht": 1}), "`paht`"),
            (json!([1]), "`[0]`"),
            (json!("{\"path\": "), "not a valid JSON object"),
            (json!("[1]"), "not a valid JSON object"),
            (json!("{\"path\": 3}"), "`path`"),
        ] {
            let error = read::<Params>(input.clone()).unwrap_err().to_string();
            assert!(error.contains(expected), "{input}: {error}");
        }
        let fits = read::<Params>(json!({"path": "a", "names": ["b"]})).unwrap();
        assert_eq!((fits.path.as_str(), fits.limit, fits.names.len()), ("a", None, 1));
        let encoded = read::<Params>(json!("{\"path\": \"a\"}")).unwrap();
        assert_eq!(encoded.path, "a");
    }

    #[test]
    fn schema_contains_required_fields_only() {
        let schema = schema::<Params>();
        assert_eq!(schema["required"], json!(["path"]));
        assert_eq!(schema["properties"]["limit"]["type"], json!("integer"));
        assert_eq!(schema["properties"]["path"]["description"], json!("Where."));
        let text = schema.to_string();
        for noise in ["$schema", "\"title\"", "\"format\"", "\"default\"", "additional", "null"] {
            assert!(!text.contains(noise), "{text}");
        }
    }
}
