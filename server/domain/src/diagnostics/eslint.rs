//! ESLint, in its own format and in those of `eslint-formatter-unix` and `-compact`.

use super::{
    output_reader::OutputReader,
    raw_diagnostic::{RawDiagnostic, Weight},
    source_location::{self, SourceLocation},
};
use crate::errors::Severity;

const TOOL: &str = "eslint";

/// Problems in files, and ESLint's own.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    let mut file: Option<&str> = None;
    for (at, line) in reader.free() {
        if line.is_empty() {
            file = None;
        } else if source_location::is_path(line) {
            file = Some(line);
        }
        let one = row(at, line, file).or_else(|| unix(reader, at)).or_else(|| compact(at, line));
        found.extend(one.or_else(|| own(reader, at)));
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
    location: Option<SourceLocation>,
) -> RawDiagnostic {
    let code = rule.map(str::to_owned);
    RawDiagnostic::error(at..at + 1, TOOL, message).severity(severity).code(code).at(location)
}

/// `  1:7  error  message  rule` under the path of its file.
fn row(at: usize, line: &str, file: Option<&str>) -> Option<RawDiagnostic> {
    if !line.starts_with("  ") {
        return None;
    }
    let (number, rest) = source_location::number(line.trim_start())?;
    let (_, rest) = source_location::number(rest.strip_prefix(':')?)?;
    let rest = rest.strip_prefix(' ')?.trim_start();
    let (word, rest) = rest.split_once(' ')?;
    let severity = graveness(word)?;
    let rest = rest.trim();
    let (message, rule) = match rest.rsplit_once("  ") {
        Some((message, rule)) if is_rule(rule) => (message.trim_end(), Some(rule)),
        _ => (rest, None),
    };
    let location = file.map(|file| SourceLocation::new(file, Some(number)));
    Some(problem(at, severity, message, rule, location))
}

fn is_rule(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-/@_.".contains(&b))
}

/// `path:1:7: message. [Error/rule]`.
fn unix(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let (location, rest) = reader.located(at)?;
    let (message, tag) = rest.strip_suffix(']')?.rsplit_once(" [")?;
    let (word, rule) = tag.split_once('/').map_or((tag, None), |(word, rule)| (word, Some(rule)));
    let severity = graveness(word).filter(|_| word.starts_with(char::is_uppercase))?;
    Some(problem(at, severity, message, rule, Some(location)))
}

/// `path: line 1, col 7, Error - message. (rule)`.
fn compact(at: usize, line: &str) -> Option<RawDiagnostic> {
    let (path, rest) = line.split_once(": line ")?;
    let (number, rest) = source_location::number(rest)?;
    let (_, rest) = source_location::number(rest.strip_prefix(", col ")?)?;
    let (word, rest) = rest.strip_prefix(", ")?.split_once(" - ")?;
    let severity = graveness(word)?;
    let (message, rule) = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((message, rule)) if is_rule(rule) => (message, Some(rule)),
        _ => (rest, None),
    };
    Some(problem(at, severity, message, rule, Some(SourceLocation::new(path, Some(number)))))
}

/// What ESLint says of itself.
fn own(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let line = reader.line(at);
    if line.starts_with("ESLint found too many warnings") {
        return Some(RawDiagnostic::error(at..at + 1, TOOL, line).weight(Weight::Ending));
    }
    if !line.starts_with("Oops! Something went wrong!") {
        return None;
    }
    let (from, _) = reader.within(at..at + 8).find(|(_, line)| line.starts_with("ESLint: "))?;
    let (told, message) = reader.within(from + 1..from + 8).find(|(_, line)| !line.is_empty())?;
    let end = reader.until(told + 1, told + 30, |_, line| line.is_empty());
    Some(RawDiagnostic::error(at..end, TOOL, message))
}
