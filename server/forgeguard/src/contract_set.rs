//! The nine contracts of a build or a project with their origins, and the neutral examples.

use chrono::{DateTime, Utc};
use domain::contract::{ContractSource, ContractType, gap_count};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractText {
    pub kind: ContractType,
    /// From 1; 0 for an example.
    pub version: u32,
    pub source: ContractSource,
    pub content: String,
    /// When this version was written; `None` for an example.
    pub updated_at: Option<DateTime<Utc>>,
}

impl ContractText {
    /// The number of gaps; an example has none.
    pub fn gap_count(&self) -> usize {
        if self.source == ContractSource::Template { 0 } else { gap_count(&self.content) }
    }
}

/// All nine, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractSet {
    texts: Vec<ContractText>,
    examples: Vec<ContractText>,
}

impl ContractSet {
    /// The given texts, and the example for each missing type.
    pub fn complete(
        mut found: Vec<ContractText>,
        example: impl Fn(ContractType) -> ContractText,
    ) -> Self {
        let examples: Vec<_> = ContractType::ALL.into_iter().map(example).collect();
        let take = |example: &ContractText| {
            let place = found.iter().position(|text| text.kind == example.kind);
            place.map_or_else(|| example.clone(), |place| found.swap_remove(place))
        };
        Self { texts: examples.iter().map(take).collect(), examples }
    }

    pub fn get(&self, kind: ContractType) -> &ContractText {
        &self.texts[kind as usize]
    }

    /// All nine, in order.
    pub fn iter(&self) -> impl Iterator<Item = &ContractText> {
        self.texts.iter()
    }

    /// The neutral example of a contract.
    pub fn example(&self, kind: ContractType) -> &ContractText {
        &self.examples[kind as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contract_type_is_found() {
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
        assert_eq!(set.example(ContractType::Ui).version, 0);
    }
}
