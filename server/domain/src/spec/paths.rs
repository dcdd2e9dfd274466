//! Paths of files in the text of items.

use super::{model::FileAction, proof::codes, sections::Files};

/// The path that an item names: in code, or its first word that looks like a path.
pub(super) fn path(text: &str) -> Option<String> {
    let coded = codes(text).map(without_line).find(|code| is_path(code));
    let word = || {
        let trim = |c: char| "()[]<>,;:\"'*".contains(c);
        text.split_whitespace().map(|word| word.trim_matches(trim)).map(without_line).find(|word| {
            is_path(word) && (word.contains('/') || has_extension(word)) && !word.contains("://")
        })
    };
    coded.or_else(word).map(str::to_owned)
}

/// `a.rs:10-20` without its lines.
fn without_line(path: &str) -> &str {
    match path.rsplit_once(':') {
        Some((path, line)) if line.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
            path
        }
        _ => path,
    }
}

fn is_path(code: &str) -> bool {
    !code.is_empty()
        && code.len() <= 300
        && !code
            .contains(|c: char| c.is_whitespace() || c.is_control() || "`|<>\"'(){};=".contains(c))
        && (code.contains('/') || has_extension(code) || code.starts_with('.'))
        || ["Makefile", "Dockerfile", "Cargo.toml", "LICENSE", "Justfile"].contains(&code)
}

fn has_extension(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=8).contains(&end.len())
            && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && end.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

/// What an item says is done with its file.
pub(super) fn action(section: Files, text: &str) -> FileAction {
    match section {
        Files::Create => FileAction::Create,
        Files::Modify => FileAction::Modify,
        Files::Read => FileAction::Read,
        Files::Any => {
            let lower = text.to_lowercase();
            let has = |words: &[&str]| {
                lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
            };
            if has(&["create", "new", "add", "creates", "neu", "nouveau", "nuevo", "novo"]) {
                FileAction::Create
            } else if has(&["read", "reference", "unchanged", "lesen", "lire", "leer"]) {
                FileAction::Read
            } else {
                FileAction::Modify
            }
        }
    }
}

/// Whether a path stays in the repository.
pub(super) fn is_relative(path: &str) -> bool {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    !path.starts_with(['/', '~', '\\'])
        && !has_drive
        && !path.contains('\\')
        && !path.split('/').any(|part| part == ".." || part.eq_ignore_ascii_case(".git"))
}

/// Globs in an item of a file scope.
pub(super) fn globs(text: &str) -> Vec<String> {
    let coded: Vec<&str> = codes(text).collect();
    let words = if coded.is_empty() {
        text.split([',', ';', ' ']).map(|word| word.trim_end_matches(['.', ':'])).collect()
    } else {
        coded
    };
    let is_glob = |word: &&str| {
        let has_mark = word.contains(['/', '*']) || has_extension(word) || word.starts_with('.');
        has_mark
            && word.len() <= 300
            && !word
                .contains(|c: char| c.is_whitespace() || c.is_control() || "`\"'<>|".contains(c))
    };
    let globs = words.into_iter().filter(is_glob).map(|glob| {
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        if glob.ends_with('/') { format!("{glob}**") } else { glob.to_owned() }
    });
    globs.collect()
}

/// Whether an item of a file scope excludes its paths.
pub(super) fn excludes(text: &str) -> bool {
    const WORDS: [&str; 9] =
        ["not ", "never ", "no ", "do not", "don't", "don’t", "except", "exclude", "!"];
    let lower = text.trim_start_matches(['*', '_', '`']).to_lowercase();
    WORDS.iter().any(|word| lower.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_code_and_words() {
        for (text, expected) in [
            ("`src/a.rs` — the parser", Some("src/a.rs")),
            ("src/a.rs: the parser", Some("src/a.rs")),
            ("**`Makefile`** (new)", Some("Makefile")),
            ("the `parse` function in `src/a.rs:10-20`", Some("src/a.rs")),
            ("see https://example.org/a.html", None),
            ("nothing here.", None),
        ] {
            assert_eq!(path(text).as_deref(), expected, "{text}");
        }
        assert!(!is_relative("../a") && !is_relative("/etc/a") && !is_relative("C:\\a"));
    }

    #[test]
    fn globs_are_found_in_items() {
        assert_eq!(globs("`src/**` and `docs/`"), ["src/**", "docs/**"]);
        assert_eq!(globs("src/**, README.md."), ["src/**", "README.md"]);
        assert_eq!(globs("everything about users"), Vec::<String>::new());
        assert!(excludes("Do not touch `a/**`"));
    }
}
