//! The boundaries contract: JSON with the layers and the imports allowed to each.

use std::collections::HashSet;

use globset::Glob;
use serde::Deserialize;

use super::validation_error::ValidationError;

#[derive(Deserialize)]
pub(super) struct Boundaries {
    /// In the order of the text.
    pub layers: Vec<Layer>,
}

/// Other fields are up to the project.
#[derive(Deserialize)]
pub(super) struct Layer {
    pub name: String,
    /// Globs.
    pub paths: Vec<String>,
    /// Names of layers or external packages.
    pub may_import: Vec<String>,
}

impl Boundaries {
    /// The line of a layer's name.
    pub fn line_of(&self, text: &str, name: &str) -> usize {
        let layer = format!("\"name\": {}", serde_json::Value::from(name));
        let place = text.find(&layer).or_else(|| text.find(&format!("\"{name}\""))).unwrap_or(0);
        text[..place].matches('\n').count() + 1
    }
}

/// Parses as much as is valid.
pub(super) fn read(text: &str) -> Result<Boundaries, ValidationError> {
    serde_json::from_str(text).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
        ValidationError::at(error.line(), reason)
    })
}

/// Checks that it is JSON with at least one layer, each with a unique name and globs.
pub fn validate(text: &str) -> Result<(), ValidationError> {
    let boundaries = read(text)?;
    if boundaries.layers.is_empty() {
        return Err(ValidationError::at(1, "`layers` is empty"));
    }
    let mut names = HashSet::new();
    for layer in &boundaries.layers {
        let at = |reason: String| Err(ValidationError::at(line_of(text, &layer.name), reason));
        let name = &layer.name;
        if name.trim().is_empty() {
            return at("a layer has an empty `name`".into());
        }
        if !names.insert(name) {
            return at(format!("the layer `{name}` is defined twice"));
        }
        if layer.paths.is_empty() {
            return at(format!("the layer `{name}` has no `paths`"));
        }
        if let Some(glob) = layer.paths.iter().find(|glob| Glob::new(glob).is_err()) {
            return Err(ValidationError::at(
                line_of(text, glob),
                format!("`{glob}` is not a valid path glob"),
            ));
        }
        if layer.may_import.iter().any(|import| import.trim().is_empty()) {
            return at(format!("`may_import` of the layer `{name}` contains an empty name"));
        }
    }
    Ok(())
}

/// The last line that contains the text as a JSON string: of two layers with the same name, the
/// later one is reported.
fn line_of(json: &str, text: &str) -> usize {
    let quoted = serde_json::Value::from(text).to_string();
    let place = json.rfind(&quoted).unwrap_or(0);
    json[..place].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layer_errors_have_line_numbers() {
        let layer = |name: &str, paths: &str| {
            format!(
                "{{\"name\": \"{name}\", \"paths\": {paths}, \"may_import\": [], \"rule\": \"r\"}}"
            )
        };
        let all = |layers: &[String]| format!("{{\"layers\": [\n{}\n]}}", layers.join(",\n"));
        let good = layer("core", "[\"src/**\"]");
        assert_eq!(validate(&all(std::slice::from_ref(&good))), Ok(()));
        for (text, line, part) in [
            ("{\"layers\": [\n}".to_owned(), 2, "expected"),
            ("{\"layers\": []}".to_owned(), 1, "`layers` is empty"),
            ("{\n\"layers\": [{\"name\": \"a\"}]}".to_owned(), 2, "paths"),
            (all(&[good.clone(), good.clone()]), 3, "twice"),
            (all(&[good.clone(), layer("web", "[]")]), 3, "no `paths`"),
            (all(&[good.clone(), layer("web", "[\"[x\"]")]), 3, "not a valid path glob"),
            (all(&[layer(" ", "[\"a\"]")]), 2, "empty"),
        ] {
            let validation_error = validate(&text).unwrap_err();
            assert_eq!(validation_error.line, line, "{text}: {validation_error}");
            assert!(validation_error.reason.contains(part), "{text}: {validation_error}");
        }
    }
}
