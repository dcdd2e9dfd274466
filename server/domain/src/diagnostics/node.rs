//! Node: errors that nobody caught, and npm.

use super::{
    found::{Found, Weight},
    js_stack,
    place::{self, Place},
    sheet::Sheet,
    wording,
};

const NODE: &str = "node";
const NPM: &str = "npm";
/// Lines of quoted code between the place and the caret under it.
const MOST_QUOTED: usize = 6;
/// Frames that a stack has at most, and what else is printed with it.
const LONGEST: usize = 60;

/// Errors that ended a program. The test runner prints those of its children as comments.
pub fn uncaught(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < sheet.len() {
        let one = match sheet.is_free(at) {
            true => thrown(sheet, at).or_else(|| out_of_memory(sheet, at)),
            false => None,
        };
        at = one.as_ref().map_or(at + 1, |one| one.lines.end.max(at + 1));
        found.extend(one);
    }
    found
}

fn uncommented(line: &str) -> &str {
    line.strip_prefix("# ").unwrap_or(line)
}

/// The place, the code with a caret, the error, its stack.
fn thrown(sheet: &Sheet, at: usize) -> Option<Found> {
    let thrown_at = spot(uncommented(sheet.line(at)))?;
    let quoted = at + 1..at + 1 + MOST_QUOTED;
    let is_caret = |line: &str| {
        let line = uncommented(line).trim();
        !line.is_empty() && line.chars().all(|c| c == '^')
    };
    let (caret, _) = sheet.within(quoted).find(|(_, line)| is_caret(line))?;
    let mut below = sheet.within(caret + 1..caret + 4).map(|(at, line)| (at, uncommented(line)));
    let (told_at, told) = below.find(|(_, line)| !line.is_empty() && *line != "#")?;
    let end = end_of_stack(sheet, told_at + 1);
    let stack = told_at + 1..end;
    let from_stack = || {
        let mut places = sheet.within(stack).filter_map(|(_, line)| {
            let line = uncommented(line);
            js_stack::frame(line).or_else(|| Some(Place::new(line.strip_prefix("- ")?, None)))
        });
        places.find(Place::is_own)
    };
    let importer = told.split_once(" imported from ").map(|(_, path)| Place::new(path, None));
    let own = Some(thrown_at).filter(Place::is_own);
    let place = own.or(importer.filter(Place::is_own)).or_else(from_stack);
    Some(Found::error(at..end, NODE, js_stack::plain(told)).at(place))
}

/// `path:3`, `node:fs:573`, `[eval]:1` alone on a line.
fn spot(line: &str) -> Option<Place> {
    let (path, number) = line.rsplit_once(':')?;
    let number = number.parse().ok()?;
    let path = place::tidied(path);
    let inside = ["node:", "[eval]", "<anonymous"].iter().any(|start| path.starts_with(start));
    let script = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];
    let known = inside || script.iter().any(|end| path.ends_with(end));
    (known && !path.contains(' ')).then(|| Place::new(&path, Some(number)))
}

/// Behind the frames, what the error carries, and the version of Node.
fn end_of_stack(sheet: &Sheet, from: usize) -> usize {
    let to = from + LONGEST;
    let version =
        sheet.within(from..to).find(|(_, line)| uncommented(line).starts_with("Node.js v"));
    version.map_or_else(|| sheet.until(from, to, |_, line| line.is_empty()), |(at, _)| at + 1)
}

fn out_of_memory(sheet: &Sheet, at: usize) -> Option<Found> {
    let told = sheet.line(at).strip_prefix("FATAL ERROR: ")?;
    Some(Found::error(at..at + 1, NODE, told))
}

/// An exception with a stack that nothing else has understood.
pub fn stacks(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, line) in sheet.free() {
        let told = line.trim().trim_start_matches("Uncaught ");
        let Some((name, _)) = wording::exception(told) else { continue };
        let stack = sheet.within(at + 1..at + 12).position(|(_, line)| is_frame(line));
        let Some(stack) = stack.map(|below| at + 1 + below) else { continue };
        let end = sheet.until(stack, stack + LONGEST, |_, line| !is_frame(line));
        let told = js_stack::plain(told);
        let asserts = wording::is_assertion(name);
        let reason = if asserts { name.to_owned() } else { told.clone() };
        let place = js_stack::own(sheet, stack..end);
        found.push(Found::error(at..end, NODE, told).known_by(reason).at(place));
    }
    found
}

fn is_frame(line: &str) -> bool {
    line.starts_with(' ') && line.trim_start().starts_with("at ")
}

/// What npm says: `npm error …`, until 2024 `npm ERR! …`.
pub fn npm(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < sheet.len() {
        if said(sheet.line(at)).is_none() || !sheet.is_free(at) {
            at += 1;
            continue;
        }
        let end = sheet.until(at, sheet.len(), |_, line| said(line).is_none());
        let lines = || sheet.within(at..end).filter_map(|(_, line)| said(line));
        let code = lines().find_map(|line| line.strip_prefix("code "));
        let about = ["code ", "errno ", "syscall ", "path ", "A complete log", "command "];
        let told =
            lines().find(|l| !l.is_empty() && !about.iter().any(|start| l.starts_with(start)));
        let told = told.unwrap_or("failed");
        let script = told.starts_with("Lifecycle script") || told.starts_with("Test failed");
        let exit_code = code.is_some_and(|code| code.bytes().all(|b| b.is_ascii_digit()));
        let weight = if script || exit_code { Weight::Echo } else { Weight::Own };
        let code = code.filter(|_| !exit_code).map(str::to_owned);
        found.push(Found::error(at..end, NPM, told).code(code).weight(weight));
        at = end;
    }
    found
}

fn said(line: &str) -> Option<&str> {
    line.strip_prefix("npm error").or_else(|| line.strip_prefix("npm ERR!")).map(str::trim)
}
