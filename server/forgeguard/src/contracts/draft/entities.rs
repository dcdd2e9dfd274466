//! The things that a project is about: as somebody listed them, else as the other answers speak of
//! them.

use std::collections::{BTreeMap, BTreeSet};

use domain::questionnaire::SectionId;

use super::{
    deeds::{Reach, deed_of},
    fields::{self, DONE_AT, Field, FieldType},
    names::{noun, plain_words, unique},
};
use crate::contracts::{brief::Brief, words::words};

/// One kind of thing.
#[derive(Debug)]
pub(super) struct Entity {
    /// Singular, as a name: `due_item`.
    pub name: String,
    pub fields: Vec<Field>,
    /// Whether it stands for people who use the product.
    pub is_person: bool,
}

/// Words for people who use something.
const PEOPLE: [&str; 24] = [
    "member",
    "user",
    "customer",
    "student",
    "teacher",
    "guest",
    "visitor",
    "reader",
    "author",
    "player",
    "client",
    "employee",
    "patient",
    "doctor",
    "friend",
    "lead",
    "manager",
    "admin",
    "administrator",
    "owner",
    "colleague",
    "parent",
    "child",
    "volunteer",
];

/// All things, in the order in which they are told of; at least one.
pub(super) fn entities(brief: &Brief, signs_in: bool) -> Vec<Entity> {
    let listed = brief.items(SectionId::DatabaseSchema, "entities");
    let mut taken = BTreeSet::new();
    let mut found: Vec<(String, &str)> = Vec::new();
    for item in listed {
        let (title, rest) = split(item);
        let name = noun(title);
        if name.is_empty() || found.iter().any(|(other, _)| *other == name) {
            continue;
        }
        found.push((unique(&name, &mut taken), rest));
    }
    let were_listed = !found.is_empty();
    if !were_listed {
        found.extend(spoken_of(brief).into_iter().map(|name| (name, "")));
    }
    let is_person = |name: &str| PEOPLE.contains(&name);
    let mut person = found.iter().map(|(name, _)| name.clone()).find(|name| is_person(name));
    if signs_in && person.is_none() {
        let name = unique(&who(brief), &mut taken);
        found.push((name.clone(), ""));
        person = Some(name);
    }
    let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
    let entity = |(name, about): (String, &str)| {
        let is_person = person.as_ref() == Some(&name);
        let mut fields = fields::read(about, &names, person.as_deref());
        if fields.is_empty() {
            fields = match is_person {
                true => vec![Field::new("name", FieldType::Text)],
                false if were_listed => vec![Field::new("title", FieldType::Text)],
                false => fields_spoken_of(brief, &name, person.as_deref()),
            };
        }
        if is_person && signs_in {
            complete_person(&mut fields);
        }
        fields.insert(0, Field::new("id", FieldType::Id));
        fields.push(Field::new("created_at", FieldType::Timestamp));
        Entity { name, fields, is_person }
    };
    found.into_iter().map(entity).collect()
}

/// What a thing is called, and what is said about it: `Task: title, owner`.
pub(super) fn split(item: &str) -> (&str, &str) {
    const BETWEEN: [&str; 7] = [":", " — ", " – ", " - ", " (", " has ", " with "];
    let place = BETWEEN.iter().filter_map(|mark| Some((item.find(mark)?, mark.len()))).min();
    match place {
        Some((at, length)) => (item[..at].trim(), item[at + length..].trim()),
        None => (item.trim(), ""),
    }
}

/// What is done, without the reason for it.
pub(super) fn main_clause(line: &str) -> &str {
    let ends = [" so that", " because", " in order to", ". ", ";", " (", ": "];
    let end = ends.iter().filter_map(|mark| line.find(mark)).min().unwrap_or(line.len());
    &line[..end]
}

/// Which of the things a sentence is about.
pub(super) fn thing_in(said: &[String], entities: &[Entity]) -> Option<usize> {
    let place = |entity: &Entity| {
        let parts = words(&entity.name);
        said.windows(parts.len().max(1)).position(|window| window == parts.as_slice())
    };
    let found = entities.iter().enumerate().filter_map(|(index, e)| Some((place(e)?, e, index)));
    // People do something with the other things far more often than the other way round.
    found.min_by_key(|(place, entity, _)| (entity.is_person, *place)).map(|(_, _, index)| index)
}

/// Who uses it, in one word.
fn who(brief: &Brief) -> String {
    let users = brief.text(SectionId::ProductIntent, "users").unwrap_or_default();
    let named = words(users).into_iter().find(|word| PEOPLE.contains(&word.as_str()));
    named.unwrap_or_else(|| "user".to_owned())
}

fn complete_person(fields: &mut Vec<Field>) {
    let has = |fields: &[Field], holds| fields.iter().any(|field| field.holds == holds);
    if !has(fields, FieldType::Email) {
        fields.push(Field::new("email", FieldType::Email));
    }
    if !has(fields, FieldType::Secret) {
        fields.push(Field::new("password_hash", FieldType::Secret));
    }
}

/// What the answers speak of most: words after an article or after what is done to them.
fn spoken_of(brief: &Brief) -> Vec<String> {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut place = 0;
    for text in told(brief) {
        let said = words(text);
        for (at, word) in said.iter().enumerate().skip(1) {
            // Whoever does something is no thing: `the brewer adds a batch`.
            let acts = said.get(at + 1).is_some_and(|next| deed_of(next).is_some());
            if leads_to_a_thing(&said[at - 1]) && is_thing(word) && !acts {
                place += 1;
                counts.entry(word.clone()).or_insert((0, place)).0 += 1;
            }
        }
    }
    let mut things: Vec<(String, (usize, usize))> = counts.into_iter().collect();
    things.sort_by_key(|(_, (count, place))| (std::cmp::Reverse(*count), *place));
    let often = things.iter().skip(1).take(1).filter(|(_, (count, _))| *count >= 3);
    let named: Vec<String> =
        things.first().into_iter().chain(often).map(|(word, _)| noun(word)).collect();
    if named.is_empty() { vec!["entry".to_owned()] } else { named }
}

fn leads_to_a_thing(word: &str) -> bool {
    const LEADING: [&str; 18] = [
        "a", "an", "the", "each", "every", "all", "any", "new", "their", "it", "his", "her", "my",
        "your", "our", "one", "open", "off",
    ];
    LEADING.contains(&word) || deed_of(word).is_some()
}

fn is_thing(word: &str) -> bool {
    const OTHER: [&str; 62] = [
        "a",
        "an",
        "the",
        "all",
        "any",
        "new",
        "each",
        "every",
        "one",
        "it",
        "them",
        "that",
        "this",
        "what",
        "which",
        "who",
        "small",
        "large",
        "shared",
        "single",
        "simple",
        "first",
        "last",
        "next",
        "other",
        "same",
        "team",
        "person",
        "people",
        "everybody",
        "anybody",
        "somebody",
        "page",
        "screen",
        "list",
        "view",
        "time",
        "day",
        "today",
        "week",
        "month",
        "year",
        "morning",
        "evening",
        "way",
        "top",
        "line",
        "key",
        "click",
        "date",
        "name",
        "title",
        "number",
        "app",
        "program",
        "product",
        "thing",
        "button",
        "off",
        "and",
        "or",
        "his",
    ];
    let letters = word.chars().count();
    letters >= 3
        && word.chars().all(char::is_alphabetic)
        && !OTHER.contains(&word)
        && !PEOPLE.contains(&word)
        && deed_of(word).is_none_or(|deed| deed.reach == Reach::Many)
}

fn told(brief: &Brief) -> Vec<&str> {
    let intent = SectionId::ProductIntent;
    let mut told = brief.items(intent, "features");
    told.extend(brief.items(SectionId::ApiEndpoints, "calls"));
    told.extend(brief.items(SectionId::UiRequirements, "screens"));
    told.extend(brief.text(intent, "summary"));
    told.extend(brief.text(intent, "success"));
    told
}

/// Fields that the answers give away by what they speak of.
fn fields_spoken_of(brief: &Brief, thing: &str, person: Option<&str>) -> Vec<Field> {
    const SIGNALS: [(&str, FieldType, &[&str]); 7] = [
        ("due_on", FieldType::Date, &["due", "deadline", "overdue", "late"]),
        (
            DONE_AT,
            FieldType::Timestamp,
            &["done", "finish", "finished", "complete", "ticks", "tick"],
        ),
        ("amount", FieldType::Decimal, &["price", "cost", "amount", "money", "paid", "spent"]),
        ("quantity", FieldType::Integer, &["quantity", "count", "counts", "stock", "many"]),
        ("author", FieldType::Text, &["author", "authors", "written"]),
        ("tags", FieldType::Texts, &["tag", "tags", "label", "labels", "category"]),
        ("notes", FieldType::LongText, &["notes", "remark", "comment", "describe", "description"]),
    ];
    let said: BTreeSet<String> = told(brief).into_iter().flat_map(plain_words).collect();
    let mut fields = listed_within(brief, thing);
    if fields.is_empty() {
        fields.push(Field::new("title", FieldType::Text));
    }
    for (name, holds, signs) in SIGNALS {
        let is_there = fields.iter().any(|field| field.name == name || field.holds == holds);
        if !is_there && signs.iter().any(|sign| said.contains(*sign)) {
            fields.push(Field::optional(name, holds));
        }
    }
    if let Some(person) = person {
        let owner = Field::optional("owner_id", FieldType::Reference);
        fields.push(Field { of: Some(person.to_owned()), ..owner });
    }
    fields
}

/// What a feature names as parts of a thing: `adds a batch with name, style and malt`.
fn listed_within(brief: &Brief, thing: &str) -> Vec<Field> {
    let features = brief.items(SectionId::ProductIntent, "features");
    let list = |feature: &&str| {
        let (before, list) = main_clause(feature).split_once(" with ")?;
        let is_list = list.contains(',') || list.contains(" and ");
        let of = words(before).pop().filter(|last| last == thing && is_list);
        of.map(|_| fields::read(list, &[], None))
    };
    features.iter().find_map(list).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::questionnaire::Size;
    use serde_json::{Value, json};

    fn found(answers: Value, signs_in: bool) -> Vec<String> {
        let answers = serde_json::from_value(answers).unwrap();
        let brief = Brief { name: "x".into(), size: Size::Full, answers };
        let shown = |entity: &Entity| {
            let fields: Vec<&str> = entity.fields.iter().map(|field| field.name.as_str()).collect();
            format!("{}: {}", entity.name, fields.join(" "))
        };
        entities(&brief, signs_in).iter().map(shown).collect()
    }

    #[test]
    fn listed_things_are_taken_as_they_are() {
        let listed = json!({"database_schema": {"entities": [
            "Tasks: title, owner, due date", "A member (name, e-mail)", "tasks", "Label"
        ]}});
        assert_eq!(
            found(listed, true),
            [
                "task: id title owner_id due_date created_at",
                "member: id name email password_hash created_at",
                "label: id title created_at",
            ]
        );
    }

    #[test]
    fn without_a_list_the_other_answers_tell() {
        let told = json!({"product_intent": {
            "summary": "Keeps the tasks of a small team: everybody takes a task and ticks it off.",
            "features": ["A member ticks off a task that is due"],
            "users": "Members, who do tasks",
        }});
        assert_eq!(found(told.clone(), false), ["task: id title due_on done_at created_at"]);
        assert_eq!(found(told, true)[1], "member: id name email password_hash created_at");
        let brewing = json!({"product_intent": {
            "features": ["The brewer adds a batch with name and malt", "The brewer sees the batch", "The brewer rests"]
        }});
        assert_eq!(found(brewing, false), ["batch: id name malt created_at"]);
        assert_eq!(found(json!({}), false), ["entry: id title created_at"]);
    }
}
