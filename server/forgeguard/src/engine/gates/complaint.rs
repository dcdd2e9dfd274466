//! What a built-in gate complains of.

use std::fmt::Display;

use domain::{diagnostics::MOST, errors::Severity, tracking::Seen};

/// One complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file it is about.
    pub file: Option<String>,
    /// The whole line: `path: why`, `path:line: why`.
    pub text: String,
}

impl Complaint {
    /// A complaint about a whole file.
    pub fn about(path: &str, why: impl Display) -> Self {
        Self { file: Some(path.to_owned()), text: format!("{path}: {why}") }
    }

    /// A complaint about a line of a file.
    pub fn at(path: &str, line: impl Display, why: impl Display) -> Self {
        Self { file: Some(path.to_owned()), text: format!("{path}:{line}: {why}") }
    }
}

/// The complaints as failures, and how many more there are than are worth a record.
pub fn seen(complaints: Vec<Complaint>, source: &str) -> Vec<Seen> {
    let more = complaints.len().saturating_sub(MOST);
    let one = |complaint: Complaint| Seen {
        file: complaint.file,
        ..Seen::new(source, Severity::Error, complaint.text)
    };
    let mut seen: Vec<Seen> = complaints.into_iter().take(MOST).map(one).collect();
    if more > 0 {
        let message = format!("and {more} more, which are not listed one by one");
        let identity = Some("beyond the first".to_owned());
        seen.push(Seen { identity, ..Seen::new(source, Severity::Error, message) });
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_complaint_is_an_error_of_its_file_up_to_a_limit() {
        let complaints = (0..60).map(|n| Complaint::at(&format!("src/a{n}.js"), n, "odd"));
        let seen = seen(complaints.collect(), "gate:validate");
        assert_eq!(seen.len(), MOST + 1);
        assert_eq!(
            (seen[3].message.as_str(), seen[3].file.as_deref()),
            ("src/a3.js:3: odd", Some("src/a3.js"))
        );
        assert_eq!(seen[MOST].message, "and 10 more, which are not listed one by one");
        let moved = super::seen(vec![Complaint::at("src/a3.js", 9, "odd")], "gate:validate");
        assert_eq!(moved[0].fingerprint(), seen[3].fingerprint());
    }
}
