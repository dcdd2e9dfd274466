//! Ruff, and what else prints codes of flake8 in its forms.

use super::{
    output_reader::OutputReader,
    raw_diagnostic::RawDiagnostic,
    snippet,
    source_location::{self, SourceLocation},
};

const TOOL: &str = "ruff";

/// Problems in files, and ruff's own.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    let mut file: Option<&str> = None;
    for (at, line) in reader.free() {
        if !line.starts_with(' ') {
            file = line.strip_suffix(':').filter(|path| source_location::is_path(path));
        }
        let one =
            full(reader, at).or_else(|| concise(reader, at)).or_else(|| grouped(at, line, file));
        found.extend(one.or_else(|| own(reader, at)));
    }
    found
}

/// The code and the message of `F401 [*] message`.
fn coded(text: &str) -> Option<(&str, &str)> {
    if let Some((word @ ("invalid-syntax" | "unformatted"), message)) = text.split_once(": ") {
        return Some((word, message));
    }
    let (code, message) = text.split_once(' ')?;
    let code = code.strip_prefix('[').and_then(|code| code.strip_suffix(']')).unwrap_or(code);
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &code[letters..];
    let is_code = (1..=5).contains(&letters)
        && (3..=5).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit());
    is_code.then(|| (code, message.strip_prefix("[*] ").unwrap_or(message)))
}

fn problem(found: RawDiagnostic, code: &str, location: Option<SourceLocation>) -> RawDiagnostic {
    found.code(Some(code.to_owned())).at(location)
}

/// The message, then ` --> path:line:column` and the code.
fn full(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let below = reader.line(at + 1);
    if !snippet::is_arrow(below) {
        return None;
    }
    let (code, message) = coded(reader.line(at))?;
    let end = reader.until(at + 2, at + 80, |_, line| line.is_empty());
    let reason = snippet::with_label(reader, at + 2..end, message);
    let found = RawDiagnostic::error(at..end, TOOL, message).known_by(reason);
    Some(problem(found, code, source_location::trailing(below)))
}

/// `path:line:column: F401 [*] message`, `path:line: [F401] message`.
fn concise(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let (location, rest) = reader.located(at)?;
    let python = [".py", ".pyi", ".ipynb"].iter().any(|end| location.file.ends_with(end));
    let (code, message) = coded(rest).filter(|_| python)?;
    Some(problem(RawDiagnostic::error(at..at + 1, TOOL, message), code, Some(location)))
}

/// `  line:column F401 [*] message` under the path of its file.
fn grouped(at: usize, line: &str, file: Option<&str>) -> Option<RawDiagnostic> {
    let (number, rest) = source_location::number(line.strip_prefix("  ")?.trim_start())?;
    let (_, rest) = source_location::number(rest.strip_prefix(':')?)?;
    let (code, message) = coded(rest.trim_start())?;
    let location = SourceLocation::new(file?, Some(number));
    Some(problem(RawDiagnostic::error(at..at + 1, TOOL, message), code, Some(location)))
}

/// `ruff failed` and its causes.
fn own(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    if reader.line(at) != "ruff failed" {
        return None;
    }
    let causes =
        reader.within(at + 1..at + 8).map_while(|(_, line)| line.strip_prefix("  Cause: "));
    let causes: Vec<&str> = causes.collect();
    let told = causes.first().map_or("failed", |cause| cause);
    let file = told.split('`').nth(1).filter(|file| source_location::is_path(file));
    let location = file.map(|file| SourceLocation::new(file, None));
    let found = RawDiagnostic::error(at..at + 1 + causes.len(), TOOL, told).at(location);
    Some(found.known_by(causes.join(" ")))
}
