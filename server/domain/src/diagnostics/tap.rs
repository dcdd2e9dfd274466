//! TAP, as Node's test runner prints it: `not ok 1 - name` with a YAML block below.

use std::ops::Range;

use super::{
    js_stack, normalisation,
    output_reader::OutputReader,
    raw_diagnostic::RawDiagnostic,
    source_location::{self, SourceLocation},
};

/// Lines of a block at most.
const MAX_BLOCK_LINES: usize = 200;

/// Tests that failed; groups of tests only fail with one of theirs.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    let mut groups: Vec<(usize, &str)> = Vec::new();
    let mut previous = 0;
    let planned = reader.free().any(|(_, line)| is_plan(line));
    for (at, line) in reader.free().filter(|_| planned) {
        let depth = line.len() - line.trim_start().len();
        let text = line.trim_start();
        if let Some(name) = text.strip_prefix("# Subtest: ") {
            groups.retain(|(other, _)| *other < depth);
            groups.push((depth, name));
        } else if let Some(name) = failed(text) {
            let above = groups.iter().filter(|(other, _)| *other < depth).map(|(_, name)| *name);
            let name = above.chain([name]).collect::<Vec<_>>().join(" > ");
            found.extend(test(reader, at, depth, &name.replace("\\#", "#"), previous));
            previous = at;
        } else if depth == 0 && (text.starts_with("ok ") || text.starts_with("not ok ")) {
            previous = at;
        }
    }
    found
}

/// `1..2`, or the head of the protocol: what else prints `not ok` means something else by it.
fn is_plan(line: &str) -> bool {
    let plan = || {
        Some(
            source_location::number(source_location::number(line)?.1.strip_prefix("..")?)?
                .1
                .is_empty(),
        )
    };
    line.starts_with("TAP version ") || plan() == Some(true)
}

/// The name in `not ok 1 - name`, unless it is marked as TODO or SKIP.
fn failed(text: &str) -> Option<&str> {
    let (number, name) = text.strip_prefix("not ok ")?.split_once(' ').unwrap_or((text, ""));
    number.parse::<u32>().ok()?;
    let name = name.strip_prefix("- ").unwrap_or(name);
    let (name, directive) = name.rsplit_once(" # ").unwrap_or((name, ""));
    let minded = !directive.starts_with("TODO") && !directive.starts_with("SKIP");
    minded.then_some(name)
}

fn test(
    reader: &OutputReader,
    at: usize,
    depth: usize,
    name: &str,
    previous: usize,
) -> Option<RawDiagnostic> {
    let (end, block) = block(reader, at, depth);
    let value = |key: &str| value(reader, block.clone(), key);
    let kind = value("failureType");
    if kind == Some("subtestsFailed") {
        return None;
    }
    let tool = if kind.is_some() { "node:test" } else { "tap" };
    let location = value("location").and_then(source_location::trailing);
    let error = value("error");
    if value("exitCode").is_some() && error == Some("test failed") {
        return file(reader, at..end, name, previous..at);
    }
    let told = match error {
        Some("|-") | None => text(reader, block.clone()).unwrap_or_default(),
        Some(error) => error.to_owned(),
    };
    let kind = value("name").filter(|kind| *kind != "Error");
    let asserts = kind.is_some_and(normalisation::is_assertion);
    let told = match kind.filter(|_| !asserts) {
        Some(kind) => format!("{kind}: {told}"),
        None => told,
    };
    let reason = if asserts { "AssertionError".to_owned() } else { told.clone() };
    // What stands before the error says how long it took and where it is.
    let is_error = |_: usize, line: &str| line.trim_start().starts_with("error: ");
    let quoted = reader.until(block.start, block.end, is_error)..block.end;
    Some(RawDiagnostic::test(at..end, tool, name, &told, reason).at(location).quoting(quoted))
}

/// A file that failed as a whole. Where an error was printed `before`, that is what there is to say.
pub fn file(
    reader: &OutputReader,
    lines: Range<usize>,
    name: &str,
    mut before: Range<usize>,
) -> Option<RawDiagnostic> {
    if before.any(|at| !reader.is_free(at)) {
        return None;
    }
    let location = Some(SourceLocation::new(name, None))
        .filter(|location| source_location::is_path(&location.file));
    Some(RawDiagnostic::error(lines, "node:test", "the file failed").at(location))
}

/// The end of a test, and the lines between `---` and `...`.
fn block(reader: &OutputReader, at: usize, depth: usize) -> (usize, Range<usize>) {
    let begins = reader.line(at + 1);
    if begins.trim() != "---" || begins.len() < depth + 3 {
        return (at + 1, at + 1..at + 1);
    }
    let margin = begins.len() - begins.trim_start().len();
    let is_end = |line: &str| line.trim() == "..." && line.len() <= margin + 3;
    let end = reader.until(at + 2, at + MAX_BLOCK_LINES, |_, line| is_end(line));
    ((end + 1).min(reader.len()), at + 2..end)
}

fn value<'a>(reader: &'a OutputReader, block: Range<usize>, key: &str) -> Option<&'a str> {
    let entry = |line: &'a str| line.trim_start().strip_prefix(key)?.strip_prefix(": ");
    reader.within(block).find_map(|(_, line)| entry(line)).map(normalisation::unquoted)
}

/// The first line of a text of several under `error`, with the next where it ends in a colon.
fn text(reader: &OutputReader, block: Range<usize>) -> Option<String> {
    let (at, _) = reader.within(block.clone()).find(|(_, line)| line.trim() == "error: |-")?;
    Some(js_stack::opening(reader, at + 1..block.end))
}
