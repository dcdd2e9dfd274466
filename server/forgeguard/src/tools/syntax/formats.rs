//! JSON, YAML and TOML, up to the first error.

use super::syntax_error::SyntaxError;

/// Options for all YAML: `yes` and `on` are strings.
pub fn yaml_options() -> serde_saphyr::Options {
    serde_saphyr::options! { strict_booleans: true, with_snippet: false }
}

pub fn yaml_error(error: &serde_saphyr::Error) -> SyntaxError {
    let place = error.location();
    let number = |of: fn(&serde_saphyr::Location) -> u64| {
        place.as_ref().map_or(1, |place| usize::try_from(of(place)).unwrap_or(1).max(1))
    };
    let (line, column) = (number(|place| place.line()), number(|place| place.column()));
    let reason = error.without_snippet().to_string();
    SyntaxError { line, column, reason }
}

pub(super) fn json(text: &str) -> Option<SyntaxError> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    let reason = error.to_string();
    // The place is reported separately.
    let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
    Some(SyntaxError {
        line: error.line().max(1),
        column: error.column().max(1),
        reason: reason.into(),
    })
}

pub(super) fn yaml(text: &str) -> Option<SyntaxError> {
    let read = serde_saphyr::from_multiple_with_options::<serde_json::Value>(text, yaml_options());
    read.err().map(|error| yaml_error(&error))
}

pub(super) fn toml(text: &str) -> Option<SyntaxError> {
    let error = toml::from_str::<toml::Table>(text).err()?;
    let start = error.span().map_or(0, |span| span.start);
    let before = &text[..text.floor_char_boundary(start)];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
    Some(SyntaxError { line, column, reason: error.message().to_owned() })
}
