//! Tests run by dotnet: `Failed Name [5 ms]`, the message, and where.

use super::{
    normalisation, output_reader::OutputReader, raw_diagnostic::RawDiagnostic,
    source_location::SourceLocation,
};

/// Tests that failed.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    for (at, line) in reader.free() {
        let Some(name) = name(line) else { continue };
        let end = reader.until(at + 1, at + 200, |_, line| {
            self::name(line).is_some()
                || line.starts_with("Failed!")
                || line.starts_with("Total tests")
        });
        let told = below(reader, at, end, "Error Message:").unwrap_or("failed");
        let location = reader.within(at..end).find_map(|(_, line)| frame(line));
        let (kind, _) = told.split_once(" : ").unwrap_or((told, ""));
        let asserts = told.starts_with("Assert") || kind.contains("Assert");
        let reason = if asserts { "assertion" } else { told };
        found.push(
            RawDiagnostic::test(
                at..end,
                "dotnet test",
                name,
                normalisation::unquoted(told),
                reason,
            )
            .at(location),
        );
    }
    found
}

/// The name in `  Failed Name [5 ms]`.
fn name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("  Failed ")?;
    let (name, time) = rest.trim_end().strip_suffix(']')?.rsplit_once(" [")?;
    (time.ends_with('s') && !name.is_empty()).then_some(name)
}

fn below<'a>(reader: &'a OutputReader, at: usize, end: usize, head: &str) -> Option<&'a str> {
    let (head, _) = reader.within(at..end).find(|(_, line)| line.trim() == head)?;
    Some(reader.line(head + 1).trim())
}

/// `at Name() in path:line 10`.
fn frame(line: &str) -> Option<SourceLocation> {
    let (_, spot) = line.trim_start().strip_prefix("at ")?.rsplit_once(" in ")?;
    let (path, line) = spot.rsplit_once(":line ")?;
    Some(SourceLocation::new(path, line.trim().parse().ok())).filter(SourceLocation::is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_test_platform_prints() {
        let output = "Starting test execution, please wait...\n\
            \u{20} Failed Shelf.Tests.PriceTests.Adds [5 ms]\n\
            \u{20} Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 30\nActual:   20\n\
            \u{20} Stack Trace:\n     at Shelf.Tests.PriceTests.Adds() in /w/tests/PriceTests.cs:line 10\n\
            \u{20} Failed Shelf.Tests.PriceTests.Reads [< 1 ms]\n\
            \u{20} Error Message:\n   System.NullReferenceException : Object reference not set\n\
            \u{20} Stack Trace:\n     at Shelf.Book.Title() in /w/src/Book.cs:line 3\n\n\
            Failed!  - Failed:     2, Passed:     1, Skipped:     0, Total:     3\n";
        let found = read(&OutputReader::new(output, "/w"));
        let told: Vec<_> = found
            .iter()
            .map(|one| {
                let location = one.location.as_ref().unwrap();
                (one.message.as_str(), one.reason.as_str(), location.file.as_str(), location.line)
            })
            .collect();
        let expected = [
            (
                "Shelf.Tests.PriceTests.Adds: Assert.Equal() Failure: Values differ",
                "assertion",
                "tests/PriceTests.cs",
                Some(10),
            ),
            (
                "Shelf.Tests.PriceTests.Reads: System.NullReferenceException : Object reference not set",
                "System.NullReferenceException : Object reference not set",
                "src/Book.cs",
                Some(3),
            ),
        ];
        assert_eq!(told, expected);
    }
}
