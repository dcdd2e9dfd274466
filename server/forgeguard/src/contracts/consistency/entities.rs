//! Checks that the types of the API are in the schema.

use std::collections::BTreeSet;

use domain::contract::ContractType;

use super::{
    finding::{Finding, Place, Rule},
    reading::Reading,
};
use crate::{contracts::outline::Part, text::words::words};

/// Names of built-in types.
const PLAIN: [&str; 24] = [
    "String",
    "Text",
    "Str",
    "Bool",
    "Boolean",
    "Int",
    "Integer",
    "Float",
    "Double",
    "Number",
    "Date",
    "Datetime",
    "DateTime",
    "Time",
    "Timestamp",
    "Uuid",
    "Json",
    "Object",
    "Array",
    "List",
    "Map",
    "Bytes",
    "Null",
    "None",
];

pub(super) fn check(reading: &Reading<'_>) -> Vec<Finding> {
    let Some(physics) = &reading.physics else { return Vec::new() };
    let known = entities(reading);
    let mut reported = BTreeSet::new();
    let unknown = physics.types().into_iter().filter(|(name, _)| {
        let is_known = words(name).iter().any(|word| known.contains(word));
        !PLAIN.contains(&name.as_str()) && !is_known && reported.insert(name.clone())
    });
    let finding = |(name, line): (String, usize)| Finding {
        rule: Rule::EntityInSchema,
        at: Place { contract: ContractType::Physics, line },
        see: Some(Place { contract: ContractType::Schema, line: 1 }),
        text: format!(
            "The API uses `{name}`, which the schema does not define: define it there, or use one \
             of its names."
        ),
    };
    unknown.map(finding).collect()
}

/// The names of the schema's entities.
fn entities(reading: &Reading<'_>) -> BTreeSet<String> {
    let names = reading.outline(ContractType::Schema).iter().filter(|block| match block.part {
        Part::Heading(level) => level > 1,
        Part::FirstCell => true,
        _ => false,
    });
    names.flat_map(|block| words(&block.text)).collect()
}
