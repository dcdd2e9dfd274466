//! The API document of a forge.

use serde_json::{Value, json};

use crate::{sample::sample, schema, state::Kind};

const FORGEJO: &str = include_str!("../documents/forgejo.json");
const GITHUB: &str = include_str!("../documents/github.json");
const GITHUB_MORE: &str = include_str!("../documents/github-more.json");
const GITLAB: &str = include_str!("../documents/gitlab.json");

pub(crate) struct Document {
    base: String,
    paths: Value,
    defs: Value,
}

/// A request that the document describes.
pub(crate) struct Operation<'a> {
    /// Method and path below the base, with placeholders, such as `get /pulls/{index}`.
    pub(crate) name: String,
    /// The values of the placeholders, without those of the base.
    pub(crate) arguments: Vec<String>,
    described: &'a Value,
}

impl Document {
    pub(crate) fn of(kind: Kind) -> Self {
        let parse = |text: &str| -> Value { serde_json::from_str(text).expect("a JSON document") };
        let mut main = match kind {
            Kind::Forgejo => parse(FORGEJO),
            Kind::GitHub => parse(GITHUB),
            Kind::GitLab => parse(GITLAB),
        };
        if kind == Kind::GitHub {
            let more = parse(GITHUB_MORE)["paths"].as_object().expect("paths").clone();
            main["paths"].as_object_mut().expect("paths").extend(more);
        }
        let base = main["base"].as_str().expect("a base").to_owned();
        // GitHub's document is for its own host; ours is like an enterprise server.
        let base = if kind == Kind::GitHub { format!("/api/v3{base}") } else { base };
        Self { base, paths: main["paths"].take(), defs: main["$defs"].take() }
    }

    /// What a request asks for; `path` is as sent, percent-encoded.
    pub(crate) fn operation(&self, method: &str, path: &str) -> Option<Operation<'_>> {
        let (base, sent): (Vec<_>, Vec<_>) =
            (self.base.split('/').collect(), path.split('/').collect());
        let rest = sent.get(base.len()..)?;
        let is_below =
            base.iter().zip(&sent).all(|(part, sent)| part.starts_with('{') || part == sent);
        if !is_below {
            return None;
        }
        let paths = self.paths.as_object().expect("paths");
        paths.iter().find_map(|(template, methods)| {
            let parts: Vec<_> = template.split('/').skip(1).collect();
            let fits = parts.len() == rest.len()
                && parts.iter().zip(rest).all(|(part, sent)| part.starts_with('{') || part == sent);
            let described = methods.get(method.to_lowercase()).filter(|_| fits)?;
            let placeholders = parts.iter().zip(rest).filter(|(part, _)| part.starts_with('{'));
            let arguments = placeholders.map(|(_, sent)| (*sent).to_owned()).collect();
            let name = format!("{} {template}", method.to_lowercase());
            Some(Operation { name, arguments, described })
        })
    }

    /// What is wrong with the query and body of a request.
    pub(crate) fn check(
        &self,
        operation: &Operation<'_>,
        query: &[(String, String)],
        body: Option<&Value>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        for (name, value) in query {
            let schema = &operation.described["query"][name.as_str()];
            let typed = match schema["type"].as_str() {
                Some("integer") => {
                    value.parse::<i64>().map_or(json!(value), |number| json!(number))
                }
                _ => json!(value),
            };
            match schema.is_null() {
                true => found.push(format!("the query parameter {name} does not exist")),
                false => found.extend(self.violations(schema, &typed)),
            }
        }
        match (&operation.described["body"], body) {
            (Value::Null, Some(_)) => found.push("it has no body".to_owned()),
            (Value::Null, None) => {}
            (_, None) => found.push("its body is missing".to_owned()),
            (schema, Some(body)) => {
                found.extend(self.violations(schema, body));
                found.extend(self.unknown_fields(schema, body));
            }
        }
        found
    }

    /// A reply with these fields, and otherwise the smallest that the document permits.
    pub(crate) fn reply(&self, operation: &Operation<'_>, status: u16, fields: Value) -> Value {
        let schema = &operation.described["responses"][status.to_string()];
        assert!(!schema.is_null(), "{} has no reply {status}", operation.name);
        let reply = match (&fields, schema["items"].is_object()) {
            (Value::Array(items), true) => {
                items.iter().map(|item| self.filled(&schema["items"], item)).collect()
            }
            _ => self.filled(schema, &fields),
        };
        let violations = self.violations(schema, &reply);
        assert!(violations.is_empty(), "{} replies {reply}: {violations:?}", operation.name);
        reply
    }

    fn filled(&self, schema: &Value, fields: &Value) -> Value {
        let mut whole = sample(schema, &self.defs, 0);
        overlay(&mut whole, fields);
        whole
    }

    fn violations(&self, schema: &Value, value: &Value) -> Vec<String> {
        schema::violations(schema, value, &self.defs, "")
    }

    /// Servers ignore unknown fields, so that a misspelt one has no effect.
    fn unknown_fields(&self, schema: &Value, body: &Value) -> Vec<String> {
        let schema = match schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
            Some(name) => &self.defs[name],
            None => schema,
        };
        let fields = body.as_object().into_iter().flat_map(|fields| fields.keys());
        let unknown = fields.filter(|name| schema["properties"][name.as_str()].is_null());
        unknown.map(|name| format!("the field {name} does not exist")).collect()
    }
}

fn overlay(whole: &mut Value, fields: &Value) {
    match (whole, fields) {
        (Value::Object(whole), Value::Object(fields)) => {
            for (name, value) in fields {
                overlay(whole.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (whole, fields) => *whole = fields.clone(),
    }
}
