//! Exit criteria of a phase: what each proves, and how it is proven.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::requirement::RequirementId;

/// How a criterion is proven.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ProofType {
    /// Each of these tests runs and passes in a required gate.
    Test {
        /// At least one.
        names: Vec<String>,
    },
    /// This shell command exits with code 0.
    Command { command: String },
    /// The auditor judges it and cites what it has read.
    #[default]
    Review,
    /// An account with the required permission confirms it.
    Person,
}

/// One exit criterion of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(from = "StoredCriterion")]
pub struct ExitCriterion {
    /// What it proves; `None` for groundwork that no requirement asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "R-7.a")]
    pub id: Option<RequirementId>,
    /// The item as written, with id and proof.
    pub text: String,
    pub proof: ProofType,
}

/// Journals of older versions contain only the text.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredCriterion {
    Text(String),
    Typed {
        #[serde(default)]
        id: Option<RequirementId>,
        text: String,
        proof: ProofType,
    },
}

impl From<StoredCriterion> for ExitCriterion {
    fn from(stored: StoredCriterion) -> Self {
        match stored {
            StoredCriterion::Text(text) => Self::reviewed(text),
            StoredCriterion::Typed { id, text, proof } => Self { id, text, proof },
        }
    }
}

/// What is wrong with a criterion that names a requirement or a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CriterionError {
    #[error(
        "{0} does not say how it is proven: end with `— test: name`, `— command: …`, `— review` or `— person`"
    )]
    NoProof(RequirementId),
    #[error("write one criterion for each requirement")]
    SeveralRequirements,
    #[error("name the test that proves it, as in `— test: fine_rope_four_days`")]
    NoTest,
    #[error("write the command that proves it, as in `— command: npm run size`")]
    NoCommand,
}

impl ExitCriterion {
    /// A criterion that the auditor judges, without a requirement.
    pub fn reviewed(text: String) -> Self {
        Self { id: None, text, proof: ProofType::Review }
    }

    /// Reads an item such as `R-7.a — test: fine_rope_four_days`. An item without id and proof is
    /// judged by the auditor.
    pub fn parse(item: &str) -> Result<Self, CriterionError> {
        let start = item.trim_start_matches(is_decoration);
        let (id, rest) = match RequirementId::at_start(start) {
            Some((id, length)) => (Some(id), &start[length..]),
            None => (None, item),
        };
        if id.is_some() && names_another(rest) {
            return Err(CriterionError::SeveralRequirements);
        }
        let proof = match (proof(rest, id.is_some())?, id) {
            (Some(proof), _) => proof,
            (None, Some(id)) => return Err(CriterionError::NoProof(id)),
            (None, None) => ProofType::Review,
        };
        Ok(Self { id, text: item.to_owned(), proof })
    }
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '_' | '`' | '[' | '(')
}

/// Whether another id follows the first one, as in `R-7, R-8 — review`.
fn names_another(rest: &str) -> bool {
    static ANOTHER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[*_`]*\s*(?:[,/&+]|and\b|,\s*and\b)\s*[*_`]*(.*)$").expect("it is a literal")
    });
    let after = ANOTHER.captures(rest).and_then(|found| found.get(1));
    after.is_some_and(|after| RequirementId::at_start(after.as_str()).is_some())
}

/// The proof that the text after the id declares. Without an id, only at the start or after a dash,
/// as sentences contain these words too.
fn proof(rest: &str, has_id: bool) -> Result<Option<ProofType>, CriterionError> {
    static DECLARED: LazyLock<Regex> = LazyLock::new(|| {
        let word = r"\**(?P<word>(?i:tests?|command|review|person))\**";
        let value = r"\s*(?::\**\s*(?P<value>.*))?\.?\s*$";
        Regex::new(&format!(r"(?:^|[—–:;,(|]|\s--?)[*_`\])\s]*{word}{value}"))
            .expect("it is a literal")
    });
    static DECLARED_ALONE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?:^|\s(?:[—–]|--?)\s+)(?P<word>(?i:test|command|review|person))\s*(?::\s*(?P<value>.*))?\.?\s*$",
        )
        .expect("it is a literal")
    });
    let pattern = if has_id { &DECLARED } else { &DECLARED_ALONE };
    let Some(found) = pattern.captures(rest) else { return Ok(None) };
    let value = found.name("value").map_or("", |value| value.as_str().trim());
    Ok(Some(match found["word"].to_lowercase().as_str() {
        "test" | "tests" => match names(value) {
            names if names.is_empty() => return Err(CriterionError::NoTest),
            names => ProofType::Test { names },
        },
        "command" => match codes(value).next().unwrap_or(value).trim_matches(['`', ' ']) {
            "" => return Err(CriterionError::NoCommand),
            command => ProofType::Command { command: command.to_owned() },
        },
        "person" => ProofType::Person,
        _ => ProofType::Review,
    }))
}

/// Names of tests, separated by commas; a name in backticks may contain commas.
fn names(value: &str) -> Vec<String> {
    let mut in_code = false;
    let parts = value.trim_end_matches(['.', ')']).split(|c| {
        in_code ^= c == '`';
        c == ',' && !in_code
    });
    let mut names = Vec::new();
    for part in parts {
        let mut codes = codes(part).peekable();
        match codes.peek() {
            Some(_) => names.extend(codes),
            None => names.push(part),
        }
    }
    let trimmed =
        names.into_iter().map(|name| name.trim().trim_matches(['"', '\'', '“', '”', '*', '`']));
    trimmed.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// What is between backticks.
fn codes(value: &str) -> impl Iterator<Item = &str> {
    value.split('`').skip(1).step_by(2).filter(|code| !code.trim().is_empty())
}

#[cfg(test)]
mod tests;
