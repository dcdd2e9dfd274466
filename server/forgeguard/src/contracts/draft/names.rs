//! Names for code, made from what people wrote.

use std::collections::BTreeSet;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::contracts::words::words;

/// Characters of the longest name.
const MOST_CHARS: usize = 40;

/// The words of a text in lower case and without accents, as they stand; marks are left out, and the
/// `'s` of what belongs to somebody.
pub(super) fn plain_words(text: &str) -> Vec<String> {
    let lower = unaccented(text).to_lowercase().replace("'s ", " ").replace("’s ", " ");
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The first words, joined as a name such as `due_date`; empty where a text holds no word.
pub(super) fn name(words: &[String]) -> String {
    let mut name = String::new();
    for word in words {
        let length = name.chars().count() + word.chars().count() + 1;
        match name.is_empty() {
            true => name.extend(word.chars().take(MOST_CHARS)),
            false if length > MOST_CHARS => break,
            false => {
                name.push('_');
                name += word;
            }
        }
    }
    name
}

/// One thing as a name: singular, at most three words.
pub(super) fn noun(text: &str) -> String {
    let mut said = words(&unaccented(text));
    if said.len() > 1 && ["a", "an", "the"].contains(&said[0].as_str()) {
        said.remove(0);
    }
    said.truncate(3);
    let noun = name(&said);
    // A name that falls into other words as a type is one word in both.
    let is_same = words(&type_name(&noun)) == words(&noun);
    if is_same { noun } else { noun.replace('_', "") }
}

/// Several of a thing.
pub(super) fn plural(noun: &str) -> String {
    let last = |back: usize| noun.chars().rev().nth(back).unwrap_or(' ');
    let hissing = ["s", "x", "z", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    match last(0) {
        'y' if !"aeiou".contains(last(1)) => format!("{}ies", &noun[..noun.len() - 1]),
        _ if hissing => format!("{noun}es"),
        c if c.is_ascii_alphabetic() => format!("{noun}s"),
        _ => noun.to_owned(),
    }
}

/// A name as types are written: `due_date` → `DueDate`.
pub(super) fn type_name(noun: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars).collect::<String>()
    };
    noun.split('_').map(capital).collect()
}

/// As it is read in a sentence.
pub(super) fn spoken(name: &str) -> String {
    name.replace('_', " ")
}

/// As paths and commands are written.
pub(super) fn hyphened(name: &str) -> String {
    name.replace('_', "-")
}

/// The name, or the name with a number where it is taken.
pub(super) fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut number = 1;
    let mut free = name.to_owned();
    while !taken.insert(free.clone()) {
        number += 1;
        free = format!("{name}_{number}");
    }
    free
}

fn unaccented(text: &str) -> String {
    let bare = text.nfkd().filter(|c| !is_combining_mark(*c)).nfc();
    bare.collect::<String>().replace('ß', "ss")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_whatever_is_a_word() {
        for (text, expected) in [
            ("Due Date", "due_date"),
            ("  Größe & Gewicht!", "grosse_gewicht"),
            ("today's tasks", "today_tasks"),
            ("任务: x", "任务_x"),
            ("한국어", "한국어"),
            ("🚀 ../`rm`", "rm"),
            ("🚀", ""),
            (
                "an extraordinarily long name for one small thing",
                "an_extraordinarily_long_name_for_one",
            ),
        ] {
            assert_eq!(name(&plain_words(text)), expected, "{text}");
        }
        assert_eq!(name(&["x".repeat(90)]).len(), MOST_CHARS);
    }

    #[test]
    fn one_and_several() {
        for (text, one, several, of_type) in [
            ("Tasks", "task", "tasks", "Task"),
            ("Boxes of entries", "box_of_entry", "box_of_entries", "BoxOfEntry"),
            ("Days", "day", "days", "Day"),
            ("status", "status", "statuses", "Status"),
            ("任务", "任务", "任务", "任务"),
            ("X-rays", "xray", "xrays", "Xray"),
        ] {
            assert_eq!((noun(text).as_str(), plural(&noun(text))), (one, several.to_owned()));
            assert_eq!(type_name(one), of_type);
        }
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let mut taken = BTreeSet::new();
        let names = ["a", "b", "a", "a"].map(|name| unique(name, &mut taken));
        assert_eq!(names, ["a", "b", "a_2", "a_3"]);
    }
}
