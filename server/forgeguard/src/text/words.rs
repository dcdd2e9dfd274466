//! Words of names and sentences, for matching `CreateTasksRequest` with "add a task".

/// The words of a text in lower case and singular; names are split where their case changes.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut last_lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && last_lower) {
            take(&mut word, &mut words);
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        last_lower = c.is_lowercase() || c.is_numeric();
    }
    take(&mut word, &mut words);
    words
}

fn take(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(singular(&std::mem::take(word)));
    }
}

/// Approximate, for English nouns: both sides of a comparison are treated equally.
fn singular(word: &str) -> String {
    let keeps = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if word.len() < 4 || keeps {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let hissing = ["xes", "ches", "shes", "sses"].iter().any(|end| word.ends_with(end));
    let cut = if hissing { 2 } else { usize::from(word.ends_with('s')) };
    word[..word.len() - cut].to_owned()
}

/// Synonymous verbs; the first of a row represents the others.
const VERBS: [&[&str]; 8] = [
    &["create", "add", "new", "make", "post", "register", "insert"],
    &["list", "index", "browse", "search", "find", "show", "see", "view", "overview"],
    &["get", "read", "fetch", "show", "see", "view", "open", "load", "detail"],
    &["update", "edit", "change", "set", "put", "patch", "rename", "modify"],
    &["delete", "remove", "drop", "clear", "destroy"],
    &["finish", "complete", "close", "done", "tick"],
    &["login", "signin", "sign", "authenticate", "session"],
    &["logout", "signout", "sign", "session"],
];

/// Whether the word is a verb of [`VERBS`].
pub fn is_verb(word: &str) -> bool {
    VERBS.iter().any(|verbs| verbs[0] == word || (verbs.contains(&word) && word != "session"))
}

/// Whether two words can mean the same action.
pub fn is_same_verb(one: &str, other: &str) -> bool {
    one == other || VERBS.iter().any(|verbs| verbs.contains(&one) && verbs.contains(&other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sentences_have_the_same_words() {
        for (text, expected) in [
            ("CreateTasksRequest", "create task request"),
            ("list_open_invoices", "list open invoice"),
            ("All tasks, of every day", "all task of every day"),
            ("/boxes/{box}/entries", "box box entry"),
            ("status of addresses", "status of address"),
            ("v2 HTTPServer", "v2 httpserver"),
            ("Größe — ändern", "größe ändern"),
            ("", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn verbs_have_synonyms() {
        assert!(
            is_same_verb("create", "add") && is_same_verb("list", "show") && is_same_verb("x", "x")
        );
        assert!(!is_same_verb("create", "delete") && is_verb("add") && !is_verb("task"));
    }
}
