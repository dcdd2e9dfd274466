//! JUnit's XML reports, which most test runners write. Reports come from the code that is tested:
//! declarations are rejected, and with them every entity but XML's own.

use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};

use super::case::TestCase;
use crate::gate::TestOutcome;

/// Upper limit for a report.
pub const MAX_REPORT_BYTES: u64 = 16 * 1024 * 1024;
const MAX_CASES: usize = 100_000;
const MAX_DEPTH: usize = 64;

/// Why a report was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("it is not a JUnit XML report: {0}")]
    Syntax(String),
    #[error("it contains a document type declaration")]
    Declaration,
    #[error("it contains more than {MAX_CASES} tests or {MAX_DEPTH} levels")]
    TooLarge,
}

/// The tests of a report, in order.
///
/// # Errors
/// If it is no complete XML document with `testsuite` or `testsuites` at its root.
pub fn read(xml: &str) -> Result<Vec<TestCase>, ReportError> {
    let syntax = |what: &dyn std::fmt::Display| ReportError::Syntax(what.to_string());
    let mut reader = Reader::from_str(xml);
    let mut cases: Vec<TestCase> = Vec::new();
    let (mut depth, mut case_depth, mut has_root) = (0, None, false);
    loop {
        let event = reader.read_event().map_err(|error| syntax(&error))?;
        let is_empty = matches!(event, Event::Empty(_));
        match event {
            Event::DocType(_) => return Err(ReportError::Declaration),
            Event::Start(element) | Event::Empty(element) => {
                let name = element.local_name();
                match (depth, name.as_ref()) {
                    (0, "testsuite" | "testsuites") if !has_root => has_root = true,
                    (0, _) => return Err(syntax(&"its root is not `testsuites`")),
                    (_, "testcase") => {
                        cases.push(case(&element)?);
                        case_depth = (!is_empty).then_some(depth);
                    }
                    (_, outcome) if case_depth.is_some_and(|of_case| depth == of_case + 1) => {
                        if let (Some(case), Some(outcome)) = (cases.last_mut(), of_child(outcome)) {
                            case.outcome = case.outcome.max(outcome);
                        }
                    }
                    _ => {}
                }
                depth += usize::from(!is_empty);
                if cases.len() > MAX_CASES || depth > MAX_DEPTH {
                    return Err(ReportError::TooLarge);
                }
            }
            Event::End(_) => {
                depth -= 1;
                case_depth = case_depth.filter(|of_case| *of_case != depth);
            }
            Event::Eof if depth == 0 && has_root => return Ok(cases),
            Event::Eof => return Err(syntax(&"it is incomplete")),
            _ => {}
        }
    }
}

fn of_child(name: &str) -> Option<TestOutcome> {
    match name {
        "failure" | "error" => Some(TestOutcome::Failed),
        "skipped" => Some(TestOutcome::Skipped),
        _ => None,
    }
}

fn case(element: &BytesStart<'_>) -> Result<TestCase, ReportError> {
    let value = |name: &str| match element.try_get_attribute(name) {
        Ok(found) => found.map_or(Ok(String::new()), |found| {
            let value = found.normalized_value(XmlVersion::Implicit1_0);
            value.map(String::from).map_err(|error| ReportError::Syntax(error.to_string()))
        }),
        Err(error) => Err(ReportError::Syntax(error.to_string())),
    };
    let (name, class) = (value("name")?, value("classname")?);
    // Gradle and others write disabled tests so.
    let is_skipped = matches!(value("status")?.as_str(), "notrun" | "disabled" | "skipped");
    let outcome = if is_skipped { TestOutcome::Skipped } else { TestOutcome::Passed };
    let name = if class.is_empty() { name } else { format!("{class}.{name}") };
    Ok(TestCase { name, outcome })
}
