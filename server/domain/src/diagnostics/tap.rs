//! TAP, as Node's test runner prints it: `not ok 1 - name` with a YAML block below.

use std::ops::Range;

use super::{
    found::Found,
    js_stack,
    place::{self, Place},
    sheet::Sheet,
    wording,
};

/// Lines of a block at most.
const LONGEST: usize = 200;

/// Tests that failed; groups of tests only fail with one of theirs.
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut groups: Vec<(usize, &str)> = Vec::new();
    let mut previous = 0;
    let planned = sheet.free().any(|(_, line)| is_plan(line));
    for (at, line) in sheet.free().filter(|_| planned) {
        let depth = line.len() - line.trim_start().len();
        let text = line.trim_start();
        if let Some(name) = text.strip_prefix("# Subtest: ") {
            groups.retain(|(other, _)| *other < depth);
            groups.push((depth, name));
        } else if let Some(name) = failed(text) {
            let above = groups.iter().filter(|(other, _)| *other < depth).map(|(_, name)| *name);
            let name = above.chain([name]).collect::<Vec<_>>().join(" > ");
            found.extend(test(sheet, at, depth, &name.replace("\\#", "#"), previous));
            previous = at;
        } else if depth == 0 && (text.starts_with("ok ") || text.starts_with("not ok ")) {
            previous = at;
        }
    }
    found
}

/// `1..2`, or the head of the protocol: what else prints `not ok` means something else by it.
fn is_plan(line: &str) -> bool {
    let plan = || Some(place::number(place::number(line)?.1.strip_prefix("..")?)?.1.is_empty());
    line.starts_with("TAP version ") || plan() == Some(true)
}

/// The name in `not ok 1 - name`, unless nobody minds.
fn failed(text: &str) -> Option<&str> {
    let (number, name) = text.strip_prefix("not ok ")?.split_once(' ').unwrap_or((text, ""));
    number.parse::<u32>().ok()?;
    let name = name.strip_prefix("- ").unwrap_or(name);
    let (name, directive) = name.rsplit_once(" # ").unwrap_or((name, ""));
    let minded = !directive.starts_with("TODO") && !directive.starts_with("SKIP");
    minded.then_some(name)
}

fn test(sheet: &Sheet, at: usize, depth: usize, name: &str, previous: usize) -> Option<Found> {
    let (end, block) = block(sheet, at, depth);
    let value = |key: &str| value(sheet, block.clone(), key);
    let kind = value("failureType");
    if kind == Some("subtestsFailed") {
        return None;
    }
    let tool = if kind.is_some() { "node:test" } else { "tap" };
    let place = value("location").and_then(place::trailing);
    let error = value("error");
    if value("exitCode").is_some() && error == Some("test failed") {
        return file(sheet, at..end, name, previous..at);
    }
    let told = match error {
        Some("|-") | None => text(sheet, block.clone()).unwrap_or_default(),
        Some(error) => error.to_owned(),
    };
    let kind = value("name").filter(|kind| *kind != "Error");
    let asserts = kind.is_some_and(wording::is_assertion);
    let told = match kind.filter(|_| !asserts) {
        Some(kind) => format!("{kind}: {told}"),
        None => told,
    };
    let reason = if asserts { "AssertionError".to_owned() } else { told.clone() };
    // What stands before the error says how long it took and where it is.
    let is_error = |_: usize, line: &str| line.trim_start().starts_with("error: ");
    let quoted = sheet.until(block.start, block.end, is_error)..block.end;
    Some(Found::test(at..end, tool, name, &told, reason).at(place).quoting(quoted))
}

/// A file that failed as a whole. Where an error was printed `before`, that is what there is to say.
pub fn file(
    sheet: &Sheet,
    lines: Range<usize>,
    name: &str,
    mut before: Range<usize>,
) -> Option<Found> {
    if before.any(|at| !sheet.is_free(at)) {
        return None;
    }
    let place = Some(Place::new(name, None)).filter(|place| place::is_path(&place.file));
    Some(Found::error(lines, "node:test", "the file failed").at(place))
}

/// The end of a test, and the lines between `---` and `...`.
fn block(sheet: &Sheet, at: usize, depth: usize) -> (usize, Range<usize>) {
    let begins = sheet.line(at + 1);
    if begins.trim() != "---" || begins.len() < depth + 3 {
        return (at + 1, at + 1..at + 1);
    }
    let margin = begins.len() - begins.trim_start().len();
    let is_end = |line: &str| line.trim() == "..." && line.len() <= margin + 3;
    let end = sheet.until(at + 2, at + LONGEST, |_, line| is_end(line));
    ((end + 1).min(sheet.len()), at + 2..end)
}

fn value<'a>(sheet: &'a Sheet, block: Range<usize>, key: &str) -> Option<&'a str> {
    let entry = |line: &'a str| line.trim_start().strip_prefix(key)?.strip_prefix(": ");
    sheet.within(block).find_map(|(_, line)| entry(line)).map(wording::unquoted)
}

/// The first line of a text of several under `error`, with the next where it ends in a colon.
fn text(sheet: &Sheet, block: Range<usize>) -> Option<String> {
    let (at, _) = sheet.within(block.clone()).find(|(_, line)| line.trim() == "error: |-")?;
    Some(js_stack::opening(sheet, at + 1..block.end))
}
