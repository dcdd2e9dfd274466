//! Node's test runner, as it prints for people: `✖ name (1.2ms)`, and all failures at the end.

use std::{collections::HashMap, ops::Range};

use super::{
    js_stack, normalisation,
    output_reader::OutputReader,
    raw_diagnostic::{RawDiagnostic, Weight},
    source_location, tap,
};

/// Titles of the list of all failures.
const LISTS: [&str; 2] = ["✖ failing tests:", "Failed tests:"];
/// Lines of a failure at most.
const MAX_BLOCK_LINES: usize = 200;

/// Tests that failed: each where it did, and once more in the list of all, which knows its file.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let list = reader.free().find(|(_, line)| LISTS.contains(line)).map_or(reader.len(), |e| e.0);
    let tree = tree(reader, 0..list);
    let mut listed = HashMap::new();
    for at in (list..reader.len()).filter(|at| reader.is_free(*at)) {
        let Some(failure) = Failure::read(reader, at) else { continue };
        let seen = tree.get(&failure.key);
        if let Some(one) = failure.told(reader, seen, None) {
            listed.insert(failure.key, one);
        }
    }
    let in_tree = tree.iter().filter_map(|(key, seen)| {
        let failure = Failure::read(reader, seen.at)?;
        failure.told(reader, Some(seen), listed.get(key))
    });
    let mut found: Vec<RawDiagnostic> = in_tree.collect();
    found.extend(listed.into_values());
    found.extend(reader.free().filter_map(|(at, line)| {
        let (depth, _, _) = failed(line.strip_suffix(" # TODO")?)?;
        let lines = at..body_end(reader, at, depth);
        Some(RawDiagnostic::error(lines, "node:test", "to be done").weight(Weight::Nothing))
    }));
    found
}

/// A line `✖ name (1.2ms)` with what is indented below it.
struct Failure<'a> {
    lines: Range<usize>,
    key: (&'a str, &'a str),
}

impl<'a> Failure<'a> {
    fn read(reader: &'a OutputReader, at: usize) -> Option<Self> {
        let (depth, name, time) = failed(reader.line(at))?;
        Some(Self { lines: at..body_end(reader, at, depth), key: (name, time) })
    }

    /// `None` for groups, and for files of which an error is known.
    fn told(
        &self,
        reader: &OutputReader,
        seen: Option<&TreeEntry>,
        listed: Option<&RawDiagnostic>,
    ) -> Option<RawDiagnostic> {
        let lines = self.lines.clone();
        let name = seen.map_or(self.key.0, |seen| seen.name.as_str());
        if lines.len() < 2 {
            return None;
        }
        let told = js_stack::opening(reader, lines.start + 1..lines.end);
        let told = js_stack::plain(normalisation::unquoted(&told));
        if told == "test failed" {
            let before = seen.map_or(lines.start..lines.start, |seen| seen.before.clone());
            return tap::file(reader, lines, name, before);
        }
        let above = reader.line(lines.start.max(1) - 1);
        let spot = above.strip_prefix("test at ").and_then(source_location::trailing);
        let known = listed.and_then(|one| one.location.clone());
        let location = known.or(spot).or_else(|| js_stack::own(reader, lines.clone()));
        Some(test(lines, name, &told).at(location))
    }
}

fn test(lines: Range<usize>, name: &str, told: &str) -> RawDiagnostic {
    let kind = normalisation::exception(told).map(|(kind, _)| kind);
    let asserts = kind.is_some_and(normalisation::is_assertion);
    let shown = if asserts { told.split_once(": ").map_or(told, |(_, rest)| rest) } else { told };
    let reason = if asserts { "AssertionError" } else { told };
    RawDiagnostic::test(lines, "node:test", name, shown, reason)
}

/// Indentation, name and time of `✖ name (1.2ms)`.
fn failed(line: &str) -> Option<(usize, &str, &str)> {
    let (depth, rest) = marked(line, "✖ ")?;
    let (name, time) = rest.strip_suffix("ms)")?.rsplit_once(" (")?;
    time.parse::<f64>().ok()?;
    Some((depth, name, time))
}

fn marked<'a>(line: &'a str, mark: &str) -> Option<(usize, &'a str)> {
    let text = line.trim_start();
    Some((line.len() - text.len(), text.strip_prefix(mark)?.trim_end()))
}

/// Where a failure stands in the tree of all tests.
struct TreeEntry {
    at: usize,
    name: String,
    /// The lines between it and the result before it.
    before: Range<usize>,
}

/// Failures with the groups around them, known by name and time.
fn tree(reader: &OutputReader, lines: Range<usize>) -> HashMap<(&str, &str), TreeEntry> {
    let mut groups: Vec<(usize, &str)> = Vec::new();
    let mut tree = HashMap::new();
    let mut since = 0;
    for (at, line) in reader.within(lines) {
        if let Some((depth, name)) = marked(line, "▶ ") {
            groups.retain(|(other, _)| *other < depth);
            groups.push((depth, name));
        } else if let Some((depth, name, time)) = failed(line) {
            let above = groups.iter().filter(|(other, _)| *other < depth).map(|(_, name)| *name);
            let full = above.chain([name]).collect::<Vec<_>>().join(" > ");
            tree.entry((name, time)).or_insert(TreeEntry { at, name: full, before: since..at });
            since = at;
        } else if line.starts_with("✔ ") {
            since = at;
        }
    }
    tree
}

/// What belongs to a failure is indented deeper.
fn body_end(reader: &OutputReader, at: usize, depth: usize) -> usize {
    reader.until(at + 1, at + MAX_BLOCK_LINES, |_, line| {
        let deeper = line.len() - line.trim_start().len() > depth;
        !deeper && !line.trim().is_empty()
    })
}
