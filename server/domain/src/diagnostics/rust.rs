//! Rust: the compiler, cargo, clippy, rustfmt.

use super::{
    output_reader::OutputReader,
    raw_diagnostic::{RawDiagnostic, Weight},
    scan::scan,
    snippet,
    source_location::{self, SourceLocation},
};
use crate::errors::Severity;

const RUSTC: &str = "rustc";
const CARGO: &str = "cargo";
/// What cargo says last, about errors that it has told already.
const ECHOES: [&str; 8] = [
    "could not compile",
    "aborting due to",
    "test failed, to rerun",
    "doctest failed, to rerun",
    "target failed:",
    "targets failed:",
    "test run failed",
    "build failed",
];
/// How cargo's own errors begin.
const OWN: [&str; 16] = [
    "failed to parse manifest",
    "failed to load manifest",
    "failed to read",
    "failed to select a version",
    "failed to get",
    "failed to run custom build command",
    "failed to resolve",
    "failed to load source",
    "could not find `Cargo.toml`",
    "no matching package",
    "no test target",
    "no bin target",
    "no example target",
    "no tests to run",
    "the lock file",
    "package ID specification",
];

/// Diagnostics of the compiler and cargo.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    scan(reader, |at| {
        diagnostic(reader, at).or_else(|| short(reader, at)).or_else(|| diff(reader, at))
    })
}

/// `error[E0425]: cannot find …` and the lines below it.
fn diagnostic(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let (severity, code, message) = head(reader.line(at))?;
    let end = reader.until(at + 1, at + 200, |_, line| line.is_empty() || head(line).is_some());
    let arrow = reader.within(at + 1..end.min(at + 8)).find(|(_, line)| snippet::is_arrow(line));
    if let Some((below, arrow)) = arrow {
        let mut message = message.to_owned();
        for (_, more) in reader.within(at + 1..below) {
            message = format!("{message} {}", more.trim());
        }
        let tool =
            if message.starts_with("toml") || arrow.contains(".toml:") { CARGO } else { RUSTC };
        let reason = snippet::with_label(reader, below..end, &message);
        let one = RawDiagnostic::error(at..end, tool, message).severity(severity).code(code);
        return Some(one.at(source_location::trailing(arrow)).known_by(reason));
    }
    if message.starts_with("linking with") {
        return Some(linking(reader, at, end, message));
    }
    cargo(reader, at, severity, message)
}

/// `error[E0425]: message`, `warning: message`.
fn head(line: &str) -> Option<(Severity, Option<String>, &str)> {
    let (severity, rest) = match line.strip_prefix("error") {
        Some(rest) => (Severity::Error, rest),
        None => (Severity::Warning, line.strip_prefix("warning")?),
    };
    if let Some(message) = rest.strip_prefix(": ") {
        return Some((severity, None, message));
    }
    let (code, message) = rest.strip_prefix('[')?.split_once("]: ")?;
    Some((severity, Some(code.to_owned()), message))
}

/// The linker is quoted at length; what it lacks is what counts.
fn linking(reader: &OutputReader, at: usize, end: usize, message: &str) -> RawDiagnostic {
    let missing = reader.within(at..end).find_map(|(_, line)| {
        let from = line.find("undefined symbol").or_else(|| line.find("undefined reference"));
        from.or_else(|| line.find("cannot find ")).map(|from| line[from..].trim().to_owned())
    });
    let told = missing.map_or_else(|| message.to_owned(), |what| format!("linking failed: {what}"));
    RawDiagnostic::error(at..end, RUSTC, told)
}

fn cargo(
    reader: &OutputReader,
    at: usize,
    severity: Severity,
    message: &str,
) -> Option<RawDiagnostic> {
    let echo = ECHOES.iter().any(|echo| message.contains(echo));
    if severity == Severity::Warning {
        return None;
    }
    let tests = message.contains("to rerun pass") || message.contains("test run failed");
    let tool = if tests { "cargo test" } else { CARGO };
    let cause = cause(reader, at);
    if echo {
        let signal = cause.as_ref().and_then(|(_, cause)| signal(cause));
        let Some(signal) = signal else {
            return Some(RawDiagnostic::error(at..at + 1, tool, message).weight(Weight::Echo));
        };
        let told = format!("{message} ({signal})");
        return Some(RawDiagnostic::error(at..at + 4, tool, told).weight(Weight::Ending));
    }
    if !OWN.iter().any(|own| message.starts_with(own)) {
        return None;
    }
    let manifest = message.split_once("manifest at `").and_then(|(_, rest)| rest.split('`').next());
    let location = manifest.map(|path| SourceLocation::new(path, None));
    // What a build script said is an error of its own.
    let script = message.starts_with("failed to run custom build command");
    let weight = if script { Weight::Ending } else { Weight::Own };
    let (end, told) = match cause.filter(|_| !script) {
        Some((end, cause)) => (end, format!("{message}: {cause}")),
        None => (at + 1, message.to_owned()),
    };
    Some(RawDiagnostic::error(at..end, tool, told).at(location).weight(weight))
}

/// The first line under `Caused by:`, and where it ends.
fn cause(reader: &OutputReader, at: usize) -> Option<(usize, String)> {
    let begins = (at + 1..at + 4).find(|at| reader.line(*at) == "Caused by:")?;
    Some((begins + 2, reader.line(begins + 1).trim().to_owned()))
}

/// `signal: 6, SIGABRT: process abort signal` in what is said of a process.
fn signal(cause: &str) -> Option<&str> {
    let from = cause.rfind("(signal: ")?;
    cause[from + 1..].strip_suffix(')')
}

/// `path:line:column: error[E0425]: message`, as `--message-format short` prints it.
fn short(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let (location, rest) = reader.located(at)?;
    if !location.file.ends_with(".rs") {
        return None;
    }
    let (severity, code, message) = head(rest)?;
    let one = RawDiagnostic::error(at..at + 1, RUSTC, message).severity(severity).code(code);
    Some(one.at(Some(location)))
}

/// `Diff in path:line:`: rustfmt would write it otherwise.
fn diff(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let path = reader.line(at).strip_prefix("Diff in ")?.trim_end_matches(':');
    let path = match path.split_once(" at line ") {
        Some((path, _)) => path,
        None => path.rsplit_once(':').map_or(path, |(path, _)| path),
    };
    let end = reader.until(at + 1, reader.len(), |_, line| !line.starts_with(['+', '-', ' ']));
    let one = RawDiagnostic::error(at..end, "rustfmt", "the file is not formatted");
    Some(one.at(Some(SourceLocation::new(path, None))))
}
