//! pytest: what stands under FAILURES and ERRORS, and the short summary.

use std::ops::Range;

use super::{
    found::{Found, Weight},
    place::Place,
    sheet::Sheet,
    traceback, wording,
};

const TOOL: &str = "pytest";

/// A part under FAILURES or ERRORS, or a line of the summary.
struct Part<'a> {
    lines: Range<usize>,
    /// `Class.test[parameter]`, `setup of test`, the path of a file that was not collected.
    name: String,
    exception: Option<&'a str>,
    places: Vec<Place>,
}

/// Tests that failed, files that could not be collected, and what ended pytest itself.
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < sheet.len() {
        at = match title(sheet.line(at)) {
            Some("FAILURES" | "ERRORS") => {
                let end = sheet.until(at + 1, sheet.len(), |_, line| title(line).is_some());
                parts.extend(sections(sheet, at + 1..end));
                end
            }
            Some("short test summary info") => {
                let end = sheet.until(at + 1, sheet.len(), |_, line| ends_summary(line));
                summarise(sheet, at + 1..end, &mut parts);
                end
            }
            _ => at + 1,
        };
    }
    let mut found: Vec<Found> = parts.into_iter().map(Part::told).collect();
    found.extend((0..sheet.len()).filter_map(|at| own(sheet, at)));
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

fn sections(sheet: &Sheet, lines: Range<usize>) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut at = sheet.until(lines.start, lines.end, |_, line| section(line).is_some());
    while at < lines.end {
        let end = sheet.until(at + 1, lines.end, |_, line| section(line).is_some());
        let name = section(sheet.line(at)).unwrap_or_default();
        parts.push(part(sheet, at..end, name));
        at = end;
    }
    parts
}

fn part<'a>(sheet: &'a Sheet, lines: Range<usize>, name: &str) -> Part<'a> {
    let end = sheet.until(lines.start + 1, lines.end, |_, line| {
        line.starts_with("-----") && line.contains(" Captured ")
    });
    let name = name.strip_prefix("ERROR ").unwrap_or(name);
    let name = name.strip_prefix("at ").or(name.strip_prefix("collecting ")).unwrap_or(name);
    let body = lines.start + 1..end;
    let native = || traceback::last(sheet, body.clone());
    let first = || sheet.within(body.clone()).map(|(_, line)| line.trim()).find(|l| !l.is_empty());
    let exception = exception(sheet, body.clone()).or_else(|| native().map(|t| t.exception));
    let mut places: Vec<Place> = sheet.within(body.clone()).filter_map(|(_, l)| place(l)).collect();
    places.retain(Place::is_own);
    Part { lines, name: name.to_owned(), exception: exception.or_else(first), places }
}

/// `path:5: in name`, `path:5: ValueError`, `path:5: `, `File "path", line 5`.
fn place(line: &str) -> Option<Place> {
    if let Some(place) = traceback::frame(line) {
        return Some(place);
    }
    let (place, rest) = super::place::leading(line)?;
    let tail = rest.is_empty() || rest.starts_with("in ") || !rest.contains(' ');
    (tail && place.file.ends_with(".py")).then_some(place)
}

/// What the last lines marked with `E` say: the least indented of them.
fn exception(sheet: &Sheet, lines: Range<usize>) -> Option<&str> {
    let marked = |line: &'_ str| line.starts_with("E ");
    let (last, _) = sheet.within(lines.clone()).rfind(|(_, line)| marked(line))?;
    let group = sheet.within(lines.start..last + 1).rev();
    let group: Vec<&str> = group.map(|e| e.1).take_while(|line| marked(line)).collect();
    let depth = |line: &str| line[1..].len() - line[1..].trim_start().len();
    // `min_by_key` takes the first of equals; the group is in reverse.
    group.into_iter().rev().min_by_key(|line| depth(line)).map(|line| line[1..].trim())
}

/// The lines of the summary: they know files and classes, and tests that have no part of their own.
fn summarise<'a>(sheet: &'a Sheet, lines: Range<usize>, parts: &mut Vec<Part<'a>>) {
    let mut matched = vec![false; parts.len()];
    for (at, line) in sheet.within(lines) {
        let rest = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "));
        let Some(rest) = rest else { continue };
        let (id, told) = rest.split_once(" - ").unwrap_or((rest, ""));
        let (file, name) = id.split_once("::").unwrap_or((id, id));
        let name = name.replace("::", ".");
        let is_same = |part: &Part<'_>| {
            let of = part.name.rsplit(" of ").next() == Some(name.as_str());
            let there = part.places.iter().any(|place| place.file == file);
            (of || part.name == name) && (there || part.places.is_empty() || part.name == file)
        };
        let known = (0..matched.len()).find(|n| !matched[*n] && is_same(&parts[*n]));
        let place = Place::new(file, None);
        if let Some(known) = known {
            matched[known] = true;
            let line = parts[known].places.iter().find(|at| at.file == place.file);
            let place = line.cloned().unwrap_or(place);
            parts[known].places.insert(0, place);
        } else {
            let exception = Some(told.trim()).filter(|told| !told.is_empty());
            parts.push(Part { lines: at..at + 1, name, exception, places: vec![place] });
        }
    }
}

impl Part<'_> {
    fn told(self) -> Found {
        let exception = self.exception.unwrap_or("failed");
        let place = self.places.into_iter().next();
        let asserts = exception.starts_with("assert ")
            || wording::exception(exception).is_some_and(|(name, _)| wording::is_assertion(name));
        let reason = if asserts { "AssertionError" } else { exception };
        let collected = place.as_ref().is_some_and(|place| place.file == self.name);
        if collected {
            return Found::error(self.lines, TOOL, exception).at(place);
        }
        Found::test(self.lines, TOOL, &self.name, exception, reason).at(place)
    }
}

/// What ended pytest itself.
fn own(sheet: &Sheet, at: usize) -> Option<Found> {
    let line = sheet.line(at);
    if let Some(rest) = line.strip_prefix("ImportError while loading conftest '") {
        let path = rest.split('\'').next().unwrap_or(rest);
        let end = sheet.until(at + 1, at + 40, |_, line| line.is_empty());
        let told = exception(sheet, at + 1..end).unwrap_or(line);
        return Some(Found::error(at..end, TOOL, told).at(Some(Place::new(path, None))));
    }
    if line.starts_with("INTERNALERROR> ") {
        let next = sheet.line(at + 1);
        let told = line.trim_start_matches("INTERNALERROR> ");
        let last = !next.starts_with("INTERNALERROR> ") && wording::exception(told).is_some();
        return last.then(|| Found::error(at..at + 1, TOOL, format!("internal error: {told}")));
    }
    let message = line
        .strip_prefix("pytest: error: ")
        .or_else(|| line.strip_prefix("ERROR: ").filter(|rest| rest.contains("not found: ")))
        .or_else(|| line.strip_prefix("FAIL ").filter(|rest| rest.contains("coverage of")));
    if let Some(message) = message {
        return Some(Found::error(at..at + 1, TOOL, message));
    }
    // The last line counts; where nothing else was printed, that is what there is.
    let counts = title(line)?.split(" in ").next()?;
    let bad = counts == "no tests ran" || counts.contains(" failed") || counts.contains(" error");
    bad.then(|| Found::error(at..at + 1, TOOL, counts).weight(Weight::Echo))
}
