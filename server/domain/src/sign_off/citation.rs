//! Places in files that support a statement.

use std::{fmt, ops::RangeInclusive, sync::LazyLock};

use regex::Regex;

/// A place in a file, as in `src/due.js:6` or `tests/test_cli.py:22-84`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    pub path: String,
    /// From 1.
    pub lines: RangeInclusive<u64>,
}

impl Citation {
    /// The places that a text names.
    pub fn all_in(text: &str) -> impl Iterator<Item = Self> {
        static CITATION: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"([\w./@+-]*[A-Za-z_][\w./@+-]*):(\d+)(?:[-–](\d+))?")
                .expect("it is a literal")
        });
        CITATION.captures_iter(text).filter_map(|found| {
            let start = found[2].parse().ok()?;
            let end = found.get(3).map_or(Some(start), |end| end.as_str().parse().ok())?;
            Some(Self { path: found[1].to_owned(), lines: start..=end })
        })
    }
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, first, last) = (&self.path, self.lines.start(), self.lines.end());
        match first == last {
            true => write!(f, "{path}:{first}"),
            false => write!(f, "{path}:{first}-{last}"),
        }
    }
}
