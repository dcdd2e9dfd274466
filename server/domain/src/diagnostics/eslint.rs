//! ESLint, in its own format and in those of `eslint-formatter-unix` and `-compact`.

use super::{
    found::{Found, Weight},
    place::{self, Place},
    sheet::Sheet,
};
use crate::errors::Severity;

const TOOL: &str = "eslint";

/// Problems in files, and ESLint's own.
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut file: Option<&str> = None;
    for (at, line) in sheet.free() {
        if line.is_empty() {
            file = None;
        } else if place::is_path(line) {
            file = Some(line);
        }
        let one = row(at, line, file).or_else(|| unix(sheet, at)).or_else(|| compact(at, line));
        found.extend(one.or_else(|| own(sheet, at)));
    }
    found
}

fn graveness(word: &str) -> Option<Severity> {
    match word.to_ascii_lowercase().as_str() {
        "error" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        _ => None,
    }
}

fn problem(
    at: usize,
    severity: Severity,
    message: &str,
    rule: Option<&str>,
    place: Option<Place>,
) -> Found {
    let code = rule.map(str::to_owned);
    Found::error(at..at + 1, TOOL, message).severity(severity).code(code).at(place)
}

/// `  1:7  error  message  rule` under the path of its file.
fn row(at: usize, line: &str, file: Option<&str>) -> Option<Found> {
    if !line.starts_with("  ") {
        return None;
    }
    let (number, rest) = place::number(line.trim_start())?;
    let (_, rest) = place::number(rest.strip_prefix(':')?)?;
    let rest = rest.strip_prefix(' ')?.trim_start();
    let (word, rest) = rest.split_once(' ')?;
    let severity = graveness(word)?;
    let rest = rest.trim();
    let (message, rule) = match rest.rsplit_once("  ") {
        Some((message, rule)) if is_rule(rule) => (message.trim_end(), Some(rule)),
        _ => (rest, None),
    };
    let place = file.map(|file| Place::new(file, Some(number)));
    Some(problem(at, severity, message, rule, place))
}

fn is_rule(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-/@_.".contains(&b))
}

/// `path:1:7: message. [Error/rule]`.
fn unix(sheet: &Sheet, at: usize) -> Option<Found> {
    let (place, rest) = sheet.located(at)?;
    let (message, tag) = rest.strip_suffix(']')?.rsplit_once(" [")?;
    let (word, rule) = tag.split_once('/').map_or((tag, None), |(word, rule)| (word, Some(rule)));
    let severity = graveness(word).filter(|_| word.starts_with(char::is_uppercase))?;
    Some(problem(at, severity, message, rule, Some(place)))
}

/// `path: line 1, col 7, Error - message. (rule)`.
fn compact(at: usize, line: &str) -> Option<Found> {
    let (path, rest) = line.split_once(": line ")?;
    let (number, rest) = place::number(rest)?;
    let (_, rest) = place::number(rest.strip_prefix(", col ")?)?;
    let (word, rest) = rest.strip_prefix(", ")?.split_once(" - ")?;
    let severity = graveness(word)?;
    let (message, rule) = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((message, rule)) if is_rule(rule) => (message, Some(rule)),
        _ => (rest, None),
    };
    Some(problem(at, severity, message, rule, Some(Place::new(path, Some(number)))))
}

/// What ESLint says of itself.
fn own(sheet: &Sheet, at: usize) -> Option<Found> {
    let line = sheet.line(at);
    if line.starts_with("ESLint found too many warnings") {
        return Some(Found::error(at..at + 1, TOOL, line).weight(Weight::Ending));
    }
    if !line.starts_with("Oops! Something went wrong!") {
        return None;
    }
    let (from, _) = sheet.within(at..at + 8).find(|(_, line)| line.starts_with("ESLint: "))?;
    let (told, message) = sheet.within(from + 1..from + 8).find(|(_, line)| !line.is_empty())?;
    let end = sheet.until(told + 1, told + 30, |_, line| line.is_empty());
    Some(Found::error(at..end, TOOL, message))
}
