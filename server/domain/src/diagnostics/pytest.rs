//! pytest: what stands under FAILURES and ERRORS, and the short summary.

use std::ops::Range;

use super::{
    normalisation,
    output_reader::OutputReader,
    raw_diagnostic::{RawDiagnostic, Weight},
    source_location::SourceLocation,
    traceback,
};

const TOOL: &str = "pytest";

/// A part under FAILURES or ERRORS, or a line of the summary.
struct Part<'a> {
    lines: Range<usize>,
    /// `Class.test[parameter]`, `setup of test`, the path of a file that was not collected.
    name: String,
    exception: Option<&'a str>,
    locations: Vec<SourceLocation>,
}

/// Tests that failed, files that could not be collected, and what ended pytest itself.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < reader.len() {
        at = match title(reader.line(at)) {
            Some("FAILURES" | "ERRORS") => {
                let end = reader.until(at + 1, reader.len(), |_, line| title(line).is_some());
                parts.extend(sections(reader, at + 1..end));
                end
            }
            Some("short test summary info") => {
                let end = reader.until(at + 1, reader.len(), |_, line| ends_summary(line));
                summarise(reader, at + 1..end, &mut parts);
                end
            }
            _ => at + 1,
        };
    }
    let mut found: Vec<RawDiagnostic> = parts.into_iter().map(Part::told).collect();
    found.extend((0..reader.len()).filter_map(|at| own(reader, at)));
    found
}

/// The words in a line of `=====`.
fn title(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('=')?.strip_suffix('=')?.trim_matches('=');
    let words = inner.trim();
    (inner.len() > words.len() && !words.is_empty()).then_some(words)
}

/// The name in a line of `_____`.
fn section(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('_')?.strip_suffix('_')?.trim_matches('_');
    let name = inner.strip_prefix(' ')?.strip_suffix(' ')?.trim();
    (!name.is_empty() && !name.chars().all(|c| c == '_' || c == ' ')).then_some(name)
}

fn ends_summary(line: &str) -> bool {
    title(line).is_some() || line.starts_with("!!!")
}

fn sections(reader: &OutputReader, lines: Range<usize>) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut at = reader.until(lines.start, lines.end, |_, line| section(line).is_some());
    while at < lines.end {
        let end = reader.until(at + 1, lines.end, |_, line| section(line).is_some());
        let name = section(reader.line(at)).unwrap_or_default();
        parts.push(part(reader, at..end, name));
        at = end;
    }
    parts
}

fn part<'a>(reader: &'a OutputReader, lines: Range<usize>, name: &str) -> Part<'a> {
    let end = reader.until(lines.start + 1, lines.end, |_, line| {
        line.starts_with("-----") && line.contains(" Captured ")
    });
    let name = name.strip_prefix("ERROR ").unwrap_or(name);
    let name = name.strip_prefix("at ").or(name.strip_prefix("collecting ")).unwrap_or(name);
    let body = lines.start + 1..end;
    let native = || traceback::last(reader, body.clone());
    let first = || reader.within(body.clone()).map(|(_, line)| line.trim()).find(|l| !l.is_empty());
    let exception = exception(reader, body.clone()).or_else(|| native().map(|t| t.exception));
    let mut locations: Vec<SourceLocation> =
        reader.within(body.clone()).filter_map(|(_, l)| location(l)).collect();
    locations.retain(SourceLocation::is_own);
    Part { lines, name: name.to_owned(), exception: exception.or_else(first), locations }
}

/// `path:5: in name`, `path:5: ValueError`, `path:5: `, `File "path", line 5`.
fn location(line: &str) -> Option<SourceLocation> {
    if let Some(location) = traceback::frame(line) {
        return Some(location);
    }
    let (location, rest) = super::source_location::leading(line)?;
    let tail = rest.is_empty() || rest.starts_with("in ") || !rest.contains(' ');
    (tail && location.file.ends_with(".py")).then_some(location)
}

/// What the last lines marked with `E` say: the least indented of them.
fn exception(reader: &OutputReader, lines: Range<usize>) -> Option<&str> {
    let marked = |line: &'_ str| line.starts_with("E ");
    let (last, _) = reader.within(lines.clone()).rfind(|(_, line)| marked(line))?;
    let group = reader.within(lines.start..last + 1).rev();
    let group: Vec<&str> = group.map(|e| e.1).take_while(|line| marked(line)).collect();
    let depth = |line: &str| line[1..].len() - line[1..].trim_start().len();
    // `min_by_key` takes the first of equals; the group is in reverse.
    group.into_iter().rev().min_by_key(|line| depth(line)).map(|line| line[1..].trim())
}

/// The lines of the summary: they know files and classes, and tests that have no part of their own.
fn summarise<'a>(reader: &'a OutputReader, lines: Range<usize>, parts: &mut Vec<Part<'a>>) {
    let mut matched = vec![false; parts.len()];
    for (at, line) in reader.within(lines) {
        let rest = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "));
        let Some(rest) = rest else { continue };
        let (id, told) = rest.split_once(" - ").unwrap_or((rest, ""));
        let (file, name) = id.split_once("::").unwrap_or((id, id));
        let name = name.replace("::", ".");
        let is_same = |part: &Part<'_>| {
            let of = part.name.rsplit(" of ").next() == Some(name.as_str());
            let there = part.locations.iter().any(|location| location.file == file);
            (of || part.name == name) && (there || part.locations.is_empty() || part.name == file)
        };
        let known = (0..matched.len()).find(|n| !matched[*n] && is_same(&parts[*n]));
        let location = SourceLocation::new(file, None);
        if let Some(known) = known {
            matched[known] = true;
            let line = parts[known].locations.iter().find(|at| at.file == location.file);
            let location = line.cloned().unwrap_or(location);
            parts[known].locations.insert(0, location);
        } else {
            let exception = Some(told.trim()).filter(|told| !told.is_empty());
            parts.push(Part { lines: at..at + 1, name, exception, locations: vec![location] });
        }
    }
}

impl Part<'_> {
    fn told(self) -> RawDiagnostic {
        let exception = self.exception.unwrap_or("failed");
        let location = self.locations.into_iter().next();
        let asserts = exception.starts_with("assert ")
            || normalisation::exception(exception)
                .is_some_and(|(name, _)| normalisation::is_assertion(name));
        let reason = if asserts { "AssertionError" } else { exception };
        let collected = location.as_ref().is_some_and(|location| location.file == self.name);
        if collected {
            return RawDiagnostic::error(self.lines, TOOL, exception).at(location);
        }
        RawDiagnostic::test(self.lines, TOOL, &self.name, exception, reason).at(location)
    }
}

/// What ended pytest itself.
fn own(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let line = reader.line(at);
    if let Some(rest) = line.strip_prefix("ImportError while loading conftest '") {
        let path = rest.split('\'').next().unwrap_or(rest);
        let end = reader.until(at + 1, at + 40, |_, line| line.is_empty());
        let told = exception(reader, at + 1..end).unwrap_or(line);
        return Some(
            RawDiagnostic::error(at..end, TOOL, told).at(Some(SourceLocation::new(path, None))),
        );
    }
    if line.starts_with("INTERNALERROR> ") {
        let next = reader.line(at + 1);
        let told = line.trim_start_matches("INTERNALERROR> ");
        let last = !next.starts_with("INTERNALERROR> ") && normalisation::exception(told).is_some();
        return last
            .then(|| RawDiagnostic::error(at..at + 1, TOOL, format!("internal error: {told}")));
    }
    let message = line
        .strip_prefix("pytest: error: ")
        .or_else(|| line.strip_prefix("ERROR: ").filter(|rest| rest.contains("not found: ")))
        .or_else(|| line.strip_prefix("FAIL ").filter(|rest| rest.contains("coverage of")));
    if let Some(message) = message {
        return Some(RawDiagnostic::error(at..at + 1, TOOL, message));
    }
    // The last line counts; where nothing else was printed, that is what there is.
    let counts = title(line)?.split(" in ").next()?;
    let bad = counts == "no tests ran" || counts.contains(" failed") || counts.contains(" error");
    bad.then(|| RawDiagnostic::error(at..at + 1, TOOL, counts).weight(Weight::Echo))
}
