//! `path:line:column: error: message`, as so many tools print it: mypy, and those that have no
//! reader of their own.

use super::{found::Found, place::Place, sheet::Sheet};
use crate::errors::Severity;

/// Lines over which a message may be broken.
const MOST_BROKEN: usize = 4;

/// Complaints with a place that nothing else has understood.
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, line) in sheet.free() {
        let placed = sheet.located(at).or_else(|| fileless(line));
        let Some((place, rest)) = placed else { continue };
        let Some((severity, message)) = graveness(rest) else { continue };
        let python = place.file.ends_with(".py") || place.file.ends_with(".pyi");
        let one = if python {
            mypy(sheet, at, message)
        } else {
            Found::error(at..at + 1, "other", message)
        };
        found.push(one.severity(severity).at(Some(place)));
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
fn fileless(line: &str) -> Option<(Place, &str)> {
    let (path, rest) = line.split_once(": ")?;
    path.ends_with(".py").then(|| (Place::new(path, None), rest))
}

/// mypy adds a code, and breaks long messages where it is asked for pretty ones.
fn mypy(sheet: &Sheet, at: usize, message: &str) -> Found {
    let mut message = message.to_owned();
    let mut end = at + 1;
    if !message.ends_with(']') {
        let below = at + 1..at + 1 + MOST_BROKEN;
        let goes_on = |at: usize, line: &str| !line.starts_with(' ') && sheet.located(at).is_none();
        let more = sheet.within(below).take_while(|(at, line)| goes_on(*at, line));
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
    Found::error(at..end, "mypy", message).code(code)
}
