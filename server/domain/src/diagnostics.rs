//! Reads diagnostics from the output of a failed command: a list of distinct errors, each with its
//! tool, its location and what distinguishes it from others.
//!
//! The tools are recognised by their output, because a command may run several. Each parser reads
//! only lines that it recognises with certainty; later parsers skip them.

mod cc;
mod dotnet_test;
mod eslint;
mod go;
mod go_test;
mod java;
mod jest;
mod js_stack;
mod located;
mod maven;
mod msbuild;
mod node;
mod node_spec;
mod normalisation;
mod other;
mod output_reader;
mod program;
mod pytest;
mod python;
mod raw_diagnostic;
mod ruff;
mod rust;
mod rust_tests;
mod scan;
mod snippet;
mod source_location;
mod tap;
mod traceback;
mod vitest;

use std::collections::HashMap;

use output_reader::OutputReader;
use raw_diagnostic::{RawDiagnostic, Weight};

use crate::errors::Severity;

/// Diagnostics of one output at the most; one more says how many there were beyond.
pub const MAX_DIAGNOSTICS: usize = 50;
/// Characters of a diagnostic's first line.
const MAX_MESSAGE_CHARS: usize = 400;
/// Lines and characters of the output that a diagnostic quotes.
const MAX_EXCERPT_LINES: usize = 24;
const MAX_EXCERPT_BYTES: usize = 1_600;
/// Other lines with the same error that are named.
const MAX_OTHER_LINES: usize = 6;

/// One distinct error or warning of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The tool: `rustc`, `pytest` …; `other` where none was recognised.
    pub tool: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// The tool's code or rule.
    pub code: Option<String>,
    /// The file it is about, from the project's root on where it lies within.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<u32>,
    /// The first line for people.
    pub message: String,
    /// What the tool printed about it, cut.
    pub excerpt: String,
    /// What tells it from other errors: tool, code, file, subject and words, without numbers,
    /// places and times.
    pub identity: String,
    /// Further lines of the file with the same error.
    also: Vec<u32>,
}

type Parser = fn(&OutputReader) -> Vec<RawDiagnostic>;

/// Those that know whole blocks come before those that know lines.
const PARSERS: [Parser; 26] = [
    program::stopped,
    rust_tests::read,
    rust::read,
    pytest::read,
    python::tests,
    python::programs,
    jest::read,
    vitest::read,
    eslint::read,
    msbuild::read,
    dotnet_test::read,
    node::uncaught,
    tap::read,
    node_spec::read,
    node::npm,
    go_test::read,
    go::read,
    go::panics,
    maven::read,
    java::compiler,
    java::programs,
    ruff::read,
    cc::read,
    program::read,
    located::read,
    node::stacks,
];

/// The diagnostics of a command that ran in the directory `root` (empty: unknown).
pub fn read(output: &str, root: &str) -> Vec<Diagnostic> {
    let (reader, found) = found(output, root);
    distinct(&reader, found)
}

/// The same of a command that failed: there is at least one error, be it the output's first
/// telling line.
pub fn of_failure(output: &str, root: &str) -> Vec<Diagnostic> {
    let (reader, mut found) = found(output, root);
    if found.iter().all(|one| one.severity == Severity::Warning) {
        found.push(other::read(&reader));
    }
    distinct(&reader, found)
}

/// The lines of an output without colours and other control characters.
pub(crate) fn plain_lines(output: &str) -> Vec<String> {
    let reader = OutputReader::new(output, "");
    (0..reader.len()).map(|at| reader.line(at).to_owned()).collect()
}

fn found(output: &str, root: &str) -> (OutputReader, Vec<RawDiagnostic>) {
    let mut reader = OutputReader::new(output, root);
    let mut found = Vec::new();
    for parser in PARSERS {
        let read = parser(&reader);
        for one in &read {
            reader.take(one.lines.clone());
        }
        found.extend(read);
    }
    found.retain(|one| one.weight < Weight::Nothing);
    let errors = found.iter().filter(|one| one.severity > Severity::Warning);
    let most: Weight = errors.map(|one| one.weight).min().unwrap_or(Weight::Own);
    found.retain(|one| one.weight <= most);
    found.sort_by_key(|one| one.lines.start);
    (reader, found)
}

/// Each error once, in the order of the output; errors before warnings where there are too many.
fn distinct(reader: &OutputReader, found: Vec<RawDiagnostic>) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::new();
    let mut known: HashMap<(Severity, String), usize> = HashMap::new();
    for one in found {
        let diagnostic = to_diagnostic(reader, one);
        let key = (diagnostic.severity, diagnostic.identity.clone());
        match known.get(&key) {
            Some(known) => again(&mut all[*known], &diagnostic),
            None => {
                known.insert(key, all.len());
                all.push(diagnostic);
            }
        }
    }
    if all.len() > MAX_DIAGNOSTICS {
        let more = all.len() - MAX_DIAGNOSTICS;
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|at| (std::cmp::Reverse(all[*at].severity), *at));
        order.truncate(MAX_DIAGNOSTICS);
        order.sort_unstable();
        let rest = (0..all.len()).filter(|at| order.binary_search(at).is_err());
        let severity = rest.map(|at| all[at].severity).max().unwrap_or(Severity::Error);
        all = order.into_iter().map(|at| all[at].clone()).collect();
        all.push(beyond(more, severity));
    }
    all
}

/// The same error at another line.
fn again(first: &mut Diagnostic, other: &Diagnostic) {
    if let Some(line) = other.line.filter(|line| first.line != Some(*line))
        && !first.also.contains(&line)
        && first.also.len() < MAX_OTHER_LINES
    {
        first.also.push(line);
    }
}

fn beyond(more: usize, severity: Severity) -> Diagnostic {
    Diagnostic {
        tool: "other",
        severity,
        code: None,
        file: None,
        line: None,
        message: format!("and {more} more, which are not listed one by one"),
        excerpt: String::new(),
        identity: "beyond the first".to_owned(),
        also: Vec::new(),
    }
}

fn to_diagnostic(reader: &OutputReader, found: RawDiagnostic) -> Diagnostic {
    let excerpt = excerpt(reader, &found);
    let file =
        found.location.as_ref().map(|location| location.file.clone()).filter(|f| !f.is_empty());
    let identity = [
        found.tool,
        found.code.as_deref().unwrap_or_default(),
        &normalisation::normalised_name(file.as_deref().unwrap_or_default()),
        &normalisation::normalised_name(found.subject.as_deref().unwrap_or_default()),
        &normalisation::normalised(&found.reason),
    ]
    .join("\n");
    Diagnostic {
        tool: found.tool,
        severity: found.severity,
        code: found.code,
        line: file.as_ref().and(found.location.as_ref()).and_then(|location| location.line),
        file,
        message: cut(&found.message, MAX_MESSAGE_CHARS),
        excerpt,
        identity,
        also: Vec::new(),
    }
}

/// What a tool printed about a finding, cut.
fn excerpt(reader: &OutputReader, found: &RawDiagnostic) -> String {
    let mut excerpt = String::new();
    for (_, line) in reader.within(found.quoted.clone()).take(MAX_EXCERPT_LINES) {
        if excerpt.len() + line.len() > MAX_EXCERPT_BYTES {
            break;
        }
        excerpt.push_str(line.trim_end());
        excerpt.push('\n');
    }
    excerpt.trim_matches('\n').to_owned()
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl Diagnostic {
    /// All of it as one text: the message with its code, the place, what the tool printed.
    pub fn text(&self) -> String {
        let mut text = match self.code.as_ref().filter(|code| !self.message.contains(*code)) {
            Some(code) => format!("{} [{code}]", self.message),
            None => self.message.clone(),
        };
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            text += &format!("\nat {file}:{line}");
        }
        if !self.also.is_empty() {
            let lines: Vec<String> = self.also.iter().map(u32::to_string).collect();
            text += &format!(", also at line {}", lines.join(", "));
        }
        if !self.excerpt.is_empty() {
            text += &format!("\n{}", self.excerpt);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_error_at_many_lines_is_one() {
        let line = |n: u32| format!("src/a.ts({n},1): error TS2304: Cannot find name 'total'.\n");
        let output: String = [3, 9, 12, 9].into_iter().map(line).collect();
        let found = read(&output, "");
        assert_eq!(found.len(), 1);
        let text = "Cannot find name 'total'. [TS2304]\nat src/a.ts:3, also at line 9, 12";
        assert_eq!(found[0].text(), text);
    }

    #[test]
    fn errors_come_before_warnings_where_there_are_too_many() {
        let warned = |n: usize| format!("a{n}.c:1:1: warning: dusty\n");
        let failed = |n: usize| format!("b{n}.c:1:1: error: crooked\n");
        let output: String = (0..45).map(warned).chain((0..45).map(failed)).collect();
        let found = of_failure(&output, "");
        let errors = found.iter().filter(|one| one.severity == Severity::Error).count();
        assert_eq!((found.len(), errors), (MAX_DIAGNOSTICS + 1, 45));
        assert_eq!(found[0].file.as_deref(), Some("a0.c"));
        assert_eq!(found[MAX_DIAGNOSTICS].message, "and 40 more, which are not listed one by one");
        assert_eq!(found[MAX_DIAGNOSTICS].severity, Severity::Warning);
    }

    #[test]
    fn a_failure_has_an_error_whatever_was_printed() {
        for (output, message) in [
            ("", "it failed without a word"),
            ("\n \n", "it failed without a word"),
            ("a.c:1:1: warning: dusty\n1 warning generated.", "1 warning generated."),
            ("working\nstopped: it ran longer than 60 s", "stopped: it ran longer than 60 s"),
            ("0 errors\nall is well", "all is well"),
        ] {
            let found = of_failure(output, "");
            let last = found.last().map(|one| (one.message.as_str(), one.severity));
            assert_eq!(last, Some((message, Severity::Error)), "{output}");
        }
        assert!(read("", "").is_empty());
    }

    #[test]
    fn a_time_limit_is_told_beside_what_was_printed_before_it() {
        let output = "a.c:1:1: error: crooked\nstopped: it ran longer than 60 s";
        let found = of_failure(output, "");
        let messages: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(messages, ["crooked", "stopped: it ran longer than 60 s"]);
        let shorter = of_failure("stopped: it ran longer than 5 s", "");
        assert_eq!(shorter[0].identity, found[1].identity);
    }
}
