//! Node: uncaught errors, and npm.

use super::{
    js_stack, normalisation,
    output_reader::OutputReader,
    raw_diagnostic::{RawDiagnostic, Weight},
    scan::scan,
    source_location::{self, SourceLocation},
};

const NODE: &str = "node";
const NPM: &str = "npm";
/// Lines of quoted code between the location and the caret under it.
const MAX_QUOTED_LINES: usize = 6;
/// Frames that a stack has at most, and what else is printed with it.
const MAX_STACK_LINES: usize = 60;

/// Errors that ended a program. The test runner prints those of its children as comments.
pub fn uncaught(reader: &OutputReader) -> Vec<RawDiagnostic> {
    scan(reader, |at| thrown(reader, at).or_else(|| out_of_memory(reader, at)))
}

fn uncommented(line: &str) -> &str {
    line.strip_prefix("# ").unwrap_or(line)
}

/// The location, the code with a caret, the error, its stack.
fn thrown(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let thrown_at = spot(uncommented(reader.line(at)))?;
    let quoted = at + 1..at + 1 + MAX_QUOTED_LINES;
    let is_caret = |line: &str| {
        let line = uncommented(line).trim();
        !line.is_empty() && line.chars().all(|c| c == '^')
    };
    let (caret, _) = reader.within(quoted).find(|(_, line)| is_caret(line))?;
    let mut below = reader.within(caret + 1..caret + 4).map(|(at, line)| (at, uncommented(line)));
    let (told_at, told) = below.find(|(_, line)| !line.is_empty() && *line != "#")?;
    let end = end_of_stack(reader, told_at + 1);
    let stack = told_at + 1..end;
    let from_stack = || {
        let mut locations = reader.within(stack).filter_map(|(_, line)| {
            let line = uncommented(line);
            js_stack::frame(line)
                .or_else(|| Some(SourceLocation::new(line.strip_prefix("- ")?, None)))
        });
        locations.find(SourceLocation::is_own)
    };
    let importer =
        told.split_once(" imported from ").map(|(_, path)| SourceLocation::new(path, None));
    let own = Some(thrown_at).filter(SourceLocation::is_own);
    let location = own.or(importer.filter(SourceLocation::is_own)).or_else(from_stack);
    Some(RawDiagnostic::error(at..end, NODE, js_stack::plain(told)).at(location))
}

/// `path:3`, `node:fs:573`, `[eval]:1` alone on a line.
fn spot(line: &str) -> Option<SourceLocation> {
    let (path, number) = line.rsplit_once(':')?;
    let number = number.parse().ok()?;
    let path = source_location::normalised_path(path);
    let inside = ["node:", "[eval]", "<anonymous"].iter().any(|start| path.starts_with(start));
    let script = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];
    let known = inside || script.iter().any(|end| path.ends_with(end));
    (known && !path.contains(' ')).then(|| SourceLocation::new(&path, Some(number)))
}

/// Behind the frames, what the error carries, and the version of Node.
fn end_of_stack(reader: &OutputReader, from: usize) -> usize {
    let to = from + MAX_STACK_LINES;
    let version =
        reader.within(from..to).find(|(_, line)| uncommented(line).starts_with("Node.js v"));
    version.map_or_else(|| reader.until(from, to, |_, line| line.is_empty()), |(at, _)| at + 1)
}

fn out_of_memory(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let told = reader.line(at).strip_prefix("FATAL ERROR: ")?;
    Some(RawDiagnostic::error(at..at + 1, NODE, told))
}

/// An exception with a stack that nothing else has understood.
pub fn stacks(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    for (at, line) in reader.free() {
        let told = line.trim().trim_start_matches("Uncaught ");
        let Some((name, _)) = normalisation::exception(told) else { continue };
        let stack = reader.within(at + 1..at + 12).position(|(_, line)| is_frame(line));
        let Some(stack) = stack.map(|below| at + 1 + below) else { continue };
        let end = reader.until(stack, stack + MAX_STACK_LINES, |_, line| !is_frame(line));
        let told = js_stack::plain(told);
        let asserts = normalisation::is_assertion(name);
        let reason = if asserts { name.to_owned() } else { told.clone() };
        let location = js_stack::own(reader, stack..end);
        found.push(RawDiagnostic::error(at..end, NODE, told).known_by(reason).at(location));
    }
    found
}

fn is_frame(line: &str) -> bool {
    line.starts_with(' ') && line.trim_start().starts_with("at ")
}

/// What npm says: `npm error …`, until 2024 `npm ERR! …`.
pub fn npm(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < reader.len() {
        if said(reader.line(at)).is_none() || !reader.is_free(at) {
            at += 1;
            continue;
        }
        let end = reader.until(at, reader.len(), |_, line| said(line).is_none());
        let lines = || reader.within(at..end).filter_map(|(_, line)| said(line));
        let code = lines().find_map(|line| line.strip_prefix("code "));
        let about = ["code ", "errno ", "syscall ", "path ", "A complete log", "command "];
        let told =
            lines().find(|l| !l.is_empty() && !about.iter().any(|start| l.starts_with(start)));
        let told = told.unwrap_or("failed");
        let script = told.starts_with("Lifecycle script") || told.starts_with("Test failed");
        let exit_code = code.is_some_and(|code| code.bytes().all(|b| b.is_ascii_digit()));
        let weight = if script || exit_code { Weight::Echo } else { Weight::Own };
        let code = code.filter(|_| !exit_code).map(str::to_owned);
        found.push(RawDiagnostic::error(at..end, NPM, told).code(code).weight(weight));
        at = end;
    }
    found
}

fn said(line: &str) -> Option<&str> {
    line.strip_prefix("npm error").or_else(|| line.strip_prefix("npm ERR!")).map(str::trim)
}
