//! The nine contracts as one build or one project has them, each with where it came from.

use chrono::{DateTime, Utc};
use domain::contract::{ContractSource, ContractType};

/// One contract as somebody reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractText {
    /// Which of the nine.
    pub kind: ContractType,
    /// From 1; 0 for a template.
    pub version: u32,
    /// Where it came from.
    pub source: ContractSource,
    /// The text.
    pub content: String,
    /// When this version was written; `None` for a template.
    pub updated_at: Option<DateTime<Utc>>,
}

/// All nine, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractSet(Vec<ContractText>);

impl ContractSet {
    /// The texts that were found, and for each other type what `missing` gives.
    pub fn complete(
        mut found: Vec<ContractText>,
        missing: impl Fn(ContractType) -> ContractText,
    ) -> Self {
        let take = |kind| {
            let place = found.iter().position(|text| text.kind == kind);
            place.map_or_else(|| missing(kind), |place| found.swap_remove(place))
        };
        Self(ContractType::ALL.into_iter().map(take).collect())
    }

    /// One of the nine.
    pub fn get(&self, kind: ContractType) -> &ContractText {
        &self.0[kind as usize]
    }

    /// All nine, in order.
    pub fn iter(&self) -> impl Iterator<Item = &ContractText> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_found_under_its_name() {
        let text = |kind, version| ContractText {
            kind,
            version,
            source: ContractSource::Project,
            content: ContractType::name(kind).to_owned(),
            updated_at: None,
        };
        let found = vec![text(ContractType::Ui, 4), text(ContractType::Manifesto, 2)];
        let set = ContractSet::complete(found, |kind| text(kind, 0));
        for kind in ContractType::ALL {
            assert_eq!((set.get(kind).kind, set.get(kind).content.as_str()), (kind, kind.name()));
        }
        let versions: Vec<u32> = set.iter().map(|text| text.version).collect();
        assert_eq!(versions, [2, 0, 0, 0, 0, 0, 4, 0, 0]);
    }
}
