//! What is done to things, by the words that people have for it.

use crate::contracts::words::words;

/// What a deed needs and leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Reads some.
    Many,
    /// Reads one.
    One,
    /// Makes one.
    New,
    /// Changes fields of one.
    Change,
    /// Takes one away.
    Gone,
    /// Does something else with one.
    Act,
}

/// Something that is done.
#[derive(Debug, PartialEq)]
pub(super) struct Deed {
    pub name: &'static str,
    pub reach: Reach,
}

const fn deed(name: &'static str, reach: Reach) -> Deed {
    Deed { name, reach }
}

/// Each deed with the words for it, singular as sentences are read.
const DEEDS: [(Deed, &[&str]); 26] = [
    (deed("list", Reach::Many), &["list", "show", "see", "view", "browse", "overview", "watch"]),
    (deed("search", Reach::Many), &["search", "find", "filter"]),
    (deed("export", Reach::Many), &["export", "download"]),
    (deed("get", Reach::One), &["get", "open", "read", "inspect", "fetch"]),
    (
        deed("create", Reach::New),
        &["create", "add", "write", "enter", "record", "register", "submit", "insert"],
    ),
    (deed("import", Reach::New), &["import", "upload"]),
    (
        deed("update", Reach::Change),
        &["update", "edit", "change", "rename", "correct", "modify", "move"],
    ),
    (deed("delete", Reach::Gone), &["delete", "remove", "drop", "discard"]),
    (deed("finish", Reach::Act), &["finish", "complete", "close", "tick"]),
    (deed("reopen", Reach::Act), &["reopen"]),
    (deed("assign", Reach::Act), &["assign", "take", "claim"]),
    (deed("archive", Reach::Act), &["archive"]),
    (deed("restore", Reach::Act), &["restore"]),
    (deed("send", Reach::Act), &["send"]),
    (deed("share", Reach::Act), &["share"]),
    (deed("invite", Reach::Act), &["invite"]),
    (deed("approve", Reach::Act), &["approve", "accept"]),
    (deed("reject", Reach::Act), &["reject", "refuse"]),
    (deed("cancel", Reach::Act), &["cancel"]),
    (deed("pay", Reach::Act), &["pay"]),
    (deed("print", Reach::Act), &["print"]),
    (deed("lend", Reach::Act), &["lend", "borrow"]),
    (deed("return", Reach::Act), &["return"]),
    (deed("start", Reach::Act), &["start", "begin"]),
    (deed("stop", Reach::Act), &["stop", "pause"]),
    (deed("publish", Reach::Act), &["publish"]),
];

/// What the word says that is done, where it says so.
pub(super) fn deed_of(word: &str) -> Option<&'static Deed> {
    let word = words(word).pop()?;
    DEEDS.iter().find(|(_, said)| said.contains(&word.as_str())).map(|(deed, _)| deed)
}

/// A deed by its own name.
pub(super) fn by_name(name: &str) -> Option<&'static Deed> {
    DEEDS.iter().map(|(deed, _)| deed).find(|deed| deed.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_sentences_are_found() {
        for (word, expected) in [
            ("ticks", Some("finish")),
            ("searches", Some("search")),
            ("Add", Some("create")),
            ("sees", Some("list")),
            ("task", None),
            ("", None),
        ] {
            assert_eq!(deed_of(word).map(|deed| deed.name), expected, "{word}");
        }
        assert!(DEEDS.iter().all(|(deed, said)| said.contains(&deed.name)));
    }
}
