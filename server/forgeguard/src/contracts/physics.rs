//! The physics contract: YAML with all endpoints.

use std::collections::{BTreeMap, HashMap};

use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::Value;
use serde_saphyr::Spanned;

use super::validation_error::ValidationError;
use crate::tools::syntax::{yaml_error, yaml_options};

/// The endpoints, and the shapes of their inputs and outputs.
#[derive(Deserialize)]
#[serde(bound = "S: Default + Deserialize<'de>, V: Default + Deserialize<'de>")]
pub(super) struct Physics<S = BTreeMap<String, Spanned<Value>>, V = Value> {
    endpoints: Vec<Spanned<Endpoint<V>>>,
    #[serde(default)]
    shapes: S,
}

/// Ignores everything that is up to the project, so that its format causes no errors.
type Form = Physics<IgnoredAny, IgnoredAny>;

/// Other fields are up to the project.
#[derive(Deserialize)]
pub(super) struct Endpoint<V = Value> {
    pub name: String,
    pub method: Option<String>,
    pub path: Option<String>,
    /// For interfaces other than HTTP, such as a command line.
    pub call: Option<String>,
    #[serde(default)]
    body: V,
    #[serde(default)]
    returns: V,
}

impl Physics {
    /// All endpoints with their lines.
    pub fn endpoints(&self) -> impl Iterator<Item = (&Endpoint, usize)> {
        self.endpoints.iter().map(|endpoint| (&endpoint.value, line(endpoint)))
    }

    /// Names of types in the API with their lines, shapes first. They begin with a capital letter and are
    /// not all capitals.
    pub fn types(&self) -> Vec<(String, usize)> {
        let mut types: Vec<(String, usize)> = Vec::new();
        for (name, shape) in &self.shapes {
            types.push((name.clone(), line(shape)));
            types.extend(type_names(&shape.value).into_iter().map(|name| (name, line(shape))));
        }
        for (endpoint, line) in self.endpoints() {
            let names = type_names(&endpoint.body).into_iter().chain(type_names(&endpoint.returns));
            types.extend(names.map(|name| (name, line)));
        }
        types
    }

    /// The program, if all endpoints are its commands.
    pub fn program(&self) -> Option<&str> {
        let mut programs = self
            .endpoints()
            .map(|(endpoint, _)| endpoint.call.as_deref()?.split_whitespace().next());
        let program = programs.next()??;
        programs.all(|other| other == Some(program)).then_some(program)
    }
}

fn line<T>(spanned: &Spanned<T>) -> usize {
    usize::try_from(spanned.referenced.line()).unwrap_or(1)
}

fn type_names(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => {
            let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let is_type = |name: &&str| {
                name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
            };
            // Sentences begin with a capital letter too: a type is a single word or in a code span.
            let is_sentence = text.trim().contains(' ');
            names.filter(is_type).filter(|_| !is_sentence).map(str::to_owned).collect()
        }
        Value::Array(items) => items.iter().flat_map(type_names).collect(),
        Value::Object(fields) => fields.values().flat_map(type_names).collect(),
        _ => Vec::new(),
    }
}

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Parses the endpoints, and the shapes if they are written as in the examples.
pub(super) fn read(text: &str) -> Result<Physics, ValidationError> {
    parse(text)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ValidationError> {
    serde_saphyr::from_str_with_options(text, yaml_options()).map_err(|error| {
        let flaw = yaml_error(&error);
        ValidationError::at(flaw.line, flaw.reason)
    })
}

/// Checks that it is YAML with at least one endpoint, each with a unique name and either `method` and
/// `path` or, for interfaces other than HTTP, `call`.
pub fn validate(text: &str) -> Result<(), ValidationError> {
    let physics: Form = parse(text)?;
    if physics.endpoints.is_empty() {
        return Err(ValidationError::at(1, "`endpoints` is empty"));
    }
    let mut lines: HashMap<&str, usize> = HashMap::new();
    for endpoint in &physics.endpoints {
        let line = line(endpoint);
        check(&endpoint.value).map_err(|reason| ValidationError::at(line, reason))?;
        if let Some(first) = lines.insert(&endpoint.value.name, line) {
            let name = &endpoint.value.name;
            let reason = format!("the endpoint `{name}` is already defined in line {first}");
            return Err(ValidationError::at(line, reason));
        }
    }
    Ok(())
}

fn check<V>(endpoint: &Endpoint<V>) -> Result<(), String> {
    let Endpoint { name, method, path, call, .. } = endpoint;
    if name.trim().is_empty() {
        return Err("an endpoint has an empty `name`".into());
    }
    match (method, path, call) {
        (None, None, Some(call)) if !call.trim().is_empty() => Ok(()),
        (Some(method), Some(path), None) => {
            if !METHODS.contains(&method.to_ascii_uppercase().as_str()) {
                return Err(format!("the endpoint `{name}` has the unknown method `{method}`"));
            }
            if !path.starts_with('/') {
                return Err(format!("the path of the endpoint `{name}` must begin with `/`"));
            }
            Ok(())
        }
        _ => Err(format!("the endpoint `{name}` needs `method` and `path`, or `call`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_errors_have_line_numbers() {
        let good = "info: {title: x}\nendpoints:\n  - name: a\n    method: get\n    path: /a\n  - name: b\n    call: x b\n";
        assert_eq!(validate(good), Ok(()));
        let own = "shapes: [Task]\nendpoints:\n  - name: a\n    call: x a\n    body: {200: [ok]}\n";
        assert_eq!(validate(own), Ok(()), "what else it holds is up to the project");
        for (text, line, part) in [
            ("endpoints: [\n", 1, ""),
            ("paths: {}\n", 1, "endpoints"),
            ("endpoints: no\n", 1, ""),
            ("endpoints:\n  - name: a\n", 2, "needs `method` and `path`"),
            ("endpoints:\n  - method: GET\n    path: /\n", 2, "name"),
            ("endpoints:\n  - name: a\n    call: b\n  - name: a\n    call: c\n", 4, "already"),
            ("endpoints:\n  - name: a\n    method: FETCH\n    path: /a\n", 2, "FETCH"),
            ("endpoints:\n  - name: a\n    method: GET\n    path: a\n", 2, "begin with"),
        ] {
            let validation_error = validate(text).unwrap_err();
            assert!(
                (line..=line + 1).contains(&validation_error.line),
                "{text}: {validation_error}"
            );
            assert!(validation_error.reason.contains(part), "{text}: {validation_error}");
        }
    }
}
