//! What is known about a thing: fields with types and rules, read from a few words each.

use std::collections::BTreeSet;

use super::names::{name, plain_words, unique};
use crate::contracts::words::words;

/// Fields that are read for one thing at most.
const MOST_FIELDS: usize = 30;
/// When a thing was finished, where nobody named a field for that.
pub(super) const DONE_AT: &str = "done_at";

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldType {
    Id,
    Text,
    LongText,
    Email,
    Secret,
    Date,
    Timestamp,
    Integer,
    Decimal,
    Boolean,
    Texts,
    /// Names another thing.
    Reference,
}

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub name: String,
    pub holds: FieldType,
    pub is_optional: bool,
    /// The thing that a reference names.
    pub of: Option<String>,
    /// What was said where the name does not say all of it.
    pub said: Option<String>,
}

impl Field {
    pub fn new(name: &str, holds: FieldType) -> Self {
        Self { name: name.to_owned(), holds, is_optional: false, of: None, said: None }
    }

    pub fn optional(name: &str, holds: FieldType) -> Self {
        Self { is_optional: true, ..Self::new(name, holds) }
    }

    /// Whether somebody gives it; the rest is set by what is done.
    pub fn is_given(&self) -> bool {
        self.holds != FieldType::Id && !["created_at", DONE_AT].contains(&self.name.as_str())
    }

    /// Its type as schema and API write it.
    pub fn type_word(&self) -> &'static str {
        match self.holds {
            FieldType::Id | FieldType::Reference => "uuid",
            FieldType::Text | FieldType::LongText | FieldType::Email | FieldType::Secret => "text",
            FieldType::Date => "date",
            FieldType::Timestamp => "timestamp",
            FieldType::Integer => "integer",
            FieldType::Decimal => "decimal",
            FieldType::Boolean => "boolean",
            FieldType::Texts => "list of text",
        }
    }

    /// What must hold for it.
    pub fn rule(&self) -> String {
        let rule = match self.holds {
            FieldType::Id => "primary key, made by the program",
            FieldType::Text => "1 to 200 characters",
            FieldType::LongText => "up to 10,000 characters, may be empty",
            FieldType::Email => "unique, lower case",
            FieldType::Secret => "never shown and never logged",
            FieldType::Date => "a day without a time zone",
            FieldType::Timestamp if self.name == "created_at" => "set once, in UTC",
            FieldType::Timestamp => "in UTC",
            FieldType::Integer => "0 or more",
            FieldType::Decimal => "two digits after the point, never a float",
            FieldType::Boolean => "false at first",
            FieldType::Texts => "may be empty",
            FieldType::Reference => "",
        };
        let mut rule = match &self.of {
            Some(of) => format!("names one of `{of}`"),
            None => rule.to_owned(),
        };
        if self.is_optional && !rule.ends_with("may be empty") {
            rule += ", may be empty";
        }
        rule
    }
}

/// The fields in a list such as `title, owner, due date, done or not`.
///
/// `things` are the names of what is kept, `person` is the one of them that stands for people.
pub(super) fn read(text: &str, things: &[String], person: Option<&str>) -> Vec<Field> {
    let mut taken = BTreeSet::from(["id".to_owned(), "created_at".to_owned()]);
    let text = text.trim().trim_end_matches(['.', ')']);
    let parts = text.split([',', ';', '/', '\n']).flat_map(|part| part.split(" and "));
    let mut fields: Vec<Field> = Vec::new();
    for part in parts.take(MOST_FIELDS) {
        let Some(mut field) = field(part, things, person) else { continue };
        if field.name == "id" || field.name == "created_at" {
            continue;
        }
        field.name = unique(&field.name, &mut taken);
        fields.push(field);
    }
    fields
}

fn field(part: &str, things: &[String], person: Option<&str>) -> Option<Field> {
    let said = part.trim();
    let all = plain_words(&said.to_lowercase().replace("e-mail", "email"));
    let is_flag = said.to_lowercase().contains(" or not")
        || all.first().is_some_and(|word| ["is", "has", "whether"].contains(&word.as_str()));
    let optional = ["optional", "optionally", "maybe", "perhaps"];
    let is_optional = all.iter().any(|word| optional.contains(&word.as_str()));
    const LEFT_OUT: [&str; 22] = [
        "a",
        "an",
        "the",
        "its",
        "their",
        "his",
        "her",
        "or",
        "not",
        "is",
        "has",
        "whether",
        "of",
        "in",
        "for",
        "it",
        "optional",
        "optionally",
        "maybe",
        "perhaps",
        "some",
        "and",
    ];
    let kept: Vec<String> =
        all.iter().filter(|word| !LEFT_OUT.contains(&word.as_str())).take(4).cloned().collect();
    let named = name(&kept);
    if named.is_empty() {
        return None;
    }
    let referred = if is_flag { None } else { referred(&kept, things, person) };
    let holds = match referred {
        Some(_) => FieldType::Reference,
        None if is_flag => FieldType::Boolean,
        None => type_of(&kept),
    };
    let is_often_open = matches!(
        holds,
        FieldType::Date | FieldType::Timestamp | FieldType::LongText | FieldType::Texts
    );
    let is_person = referred.is_some() && referred == person;
    Some(Field {
        name: if referred.is_some() { format!("{named}_id") } else { named },
        holds,
        is_optional: is_optional || is_often_open || is_person,
        of: referred.map(str::to_owned),
        said: (kept.len() < all.len()).then(|| said.to_owned()),
    })
}

/// The thing that a field names: by its own name, or as the person in some part.
fn referred<'a>(kept: &[String], things: &'a [String], person: Option<&'a str>) -> Option<&'a str> {
    const PARTS: [&str; 10] = [
        "owner", "author", "assignee", "creator", "member", "user", "reader", "writer", "customer",
        "borrower",
    ];
    let last = words(kept.last()?).pop()?;
    let itself = things.iter().find(|thing| **thing == last);
    itself.map(String::as_str).or_else(|| person.filter(|_| PARTS.contains(&last.as_str())))
}

fn type_of(kept: &[String]) -> FieldType {
    const BY_WORD: [(FieldType, &[&str]); 10] = [
        (FieldType::Text, &["phone", "code", "zip", "postcode", "isbn", "iban", "plate"]),
        (FieldType::Email, &["email", "mail"]),
        (FieldType::Secret, &["password", "secret", "token", "pin"]),
        (FieldType::Texts, &["tags", "labels", "keywords", "categories", "list"]),
        (FieldType::Date, &["date", "day", "due", "deadline", "birthday", "birthdate"]),
        (FieldType::Timestamp, &["time", "timestamp", "when", "at", "moment"]),
        (FieldType::Decimal, &["price", "cost", "costs", "total", "fee", "balance", "money"]),
        (
            FieldType::Integer,
            &[
                "number", "count", "amount", "quantity", "size", "age", "position", "year",
                "minutes", "hours", "days", "seconds", "rating", "score", "points", "stock",
                "level", "length", "weight", "pages",
            ],
        ),
        (
            FieldType::Boolean,
            &["done", "active", "archived", "paid", "finished", "enabled", "public"],
        ),
        (
            FieldType::LongText,
            &["notes", "note", "description", "comment", "comments", "text", "body", "content"],
        ),
    ];
    let named = |of: &[&str]| kept.iter().any(|word| of.contains(&word.as_str()));
    BY_WORD.iter().find(|(_, of)| named(of)).map_or(FieldType::Text, |(holds, _)| *holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_words_tell_the_type() {
        let things = ["task".to_owned(), "project".to_owned(), "member".to_owned()];
        for (text, expected) in [
            ("title", "title text"),
            ("owner", "owner_id uuid? member"),
            ("its project", "project_id uuid project"),
            ("phone number", "phone_number text"),
            ("due date", "due_date date?"),
            ("done or not", "done boolean"),
            ("whether it is urgent", "urgent boolean"),
            ("e-mail address", "email_address text"),
            ("price per unit", "price_per_unit decimal"),
            ("notes (optional)", "notes text?"),
            ("number of copies", "number_copies integer"),
            ("id, created at, 🚀, title, Title", "title text, title_2 text"),
        ] {
            let fields = read(text, &things, Some("member"));
            let shown = |field: &Field| {
                let mark = if field.is_optional { "?" } else { "" };
                let of = field.of.as_deref().map_or(String::new(), |of| format!(" {of}"));
                format!("{} {}{mark}{of}", field.name, field.type_word())
            };
            let shown: Vec<String> = fields.iter().map(shown).collect();
            assert_eq!(shown.join(", "), expected, "{text}");
        }
    }
}
