//! Errors in MSBuild's form, `path(line,column): error CODE: message [project]`: the TypeScript
//! compiler and dotnet.

use super::{
    output_reader::OutputReader,
    raw_diagnostic::RawDiagnostic,
    scan::scan,
    source_location::{self, SourceLocation},
};
use crate::errors::Severity;

/// Lines of explanation under an error of the TypeScript compiler.
const MAX_EXPLANATION_LINES: usize = 12;

/// What a line in this form says.
struct Said<'a> {
    severity: Severity,
    origin: &'a str,
    code: &'a str,
    message: &'a str,
}

/// Diagnostics of the compilers. MSBuild prints each twice; duplicates are removed later.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    scan(reader, |at| diagnostic(reader, at))
}

fn diagnostic(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let said = said(reader.line(at))?;
    let location = origin(said.origin);
    if !said.code.starts_with("TS") {
        let one = RawDiagnostic::error(at..at + 1, "dotnet", without_project(said.message));
        let code = Some(said.code).filter(|code| !code.is_empty()).map(str::to_owned);
        return Some(one.severity(said.severity).code(code).at(location));
    }
    let end = reader.until(at + 1, at + 1 + MAX_EXPLANATION_LINES, |_, line| {
        let below = line.is_empty() || line.starts_with(' ') || is_quoted(line);
        !below || self::said(line).is_some()
    });
    // A long chain of reasons comes directly below; what else is indented quotes code.
    let chain = reader.within(at + 1..end).take_while(|(_, line)| line.starts_with("  "));
    let chain: Vec<&str> = chain.map(|(_, line)| line.trim()).collect();
    let reason = format!("{} {}", said.message, chain.join(" "));
    let one = RawDiagnostic::error(at..end, "tsc", said.message).known_by(reason.trim_end());
    Some(one.severity(said.severity).code(Some(said.code.to_owned())).at(location))
}

/// A line of quoted code begins with its number.
fn is_quoted(line: &str) -> bool {
    source_location::number(line).is_some_and(|(_, rest)| rest.starts_with(' '))
}

fn said(line: &str) -> Option<Said<'_>> {
    for (word, severity) in [("error ", Severity::Error), ("warning ", Severity::Warning)] {
        for (from, _) in line.match_indices(word).take(4) {
            let origin = &line[..from];
            let begins =
                origin.trim().is_empty() || origin.ends_with(": ") || origin.ends_with(" - ");
            let behind = line[from + word.len()..].split_once(": ");
            let Some((code, message)) = behind.filter(|(code, _)| {
                // A project that cannot be read has no code.
                let uncoded = code.is_empty() && origin.contains("proj:");
                begins && (is_code(code) || uncoded)
            }) else {
                continue;
            };
            let origin = origin.trim().trim_end_matches([':', '-']).trim_end();
            return Some(Said { severity, origin, code, message });
        }
    }
    None
}

/// `CS0103`, `TS2322`, `NETSDK1045`.
fn is_code(code: &str) -> bool {
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &code[letters..];
    (1..=8).contains(&letters)
        && (2..=6).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}

/// `path(line,column)`, `path:line:column`, a path alone; tools have no location.
fn origin(origin: &str) -> Option<SourceLocation> {
    if let Some((path, numbers)) = origin.strip_suffix(')').and_then(|o| o.rsplit_once('(')) {
        let line = source_location::number(numbers)?.0;
        return Some(SourceLocation::new(path, Some(line)));
    }
    if let Some(location) = source_location::trailing(origin)
        .filter(|location| source_location::is_path(&location.file))
    {
        return Some(location);
    }
    source_location::is_path(origin).then(|| SourceLocation::new(origin, None))
}

/// MSBuild adds which project it built.
fn without_project(message: &str) -> &str {
    let project = message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    match project {
        Some((message, project)) if project.contains("proj") || project.contains(".sln") => message,
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// dotnet's own compiler could not be run for the corpus: its form is documented.
    #[test]
    fn reads_the_documented_form() {
        let output = "/w/src/A.cs(3,16): error CS0103: The name 'total' does not exist [/w/a.csproj]\n\
            /w/src/A.cs(3,16,3,21): warning CS0168: The variable 'x' is declared but never used [/w/a.csproj::TargetFramework=net8.0]\n\
            /w/a.csproj : error NU1101: Unable to find package Nowhere. No packages exist with this id [/w/a.sln]\n\
            MSBUILD : error MSB1003: Specify a project or solution file.\n\
            CSC : error CS5001: Program does not contain a static 'Main' method [/w/a.csproj]\n\
            Build FAILED.\n    2 Error(s)\n";
        let found = read(&OutputReader::new(output, "/w"));
        let told: Vec<_> = found
            .iter()
            .map(|one| {
                let file = one.location.as_ref().map(|location| location.file.as_str());
                (one.severity.name(), one.code.as_deref().unwrap(), file, one.message.as_str())
            })
            .collect();
        let expected = [
            ("error", "CS0103", Some("src/A.cs"), "The name 'total' does not exist"),
            ("warning", "CS0168", Some("src/A.cs"), "The variable 'x' is declared but never used"),
            (
                "error",
                "NU1101",
                Some("a.csproj"),
                "Unable to find package Nowhere. No packages exist with this id",
            ),
            ("error", "MSB1003", None, "Specify a project or solution file."),
            ("error", "CS5001", None, "Program does not contain a static 'Main' method"),
        ];
        assert_eq!(told, expected);
        assert!(found.iter().all(|one| one.tool == "dotnet"));
    }
}
