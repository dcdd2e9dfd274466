//! Ids of an auditor's findings: `F-1`, counted within the build.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The id of a finding; a string such as `F-1` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FindingId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a finding's id is F with a number, such as F-1")]
pub struct InvalidFindingId;

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "F-{}", self.0)
    }
}

impl FromStr for FindingId {
    type Err = InvalidFindingId;

    fn from_str(text: &str) -> Result<Self, InvalidFindingId> {
        let number = text.trim().strip_prefix(['F', 'f']).ok_or(InvalidFindingId)?;
        let number = number.strip_prefix(['-', '‑', '–']).ok_or(InvalidFindingId)?;
        number.parse().map(Self).map_err(|_| InvalidFindingId)
    }
}

impl TryFrom<String> for FindingId {
    type Error = InvalidFindingId;

    fn try_from(text: String) -> Result<Self, InvalidFindingId> {
        text.parse()
    }
}

impl From<FindingId> for String {
    fn from(id: FindingId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_is_read_as_it_is_written() {
        assert_eq!(FindingId(12).to_string().parse(), Ok(FindingId(12)));
        assert_eq!(" f-3 ".parse(), Ok(FindingId(3)));
        for invalid in ["", "F", "F-", "3", "F-x", "R-1", "F--1"] {
            assert_eq!(invalid.parse::<FindingId>(), Err(InvalidFindingId), "{invalid}");
        }
    }
}
