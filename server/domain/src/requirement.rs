//! Ids of requirements: `R-7` for functional ones, `Q-2` for quality, `R-7.a` for a scenario of one.

use std::{fmt, str::FromStr, sync::LazyLock};

use regex::{Captures, Regex};
use serde::{Deserialize, Serialize};

/// What a requirement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequirementKind {
    /// `R`
    Functional,
    /// `Q`
    Quality,
}

/// The id of a requirement, or of one of its scenarios; a string such as `R-7.a` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RequirementId {
    pub kind: RequirementKind,
    pub number: u32,
    /// `a` to `z`; `None` for the requirement itself.
    pub scenario: Option<char>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a requirement's id is R or Q with a number, such as R-7 or Q-2, or R-7.a for a scenario")]
pub struct InvalidRequirementId;

impl RequirementId {
    /// The requirement that a scenario belongs to; otherwise the id itself.
    pub fn requirement(self) -> Self {
        Self { scenario: None, ..self }
    }

    /// All ids in a text, in order.
    pub fn all_in(text: &str) -> impl Iterator<Item = Self> {
        static ANYWHERE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(&format!(r"\b{PATTERN}\b")).expect("it is a literal"));
        ANYWHERE.captures_iter(text).filter_map(|found| Self::of(&found))
    }

    /// The id that a text begins with, and the length of its text.
    pub fn at_start(text: &str) -> Option<(Self, usize)> {
        static START: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(&format!(r"^{PATTERN}\b")).expect("it is a literal"));
        let found = START.captures(text)?;
        Some((Self::of(&found)?, found[0].len()))
    }

    fn of(found: &Captures<'_>) -> Option<Self> {
        let kind = match &found["kind"] {
            "R" | "r" => RequirementKind::Functional,
            _ => RequirementKind::Quality,
        };
        let number = found["number"].parse().ok()?;
        let scenario = found.name("scenario").and_then(|it| it.as_str().chars().next());
        Some(Self { kind, number, scenario: scenario.map(|it| it.to_ascii_lowercase()) })
    }
}

/// Any kind of dash, as word processors and models replace them.
const PATTERN: &str =
    r"(?P<kind>[RrQq])[-‐‑‒–—](?P<number>[0-9]{1,6})(?:\.?(?P<scenario>[A-Za-z]))?";

impl fmt::Display for RequirementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.kind {
            RequirementKind::Functional => 'R',
            RequirementKind::Quality => 'Q',
        };
        write!(f, "{letter}-{}", self.number)?;
        self.scenario.map_or(Ok(()), |scenario| write!(f, ".{scenario}"))
    }
}

impl FromStr for RequirementId {
    type Err = InvalidRequirementId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::at_start(text).filter(|(_, length)| *length == text.len());
        found.map(|(id, _)| id).ok_or(InvalidRequirementId)
    }
}

impl TryFrom<String> for RequirementId {
    type Error = InvalidRequirementId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<RequirementId> for String {
    fn from(id: RequirementId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_with_any_dash_and_shown_with_a_hyphen() {
        for (text, expected) in [
            ("R-7", "R-7"),
            ("Q-2", "Q-2"),
            ("R-7.a", "R-7.a"),
            ("r-7.A", "R-7.a"),
            ("R‑12b", "R-12.b"),
            ("Q–3", "Q-3"),
        ] {
            let id: RequirementId = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(id.to_string(), expected);
            let json = serde_json::to_string(&id).unwrap();
            assert_eq!(serde_json::from_str::<RequirementId>(&json).unwrap(), id);
        }
        for text in ["", "R", "R-", "S-1", "R-7.", "R-7.ab", "R-7 x", "R-9999999", "7"] {
            assert_eq!(text.parse::<RequirementId>(), Err(InvalidRequirementId), "{text}");
        }
    }

    #[test]
    fn ids_are_found_within_text() {
        let found: Vec<String> = RequirementId::all_in("R-7, **Q-2** and R-12.a; not OR-3 or R-7.")
            .map(String::from)
            .collect();
        assert_eq!(found, ["R-7", "Q-2", "R-12.a", "R-7"]);
        assert_eq!("R-7.a".parse::<RequirementId>().unwrap().requirement().to_string(), "R-7");
    }
}
