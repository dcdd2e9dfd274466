//! What a reader found in a tool's output, before it is put into words and counted.

use std::ops::Range;

use super::source_location::SourceLocation;
use crate::errors::Severity;

/// How much a finding says. Lesser ones count only where no error says more: what a tool prints
/// last ("1 error generated") is about errors that were told already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// An error of its own.
    Own,
    /// Tells at least how it ended.
    Ending,
    /// Says only that something failed.
    Echo,
    /// Read, and not an error.
    Nothing,
}

/// One finding.
#[derive(Clone, Debug)]
pub struct RawDiagnostic {
    /// The lines that it was read from.
    pub lines: Range<usize>,
    /// Those of them that are worth quoting: all below the first.
    pub quoted: Range<usize>,
    /// The tool's name for people.
    pub tool: &'static str,
    pub severity: Severity,
    pub weight: Weight,
    /// The tool's code or rule.
    pub code: Option<String>,
    pub location: Option<SourceLocation>,
    /// What failed, where that has a name: a test. Two subjects are never one error.
    pub subject: Option<String>,
    /// The first line, for people.
    pub message: String,
    /// What, beside tool, code, file and subject, makes it this error and not another. Numbers in
    /// it do not count.
    pub reason: String,
}

impl RawDiagnostic {
    /// An error at these lines that is known by its message.
    pub fn error(lines: Range<usize>, tool: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            quoted: lines.start + 1..lines.end,
            lines,
            tool,
            severity: Severity::Error,
            weight: Weight::Own,
            code: None,
            location: None,
            subject: None,
            reason: message.clone(),
            message,
        }
    }

    /// A test that failed. What an assertion met changes with every fix and does not make it
    /// another error: such a `reason` is only the kind of failure.
    pub fn test(
        lines: Range<usize>,
        tool: &'static str,
        name: &str,
        told: &str,
        reason: impl Into<String>,
    ) -> Self {
        let message = if told.is_empty() { name.to_owned() } else { format!("{name}: {told}") };
        let subject = Some(name.to_owned());
        Self { subject, reason: reason.into(), ..Self::error(lines, tool, message) }
    }

    /// The same with another severity.
    pub fn severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// The same with a code.
    pub fn code(self, code: Option<String>) -> Self {
        Self { code, ..self }
    }

    /// The same at a location.
    pub fn at(self, location: Option<SourceLocation>) -> Self {
        Self { location, ..self }
    }

    /// The same, known by something else than its message.
    pub fn known_by(self, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..self }
    }

    /// The same, quoting these lines only.
    pub fn quoting(self, quoted: Range<usize>) -> Self {
        Self { quoted, ..self }
    }

    /// The same with less weight.
    pub fn weight(self, weight: Weight) -> Self {
        Self { weight, ..self }
    }
}
