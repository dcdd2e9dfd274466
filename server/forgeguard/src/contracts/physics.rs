//! The physics contract: YAML that lists every endpoint.

use std::collections::HashMap;

use serde::Deserialize;
use serde_saphyr::Spanned;

use super::misfit::Misfit;
use crate::tools::syntax::{yaml_flaw, yaml_options};

#[derive(Deserialize)]
struct Physics {
    endpoints: Vec<Spanned<Endpoint>>,
}

/// What else an endpoint holds is up to the project.
#[derive(Deserialize)]
struct Endpoint {
    name: String,
    method: Option<String>,
    path: Option<String>,
    call: Option<String>,
}

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Checks that it is YAML with at least one endpoint, each with a name of its own and either
/// `method` and `path` or, for what is not HTTP, `call`.
pub fn validate(text: &str) -> Result<(), Misfit> {
    let physics: Physics =
        serde_saphyr::from_str_with_options(text, yaml_options()).map_err(|error| {
            let flaw = yaml_flaw(&error);
            Misfit::at(flaw.line, flaw.reason)
        })?;
    if physics.endpoints.is_empty() {
        return Err(Misfit::at(1, "`endpoints` lists no endpoint"));
    }
    let mut lines: HashMap<&str, usize> = HashMap::new();
    for endpoint in &physics.endpoints {
        let line = usize::try_from(endpoint.referenced.line()).unwrap_or(1);
        check(&endpoint.value).map_err(|reason| Misfit::at(line, reason))?;
        if let Some(first) = lines.insert(&endpoint.value.name, line) {
            let name = &endpoint.value.name;
            let reason = format!("the endpoint `{name}` is there already, in line {first}");
            return Err(Misfit::at(line, reason));
        }
    }
    Ok(())
}

fn check(endpoint: &Endpoint) -> Result<(), String> {
    let Endpoint { name, method, path, call } = endpoint;
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
    fn endpoints_are_checked_where_they_stand() {
        let good = "info: {title: x}\nendpoints:\n  - name: a\n    method: get\n    path: /a\n  - name: b\n    call: x b\n";
        assert_eq!(validate(good), Ok(()));
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
            let misfit = validate(text).unwrap_err();
            assert!((line..=line + 1).contains(&misfit.line), "{text}: {misfit}");
            assert!(misfit.reason.contains(part), "{text}: {misfit}");
        }
    }
}
