//! `path:line:column: error: message`, as so many tools print it: mypy, and those that have no
//! reader of their own.

use super::{
    output_reader::OutputReader, raw_diagnostic::RawDiagnostic, source_location::SourceLocation,
};
use crate::errors::Severity;

/// Lines over which a message may be broken.
const MAX_MESSAGE_LINES: usize = 4;

/// Complaints with a location that nothing else has understood.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    for (at, line) in reader.free() {
        let placed = reader.located(at).or_else(|| fileless(line));
        let Some((location, rest)) = placed else { continue };
        let Some((severity, message)) = graveness(rest) else { continue };
        let python = location.file.ends_with(".py") || location.file.ends_with(".pyi");
        let one = if python {
            mypy(reader, at, message)
        } else {
            RawDiagnostic::error(at..at + 1, "other", message)
        };
        found.push(one.severity(severity).at(Some(location)));
    }
    found
}

fn graveness(rest: &str) -> Option<(Severity, &str)> {
    let (word, message) = rest.split_once(':')?;
    let severity = match word.trim().to_ascii_lowercase().as_str() {
        "error" | "fatal error" | "fatal" => Severity::Error,
        "warning" | "warn" => Severity::Warning,
        _ => return None,
    };
    let message = message.trim();
    (!message.is_empty()).then_some((severity, message))
}

/// `path.py: error: message`: about a whole file.
fn fileless(line: &str) -> Option<(SourceLocation, &str)> {
    let (path, rest) = line.split_once(": ")?;
    path.ends_with(".py").then(|| (SourceLocation::new(path, None), rest))
}

/// mypy adds a code, and breaks long messages where it is asked for pretty ones.
fn mypy(reader: &OutputReader, at: usize, message: &str) -> RawDiagnostic {
    let mut message = message.to_owned();
    let mut end = at + 1;
    if !message.ends_with(']') {
        let below = at + 1..at + 1 + MAX_MESSAGE_LINES;
        let goes_on =
            |at: usize, line: &str| !line.starts_with(' ') && reader.located(at).is_none();
        let more = reader.within(below).take_while(|(at, line)| goes_on(*at, line));
        let more: Vec<&str> = more.map(|(_, line)| line).collect();
        if let Some(last) = more.iter().position(|line| line.ends_with(']')) {
            message = format!("{message} {}", more[..=last].join(" "));
            end += last + 1;
        }
    }
    let (message, code) = match message.strip_suffix(']').and_then(|m| m.rsplit_once("  [")) {
        Some((message, code)) => (message.to_owned(), Some(code.to_owned())),
        None => (message, None),
    };
    RawDiagnostic::error(at..end, "mypy", message).code(code)
}
