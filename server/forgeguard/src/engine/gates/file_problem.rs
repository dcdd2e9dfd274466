//! Problems found by built-in gates.

use std::fmt::Display;

use domain::{diagnostics::MAX_DIAGNOSTICS, errors::Severity, tracking::ObservedFailure};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// The file that it is about.
    pub file: Option<String>,
    /// The whole line: `path: reason`, `path:line: reason`.
    pub text: String,
}

impl FileProblem {
    /// A problem with a whole file.
    pub fn about(path: &str, why: impl Display) -> Self {
        Self { file: Some(path.to_owned()), text: format!("{path}: {why}") }
    }

    /// A problem with a line of a file.
    pub fn at(path: &str, line: impl Display, why: impl Display) -> Self {
        Self { file: Some(path.to_owned()), text: format!("{path}:{line}: {why}") }
    }
}

/// The problems as failures, and the number of further ones that are not recorded.
pub fn observed_failures(problems: Vec<FileProblem>, source: &str) -> Vec<ObservedFailure> {
    let more = problems.len().saturating_sub(MAX_DIAGNOSTICS);
    let one = |problem: FileProblem| {
        ObservedFailure::new(source, Severity::Error, problem.text).about(problem.file)
    };
    let mut seen: Vec<ObservedFailure> =
        problems.into_iter().take(MAX_DIAGNOSTICS).map(one).collect();
    if more > 0 {
        let message = format!("and {more} more, which are not listed one by one");
        let (severity, identity) = (Severity::Error, "beyond the first");
        seen.push(ObservedFailure::identified(source, severity, message, identity));
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_complaint_is_an_error_of_its_file_up_to_a_limit() {
        let problems = (0..60).map(|n| FileProblem::at(&format!("src/a{n}.js"), n, "odd"));
        let seen = observed_failures(problems.collect(), "gate:validate");
        assert_eq!(seen.len(), MAX_DIAGNOSTICS + 1);
        assert_eq!(
            (seen[3].message.as_str(), seen[3].file.as_deref()),
            ("src/a3.js:3: odd", Some("src/a3.js"))
        );
        assert_eq!(seen[MAX_DIAGNOSTICS].message, "and 10 more, which are not listed one by one");
        let moved =
            observed_failures(vec![FileProblem::at("src/a3.js", 9, "odd")], "gate:validate");
        assert_eq!(moved[0].fingerprint(), seen[3].fingerprint());
    }
}
