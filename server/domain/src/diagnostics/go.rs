//! Go: diagnostics of build and vet, and programs that panic.

use std::ops::Range;

use super::{
    output_reader::OutputReader,
    raw_diagnostic::RawDiagnostic,
    scan::scan,
    source_location::{self, SourceLocation},
};

const TOOL: &str = "go";
/// Lines of a panic and its goroutines.
const MAX_BLOCK_LINES: usize = 400;

/// Diagnostics with a location, and errors of the go command.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    scan(reader, |at| diagnostic(reader, at).or_else(|| own(reader, at)))
}

/// `./path.go:4:9: message`, with what is indented below it.
fn diagnostic(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let line = reader.line(at);
    let (location, message) = source_location::leading(line.strip_prefix("vet: ").unwrap_or(line))?;
    let is_go = location.file.ends_with(".go") || location.file.ends_with("go.mod");
    if !is_go || message.is_empty() {
        return None;
    }
    let end = reader.until(at + 1, at + 20, |_, line| !line.starts_with('\t'));
    Some(RawDiagnostic::error(at..end, TOOL, message).at(Some(location)))
}

/// `go: message`; one that ends in a colon is about the lines below it.
fn own(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let message = reader.line(at).strip_prefix("go: ")?;
    let quiet = ["downloading ", "finding module", "found ", "extracting ", "added "];
    let heads = message.ends_with(':') && reader.located(at + 1).is_some();
    if heads || quiet.iter().any(|start| message.starts_with(start)) {
        return None;
    }
    Some(RawDiagnostic::error(at..at + 1, TOOL, message))
}

/// A panic or a fatal error of the runtime.
pub struct Panic<'a> {
    /// With its goroutines.
    pub lines: Range<usize>,
    /// Without `panic: `.
    pub message: &'a str,
    /// The first frame in a file of the project, and the function it is in.
    pub frame: Option<(SourceLocation, &'a str)>,
}

/// The panic that begins at a line.
pub fn panic(reader: &OutputReader, at: usize) -> Option<Panic<'_>> {
    let line = reader.line(at);
    let message = line.strip_prefix("panic: ").or_else(|| line.strip_prefix("fatal error: "))?;
    let message = message.split(" [recovered").next().unwrap_or(message);
    let end = reader.until(at + 1, at + MAX_BLOCK_LINES, |_, line| {
        line.starts_with("exit status ") || line.starts_with("FAIL") || line.starts_with("ok  \t")
    });
    let frame = reader.within(at + 1..end).find_map(|(below, line)| {
        let location = frame(line).filter(SourceLocation::is_own)?;
        let call = reader.line(below - 1);
        let function = call.split('(').next().unwrap_or(call);
        Some((location, function.rsplit(['.', '/']).next().unwrap_or(function)))
    });
    Some(Panic { lines: at..end, message, frame })
}

/// `\tpath:7 +0x18`.
fn frame(line: &str) -> Option<SourceLocation> {
    let spot = line.strip_prefix('\t')?;
    let (spot, _) = spot.split_once(" +0x").unwrap_or((spot, ""));
    source_location::trailing(spot).filter(|location| location.file.ends_with(".go"))
}

/// Panics that belong to no test.
pub fn panics(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let begins = reader.free().filter_map(|(at, _)| panic(reader, at));
    let with_stack = begins.filter(|panic| {
        reader.within(panic.lines.clone()).any(|(_, line)| line.starts_with("goroutine "))
    });
    let told = with_stack.map(|panic| {
        let location = panic.frame.map(|(location, _)| location);
        RawDiagnostic::error(panic.lines, TOOL, format!("panic: {}", panic.message)).at(location)
    });
    told.collect()
}
