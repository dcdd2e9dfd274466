//! Go: what build and vet complain of, and programs that panic.

use std::ops::Range;

use super::{
    found::Found,
    place::{self, Place},
    sheet::Sheet,
};

const TOOL: &str = "go";
/// Lines of a panic and its goroutines.
const LONGEST: usize = 400;

/// Complaints with a place, and those of the go command.
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < sheet.len() {
        let one = match sheet.is_free(at) {
            true => complaint(sheet, at).or_else(|| own(sheet, at)),
            false => None,
        };
        at = one.as_ref().map_or(at + 1, |one| one.lines.end.max(at + 1));
        found.extend(one);
    }
    found
}

/// `./path.go:4:9: message`, with what is indented below it.
fn complaint(sheet: &Sheet, at: usize) -> Option<Found> {
    let line = sheet.line(at);
    let (place, message) = place::leading(line.strip_prefix("vet: ").unwrap_or(line))?;
    let is_go = place.file.ends_with(".go") || place.file.ends_with("go.mod");
    if !is_go || message.is_empty() {
        return None;
    }
    let end = sheet.until(at + 1, at + 20, |_, line| !line.starts_with('\t'));
    Some(Found::error(at..end, TOOL, message).at(Some(place)))
}

/// `go: message`; one that ends in a colon is about the lines below it.
fn own(sheet: &Sheet, at: usize) -> Option<Found> {
    let message = sheet.line(at).strip_prefix("go: ")?;
    let quiet = ["downloading ", "finding module", "found ", "extracting ", "added "];
    let heads = message.ends_with(':') && sheet.located(at + 1).is_some();
    if heads || quiet.iter().any(|start| message.starts_with(start)) {
        return None;
    }
    Some(Found::error(at..at + 1, TOOL, message))
}

/// A panic or a fatal error of the runtime.
pub struct Panic<'a> {
    /// With its goroutines.
    pub lines: Range<usize>,
    /// Without `panic: `.
    pub message: &'a str,
    /// The first frame in a file of the project, and the function it is in.
    pub frame: Option<(Place, &'a str)>,
}

/// The panic that begins at a line.
pub fn panic(sheet: &Sheet, at: usize) -> Option<Panic<'_>> {
    let line = sheet.line(at);
    let message = line.strip_prefix("panic: ").or_else(|| line.strip_prefix("fatal error: "))?;
    let message = message.split(" [recovered").next().unwrap_or(message);
    let end = sheet.until(at + 1, at + LONGEST, |_, line| {
        line.starts_with("exit status ") || line.starts_with("FAIL") || line.starts_with("ok  \t")
    });
    let frame = sheet.within(at + 1..end).find_map(|(below, line)| {
        let place = frame(line).filter(Place::is_own)?;
        let call = sheet.line(below - 1);
        let function = call.split('(').next().unwrap_or(call);
        Some((place, function.rsplit(['.', '/']).next().unwrap_or(function)))
    });
    Some(Panic { lines: at..end, message, frame })
}

/// `\tpath:7 +0x18`.
fn frame(line: &str) -> Option<Place> {
    let spot = line.strip_prefix('\t')?;
    let (spot, _) = spot.split_once(" +0x").unwrap_or((spot, ""));
    place::trailing(spot).filter(|place| place.file.ends_with(".go"))
}

/// Panics that belong to no test.
pub fn panics(sheet: &Sheet) -> Vec<Found> {
    let begins = sheet.free().filter_map(|(at, _)| panic(sheet, at));
    let with_stack = begins.filter(|panic| {
        sheet.within(panic.lines.clone()).any(|(_, line)| line.starts_with("goroutine "))
    });
    let told = with_stack.map(|panic| {
        let place = panic.frame.map(|(place, _)| place);
        Found::error(panic.lines, TOOL, format!("panic: {}", panic.message)).at(place)
    });
    told.collect()
}
