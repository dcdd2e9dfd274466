//! Node's test runner, as it prints for people: `✖ name (1.2ms)`, and all failures at the end.

use std::{collections::HashMap, ops::Range};

use super::{
    found::{Found, Weight},
    js_stack, place,
    sheet::Sheet,
    tap, wording,
};

/// Titles of the list of all failures.
const LISTS: [&str; 2] = ["✖ failing tests:", "Failed tests:"];
/// Lines of a failure at most.
const LONGEST: usize = 200;

/// Tests that failed: each where it did, and once more in the list of all, which knows its file.
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let list = sheet.free().find(|(_, line)| LISTS.contains(line)).map_or(sheet.len(), |e| e.0);
    let tree = tree(sheet, 0..list);
    let mut listed = HashMap::new();
    for at in (list..sheet.len()).filter(|at| sheet.is_free(*at)) {
        let Some(failure) = Failure::read(sheet, at) else { continue };
        let seen = tree.get(&failure.key);
        if let Some(one) = failure.told(sheet, seen, None) {
            listed.insert(failure.key, one);
        }
    }
    let in_tree = tree.iter().filter_map(|(key, seen)| {
        let failure = Failure::read(sheet, seen.at)?;
        failure.told(sheet, Some(seen), listed.get(key))
    });
    let mut found: Vec<Found> = in_tree.collect();
    found.extend(listed.into_values());
    found.extend(sheet.free().filter_map(|(at, line)| {
        let (depth, _, _) = failed(line.strip_suffix(" # TODO")?)?;
        let lines = at..body_end(sheet, at, depth);
        Some(Found::error(lines, "node:test", "to be done").weight(Weight::Nothing))
    }));
    found
}

/// A line `✖ name (1.2ms)` with what is indented below it.
struct Failure<'a> {
    lines: Range<usize>,
    key: (&'a str, &'a str),
}

impl<'a> Failure<'a> {
    fn read(sheet: &'a Sheet, at: usize) -> Option<Self> {
        let (depth, name, time) = failed(sheet.line(at))?;
        Some(Self { lines: at..body_end(sheet, at, depth), key: (name, time) })
    }

    /// `None` for groups, and for files of which an error is known.
    fn told(&self, sheet: &Sheet, seen: Option<&Seen>, listed: Option<&Found>) -> Option<Found> {
        let lines = self.lines.clone();
        let name = seen.map_or(self.key.0, |seen| seen.name.as_str());
        if lines.len() < 2 {
            return None;
        }
        let told = js_stack::opening(sheet, lines.start + 1..lines.end);
        let told = js_stack::plain(wording::unquoted(&told));
        if told == "test failed" {
            let before = seen.map_or(lines.start..lines.start, |seen| seen.before.clone());
            return tap::file(sheet, lines, name, before);
        }
        let above = sheet.line(lines.start.max(1) - 1);
        let spot = above.strip_prefix("test at ").and_then(place::trailing);
        let known = listed.and_then(|one| one.place.clone());
        let place = known.or(spot).or_else(|| js_stack::own(sheet, lines.clone()));
        Some(test(lines, name, &told).at(place))
    }
}

fn test(lines: Range<usize>, name: &str, told: &str) -> Found {
    let kind = wording::exception(told).map(|(kind, _)| kind);
    let asserts = kind.is_some_and(wording::is_assertion);
    let shown = if asserts { told.split_once(": ").map_or(told, |(_, rest)| rest) } else { told };
    let reason = if asserts { "AssertionError" } else { told };
    Found::test(lines, "node:test", name, shown, reason)
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
struct Seen {
    at: usize,
    name: String,
    /// The lines between it and the result before it.
    before: Range<usize>,
}

/// Failures with the groups around them, known by name and time.
fn tree(sheet: &Sheet, lines: Range<usize>) -> HashMap<(&str, &str), Seen> {
    let mut groups: Vec<(usize, &str)> = Vec::new();
    let mut tree = HashMap::new();
    let mut since = 0;
    for (at, line) in sheet.within(lines) {
        if let Some((depth, name)) = marked(line, "▶ ") {
            groups.retain(|(other, _)| *other < depth);
            groups.push((depth, name));
        } else if let Some((depth, name, time)) = failed(line) {
            let above = groups.iter().filter(|(other, _)| *other < depth).map(|(_, name)| *name);
            let full = above.chain([name]).collect::<Vec<_>>().join(" > ");
            tree.entry((name, time)).or_insert(Seen { at, name: full, before: since..at });
            since = at;
        } else if line.starts_with("✔ ") {
            since = at;
        }
    }
    tree
}

/// What belongs to a failure is indented deeper.
fn body_end(sheet: &Sheet, at: usize, depth: usize) -> usize {
    sheet.until(at + 1, at + LONGEST, |_, line| {
        let deeper = line.len() - line.trim_start().len() > depth;
        !deeper && !line.trim().is_empty()
    })
}
