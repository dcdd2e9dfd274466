//! The id of a commit.

use std::{fmt, str::FromStr};

use git2::Oid;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Forty lowercase hex digits; a string in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha(Oid);

/// The text is not a commit id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a commit id of 40 lowercase hex digits")]
pub struct BadSha(String);

impl Sha {
    pub(crate) fn oid(self) -> Oid {
        self.0
    }
}

impl From<Oid> for Sha {
    fn from(oid: Oid) -> Self {
        Sha(oid)
    }
}

impl FromStr for Sha {
    type Err = BadSha;

    /// Accepts only full ids, no abbreviations or revision syntax.
    fn from_str(text: &str) -> Result<Self, BadSha> {
        let whole =
            text.len() == 40 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match Oid::from_str(text) {
            Ok(oid) if whole => Ok(Sha(oid)),
            _ => Err(BadSha(text.chars().take(80).collect())),
        }
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha({})", self.0)
    }
}

impl Serialize for Sha {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}
